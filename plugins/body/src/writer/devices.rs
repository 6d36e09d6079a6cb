//! Sensors, lights and other devices.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_4;

use nalgebra::{UnitQuaternion, Vector3};

use super::Writer;
use super::numbers::{degrees, tidy_direction};
use super::yaml::{Map, Node, text};
use crate::{
    Attenuation, Camera, CameraView, Conveyor, ConveyorMotion, Device, DeviceKind, DigitalIo, HoldCondition, Holder,
    LensType, Marker, MarkerShape, OpticalFrame, PointLight, RangeCamera, RangeFormat, RangeSensor, ScanAngles,
    Scenery, SpotLight,
};

/// Keys that every node may have.
const NODE_KEYS: &[&str] = &[
    "elements",
    "id",
    "isOptional",
    "is_optional",
    "name",
    "on",
    "rotation",
    "scale",
    "scaleOrientation",
    "scale_orientation",
    "translation",
    "type",
];

/// Keys for the pose of scenery nodes.
const SCENERY_KEYS: &[&str] =
    &["name", "rotation", "scale", "scaleOrientation", "scale_orientation", "translation", "type"];

impl Writer<'_> {
    pub(super) fn device(&self, device: &Device) -> Node {
        self.placed(word(&device.kind), &device.name, &device.transform, |map| {
            if let Some(id) = device.id {
                map.scalar("id", id.to_string());
            }
            if device.enabled != device.kind.is_on_by_default() {
                map.flag("on", device.enabled);
            }
            self.device_kind(map, &device.kind);
            self.info(map, &device.info, NODE_KEYS, &format!("device `{}`", device.name));
        })
    }

    pub(super) fn scenery(&self, scenery: &Scenery) -> Node {
        self.placed(scenery.kind.word(), &scenery.name, &scenery.transform, |map| {
            self.info(map, &scenery.info, SCENERY_KEYS, &format!("a {} node", scenery.kind.word()));
        })
    }

    fn device_kind(&self, map: &mut Map, kind: &DeviceKind) {
        const ACCELERATION: &str = "max_acceleration";
        const ANGULAR_VELOCITY: &str = "max_angular_velocity";
        match kind {
            DeviceKind::AccelerationSensor(sensor) => self.limits(map, ACCELERATION, sensor.max_acceleration),
            DeviceKind::RateGyroSensor(sensor) => self.limits(map, ANGULAR_VELOCITY, sensor.max_angular_velocity),
            DeviceKind::Imu(sensor) => {
                self.limits(map, ACCELERATION, sensor.max_acceleration);
                self.limits(map, ANGULAR_VELOCITY, sensor.max_angular_velocity);
            }
            DeviceKind::ForceSensor(sensor) => {
                self.limits(map, "max_force", sensor.max_force);
                self.limits(map, "max_torque", sensor.max_torque);
            }
            DeviceKind::Camera(camera) => self.camera(map, camera),
            DeviceKind::RangeCamera(camera) => self.range_camera(map, camera),
            DeviceKind::RangeSensor(sensor) => self.range_sensor(map, sensor),
            DeviceKind::PointLight(light) => self.point_light(map, light),
            DeviceKind::SpotLight(light) => self.spot_light(map, light),
            DeviceKind::Holder(holder) => self.holder(map, holder),
            DeviceKind::Attachment(attachment) => {
                if !attachment.category.is_empty() {
                    map.scalar("category", text(&attachment.category));
                }
            }
            DeviceKind::Conveyor(conveyor) => self.conveyor(map, conveyor),
            DeviceKind::DigitalIo(device) => digital_io(map, device),
            DeviceKind::Marker(marker) => self.marker(map, marker),
            DeviceKind::Zmp | DeviceKind::Other(_) => {}
        }
    }

    fn limits(&self, map: &mut Map, key: &str, limits: Option<Vector3<f64>>) {
        if let Some(limits) = limits {
            self.set_vector(map, key, limits.as_slice());
        }
    }

    fn camera(&self, map: &mut Map, camera: &Camera) {
        map.scalar("format", "COLOR");
        match camera.lens {
            LensType::Normal => {}
            LensType::Fisheye => map.scalar("lens_type", "FISHEYE"),
            LensType::DualFisheye => map.scalar("lens_type", "DUAL_FISHEYE"),
        }
        self.view(map, &camera.view, camera.lens);
    }

    fn range_camera(&self, map: &mut Map, camera: &RangeCamera) {
        let format = match camera.format {
            RangeFormat::Depth => "DEPTH",
            RangeFormat::ColorDepth => "COLOR_DEPTH",
            RangeFormat::PointCloud => "POINT_CLOUD",
            RangeFormat::ColorPointCloud => "COLOR_POINT_CLOUD",
        };
        map.scalar("format", format);
        self.view(map, &camera.view, LensType::Normal);
        let default = RangeCamera::new(camera.format);
        let numbers = [
            ("min_distance", camera.min_distance, default.min_distance),
            ("max_distance", camera.max_distance, default.max_distance),
            ("detection_rate", camera.detection_rate, default.detection_rate),
            ("error_deviation", camera.error_deviation, default.error_deviation),
        ];
        self.numbers_unless(map, &numbers);
    }

    fn view(&self, map: &mut Map, view: &CameraView, lens: LensType) {
        let default = CameraView::default();
        map.scalar("width", view.width.to_string());
        if lens.height(view.width).is_none() {
            map.scalar("height", view.height.to_string());
        }
        if lens != LensType::DualFisheye {
            self.angle_unless(map, "field_of_view", view.field_of_view, FRAC_PI_4);
        }
        let numbers = [
            ("near_clip_distance", view.near_clip_distance, default.near_clip_distance),
            ("far_clip_distance", view.far_clip_distance, default.far_clip_distance),
            ("frame_rate", view.frame_rate, default.frame_rate),
        ];
        self.numbers_unless(map, &numbers);
        self.optical_frame(map, view.optical_frame, &view.optical_rotation);
    }

    fn optical_frame(&self, map: &mut Map, frame: OpticalFrame, rotation: &UnitQuaternion<f64>) {
        match frame {
            OpticalFrame::Gl => {}
            OpticalFrame::Cv => map.scalar("optical_frame", "cv"),
            OpticalFrame::Robotics => map.scalar("optical_frame", "robotics"),
        }
        if *rotation != frame.rotation() {
            self.set_rotation(map, "optical_frame_rotation", &(frame.rotation().inverse() * rotation));
        }
    }

    fn range_sensor(&self, map: &mut Map, sensor: &RangeSensor) {
        let default = RangeSensor::default();
        self.scan(map, "yaw", &sensor.yaw, &default.yaw);
        self.scan(map, "pitch", &sensor.pitch, &default.pitch);
        let numbers = [
            ("min_distance", sensor.min_distance, default.min_distance),
            ("max_distance", sensor.max_distance, default.max_distance),
            ("scan_rate", sensor.scan_rate, default.scan_rate),
            ("detection_rate", sensor.detection_rate, default.detection_rate),
            ("error_deviation", sensor.error_deviation, default.error_deviation),
        ];
        self.numbers_unless(map, &numbers);
        self.optical_frame(map, sensor.optical_frame, &sensor.optical_rotation);
    }

    fn scan(&self, map: &mut Map, direction: &str, angles: &ScanAngles, default: &ScanAngles) {
        if angles == default {
            return;
        }
        if (angles.min, angles.max) != (default.min, default.max) {
            if angles.min == -angles.max && degrees(angles.range()).to_radians() == angles.range() {
                map.scalar(&format!("{direction}_range"), self.angle(angles.range()));
            } else {
                map.scalar(&format!("min_{direction}_angle"), self.angle(angles.min));
                map.scalar(&format!("max_{direction}_angle"), self.angle(angles.max));
            }
        }
        if angles.step != default.step {
            map.scalar(&format!("{direction}_step"), self.angle(angles.step));
        }
    }

    fn point_light(&self, map: &mut Map, light: &PointLight) {
        let default = PointLight::default();
        self.vector_unless(map, "color", light.color.as_slice(), default.color.as_slice());
        self.number_unless(map, "intensity", light.intensity, default.intensity);
        if light.attenuation != default.attenuation {
            let Attenuation { constant, linear, quadratic } = light.attenuation;
            self.set_vector(map, "attenuation", &[constant, linear, quadratic]);
        }
    }

    fn spot_light(&self, map: &mut Map, light: &SpotLight) {
        let SpotLight { color, intensity, attenuation, .. } = *light;
        self.point_light(map, &PointLight { color, intensity, attenuation });
        let default = SpotLight::default();
        if light.direction != default.direction {
            self.set_vector(map, "direction", tidy_direction(&light.direction).as_slice());
        }
        self.angle_unless(map, "beam_width", light.beam_width, default.beam_width);
        self.angle_unless(map, "cut_off_angle", light.cut_off_angle, default.cut_off_angle);
        self.number_unless(map, "cut_off_exponent", light.cut_off_exponent, default.cut_off_exponent);
    }

    fn holder(&self, map: &mut Map, holder: &Holder) {
        if !holder.categories.is_empty() {
            let categories = holder.categories.iter().map(|category| text(category));
            map.set("categories", Node::Flow(categories.collect(), 1));
        }
        match holder.condition {
            HoldCondition::Distance => {}
            HoldCondition::Collision => map.scalar("hold_condition", "collision"),
            HoldCondition::Name => map.scalar("hold_condition", "name"),
        }
        self.number_unless(map, "max_hold_distance", holder.max_distance, Holder::default().max_distance);
        if !holder.target.is_empty() {
            map.scalar("hold_target_name", text(&holder.target));
        }
    }

    fn conveyor(&self, map: &mut Map, conveyor: &Conveyor) {
        let default = Conveyor::default();
        if conveyor.motion == ConveyorMotion::Rotary {
            map.scalar("conveyor_type", "rotary");
        }
        if conveyor.axis != default.axis {
            self.set_vector(map, "axis", tidy_direction(&conveyor.axis).as_slice());
        }
        self.number_unless(map, "speed", conveyor.speed, default.speed);
    }

    fn marker(&self, map: &mut Map, marker: &Marker) {
        let default = Marker::default();
        match marker.shape {
            MarkerShape::Cross => map.scalar("marker_type", "cross"),
            MarkerShape::Sphere => {}
            MarkerShape::Axes => map.scalar("marker_type", "axes"),
        }
        self.vector_unless(map, "color", marker.color.as_slice(), default.color.as_slice());
        let numbers = [
            ("size", marker.size, default.size),
            ("emission", marker.emission, default.emission),
            ("transparency", marker.transparency, default.transparency),
        ];
        self.numbers_unless(map, &numbers);
        self.set_translation(map, "offset_translation", &marker.offset.translation.vector);
        self.set_rotation(map, "offset_rotation", &marker.offset.rotation);
    }

    /// Writes keys whose numbers differ from the defaults.
    fn numbers_unless(&self, map: &mut Map, numbers: &[(&str, f64, f64)]) {
        for &(key, number, default) in numbers {
            self.number_unless(map, key, number, default);
        }
    }
}

/// Value of `type`. The original supports `IMU`.
fn word(kind: &DeviceKind) -> &str {
    match kind {
        DeviceKind::Imu(_) => "IMU",
        DeviceKind::RangeCamera(_) => "Camera",
        DeviceKind::Holder(_) => "Holder",
        DeviceKind::Attachment(_) => "Attachment",
        DeviceKind::DigitalIo(_) => "DigitalIO",
        other => other.type_name(),
    }
}

fn digital_io(map: &mut Map, device: &DigitalIo) {
    let default = DigitalIo::default();
    if device.lines != default.lines {
        map.scalar("num_signal_lines", device.lines.to_string());
    }
    for (key, labels) in [("out_labels", &device.output_labels), ("in_labels", &device.input_labels)] {
        if !labels.is_empty() {
            map.set(key, labels_by_line(labels).into());
        }
    }
    if !device.switches.is_empty() {
        let pair = |(line, name): (&usize, &String)| Node::Flow(vec![line.to_string(), text(name)], 2);
        let pairs = device.switches.iter().map(pair);
        map.set("input_to_device_switch_connections", Node::Sequence(pairs.collect()));
    }
}

fn labels_by_line(labels: &BTreeMap<usize, String>) -> Map {
    let mut map = Map::default();
    for (line, label) in labels {
        map.scalar(&line.to_string(), text(label));
    }
    map
}
