//! The devices of the manual. Invalid values are tested in `tests/devices`.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

use bunraku_body::{
    Attenuation, Body, CameraView, DeviceKind, LensType, OpticalFrame, RangeCamera, RangeFormat, RangeSensor,
    ScanAngles, SpotLight,
};
use nalgebra::{Point3, Vector3};

use crate::manual::example::{ELEMENT, Example, all, device, key, kind, near};

pub fn examples() -> Vec<Example> {
    let mut examples = common();
    examples.extend(motion_sensors());
    examples.extend(cameras());
    examples.extend(range_sensors());
    examples.extend(spot_light());
    examples
}

fn common() -> Vec<Example> {
    const SENSOR: &str = "type: ForceSensor";
    let common = |name, value, holds| key("Device", name, value, ELEMENT, holds).beside(SENSOR);
    vec![
        common("name", "WRIST", |body| device(body, |device| device.name == "WRIST")),
        common("id", "3", |body| device(body, |device| device.id == Some(3))),
        // No ID, as without the key.
        common("id", "-1", |body| device(body, |device| device.id.is_none())).unlike("0"),
        common("translation", "[ 1, 2, 3 ]", |body| {
            device(body, |device| all(device.transform * Point3::origin(), [1.0, 2.0, 3.0]))
        }),
        common("rotation", "[ 0, 0, 1, 90 ]", |body| {
            device(body, |device| all(device.transform * Vector3::x(), [0.0, 1.0, 0.0]))
        })
        .angle(),
        common("on", "false", |body| device(body, |device| !device.enabled)),
        // Shapes of a device belong to its link and are rotated with the device.
        common("elements", "[ { type: Shape, geometry: { type: Box } } ]", |body| body.root().visual.len() == 1),
        key("Device", "is_optional", "true", ELEMENT, |body| body.devices.is_empty())
            .also(&["isOptional"])
            .beside("type: Perfume")
            .findings(&["optional-device"]),
    ]
}

/// A sensor with three limits.
fn limits(
    node: &'static str,
    kind: &'static str,
    name: &'static str,
    aliases: &'static [&'static str],
    findings: &'static [&'static str],
    holds: fn(&Body) -> bool,
) -> Example {
    key(node, name, "[ 1, 2, 3 ]", ELEMENT, holds).also(aliases).beside(kind).findings(findings)
}

fn motion_sensors() -> Vec<Example> {
    const LIMITS: Option<Vector3<f64>> = Some(Vector3::new(1.0, 2.0, 3.0));
    fn is(body: &Body, word: &str) -> bool {
        device(body, |device| device.type_name() == word)
    }
    vec![
        key("AccelerationSensor", "type", "AccelerationSensor", ELEMENT, |body| is(body, "AccelerationSensor")),
        limits(
            "AccelerationSensor",
            "type: AccelerationSensor",
            "max_acceleration",
            &["maxAcceleration"],
            &[],
            |body| {
                kind(
                    body,
                    |kind| matches!(kind, DeviceKind::AccelerationSensor(sensor) if sensor.max_acceleration == LIMITS),
                )
            },
        ),
        key("RateGyroSensor", "type", "RateGyroSensor", ELEMENT, |body| is(body, "RateGyroSensor")),
        // In rad/s, with a note in a file in degrees.
        limits(
            "RateGyroSensor",
            "type: RateGyroSensor",
            "max_angular_velocity",
            &["maxAngularVelocity"],
            &["angular-velocity-unit"],
            |body| {
                kind(
                    body,
                    |kind| matches!(kind, DeviceKind::RateGyroSensor(sensor) if sensor.max_angular_velocity == LIMITS),
                )
            },
        ),
        key("Imu", "type", "Imu", ELEMENT, |body| is(body, "Imu")),
        key("Imu", "type", "IMU", ELEMENT, |body| is(body, "Imu")),
        limits("Imu", "type: Imu", "max_acceleration", &["maxAcceleration"], &[], |body| {
            kind(body, |kind| matches!(kind, DeviceKind::Imu(sensor) if sensor.max_acceleration == LIMITS))
        }),
        limits(
            "Imu",
            "type: IMU",
            "max_angular_velocity",
            &["maxAngularVelocity"],
            &["angular-velocity-unit"],
            |body| kind(body, |kind| matches!(kind, DeviceKind::Imu(sensor) if sensor.max_angular_velocity == LIMITS)),
        ),
        key("ForceSensor", "type", "ForceSensor", ELEMENT, |body| is(body, "ForceSensor")),
        limits("ForceSensor", "type: ForceSensor", "max_force", &["maxForce"], &[], |body| {
            kind(body, |kind| matches!(kind, DeviceKind::ForceSensor(sensor) if sensor.max_force == LIMITS))
        }),
        limits("ForceSensor", "type: ForceSensor", "max_torque", &["maxTorque"], &[], |body| {
            kind(body, |kind| matches!(kind, DeviceKind::ForceSensor(sensor) if sensor.max_torque == LIMITS))
        }),
    ]
}

fn view(body: &Body, holds: impl Fn(&CameraView) -> bool) -> bool {
    kind(body, |kind| matches!(kind, DeviceKind::Camera(camera) if holds(&camera.view)))
}

fn range_camera(body: &Body, holds: impl Fn(&RangeCamera) -> bool) -> bool {
    kind(body, |kind| matches!(kind, DeviceKind::RangeCamera(camera) if holds(camera)))
}

fn lens(body: &Body, lens: LensType) -> bool {
    kind(body, |kind| matches!(kind, DeviceKind::Camera(camera) if camera.lens == lens))
}

fn cameras() -> Vec<Example> {
    const COLOR: &str = "type: Camera, format: COLOR";
    let camera = |name, value, holds| key("Camera", name, value, ELEMENT, holds).beside(COLOR);
    let depth = |name, value, holds| key("Camera", name, value, ELEMENT, holds).beside("type: Camera, format: DEPTH");
    let format = |word, holds| key("Camera", "format", word, ELEMENT, holds).beside("type: Camera");
    let lens_type = |word, holds| camera("lens_type", word, holds).also(&["lensType"]);
    vec![
        key("Camera", "type", "Camera", ELEMENT, |body| view(body, |_| true)).beside("format: COLOR"),
        key("Camera", "type", "CameraDevice", ELEMENT, |body| view(body, |_| true)).beside("format: COLOR"),
        format("COLOR", |body| view(body, |_| true)),
        format("DEPTH", |body| range_camera(body, |camera| camera.format == RangeFormat::Depth)),
        format("COLOR_DEPTH", |body| range_camera(body, |camera| camera.format == RangeFormat::ColorDepth)),
        format("POINT_CLOUD", |body| range_camera(body, |camera| camera.format == RangeFormat::PointCloud)),
        format("COLOR_POINT_CLOUD", |body| range_camera(body, |camera| camera.format == RangeFormat::ColorPointCloud)),
        format("COLOUR", |body| body.devices.is_empty()).findings(&["camera-format"]).unlike("COLOR"),
        lens_type("NORMAL", |body| lens(body, LensType::Normal)).unlike("FISHEYE"),
        lens_type("FISHEYE", |body| lens(body, LensType::Fisheye)),
        lens_type("DUAL_FISHEYE", |body| lens(body, LensType::DualFisheye)),
        // The lens determines the height, and for two circles also the angle.
        lens_type("FISHEYE", |body| view(body, |view| view.height == view.width)),
        lens_type("DUAL_FISHEYE", |body| view(body, |view| 2 * view.height == view.width && view.field_of_view == PI)),
        lens_type("FISHEYE", |body| range_camera(body, |_| true))
            .beside("type: Camera, format: DEPTH")
            .findings(&["lens-type"])
            .ignored(),
        camera("on", "false", |body| device(body, |device| !device.enabled)),
        camera("width", "320", |body| view(body, |view| view.width == 320)),
        camera("height", "200", |body| view(body, |view| view.height == 200)),
        camera("field_of_view", "60", |body| view(body, |view| near(view.field_of_view, FRAC_PI_3)))
            .also(&["fieldOfView"])
            .angle(),
        camera("near_clip_distance", "0.5", |body| view(body, |view| view.near_clip_distance == 0.5))
            .also(&["nearClipDistance"]),
        camera("far_clip_distance", "50", |body| view(body, |view| view.far_clip_distance == 50.0))
            .also(&["farClipDistance"]),
        camera("frame_rate", "15", |body| view(body, |view| view.frame_rate == 15.0)).also(&["frameRate"]),
        camera("optical_frame", "robotics", |body| view(body, |view| view.optical_frame == OpticalFrame::Robotics)),
        // It looks along −Z with +Y up.
        camera("optical_frame_rotation", "[ 0, 1, 0, 90 ]", |body| {
            view(body, |view| all(view.optical_rotation * -Vector3::z(), [-1.0, 0.0, 0.0]))
        })
        .angle(),
        depth("min_distance", "0.5", |body| range_camera(body, |camera| camera.min_distance == 0.5))
            .also(&["minDistance"]),
        depth("max_distance", "5", |body| range_camera(body, |camera| camera.max_distance == 5.0))
            .also(&["maxDistance"]),
        depth("detection_rate", "0.9", |body| range_camera(body, |camera| camera.detection_rate == 0.9)),
        depth("error_deviation", "0.01", |body| range_camera(body, |camera| camera.error_deviation == 0.01)),
    ]
}

fn range_sensor(body: &Body, holds: impl Fn(&RangeSensor) -> bool) -> bool {
    kind(body, |kind| matches!(kind, DeviceKind::RangeSensor(sensor) if holds(sensor)))
}

fn angles(found: ScanAngles, min: f64, max: f64, step: f64) -> bool {
    all([found.min, found.max, found.step], [min, max, step].map(f64::to_radians))
}

fn range_sensors() -> Vec<Example> {
    let sensor = |name, value, holds| key("RangeSensor", name, value, ELEMENT, holds);
    const ONE_RAY: &str = "type: RangeSensor, yaw_range: 0";
    vec![
        // Without `yaw_step` there are three rays, one radian apart, between −60° and 60°.
        sensor("type", "RangeSensor", |body| {
            range_sensor(body, |sensor| {
                sensor.yaw.step == 1.0 && near(sensor.yaw.range(), 2.0 * FRAC_PI_3) && sensor.samples() == 3
            })
        })
        .findings(&["default-step"]),
        sensor("on", "false", |body| device(body, |device| !device.enabled)).beside(ONE_RAY),
        sensor("yaw_range", "180", |body| range_sensor(body, |sensor| angles(sensor.yaw, -90.0, 90.0, 45.0)))
            .also(&["yawRange", "scanAngle"])
            .beside("type: RangeSensor, yaw_step: 45")
            .angle(),
        sensor("yaw_step", "45", |body| range_sensor(body, |sensor| angles(sensor.yaw, -90.0, 90.0, 45.0)))
            .also(&["yawStep", "scanStep"])
            .beside("type: RangeSensor, yaw_range: 180")
            .angle(),
        sensor("pitch_range", "20", |body| range_sensor(body, |sensor| angles(sensor.pitch, -10.0, 10.0, 5.0)))
            .also(&["pitchRange"])
            .beside("type: RangeSensor, yaw_range: 0, pitch_step: 5")
            .angle(),
        sensor("pitch_step", "5", |body| range_sensor(body, |sensor| angles(sensor.pitch, -10.0, 10.0, 5.0)))
            .also(&["pitchStep"])
            .beside("type: RangeSensor, yaw_range: 0, pitch_range: 20")
            .angle(),
        sensor("scan_rate", "20", |body| range_sensor(body, |sensor| sensor.scan_rate == 20.0))
            .also(&["scanRate", "frame_rate", "frameRate"])
            .beside(ONE_RAY),
        sensor("min_distance", "0.5", |body| range_sensor(body, |sensor| sensor.min_distance == 0.5))
            .also(&["minDistance"])
            .beside(ONE_RAY),
        sensor("max_distance", "30", |body| range_sensor(body, |sensor| sensor.max_distance == 30.0))
            .also(&["maxDistance"])
            .beside(ONE_RAY),
        sensor("min_yaw_angle", "-30", |body| range_sensor(body, |sensor| angles(sensor.yaw, -30.0, 60.0, 10.0)))
            .beside("type: RangeSensor, max_yaw_angle: 60, yaw_step: 10")
            .angle(),
        sensor("max_yaw_angle", "60", |body| range_sensor(body, |sensor| angles(sensor.yaw, -30.0, 60.0, 10.0)))
            .beside("type: RangeSensor, min_yaw_angle: -30, yaw_step: 10")
            .angle(),
        sensor("yaw_samples", "10", |body| range_sensor(body, |sensor| sensor.yaw.samples() == 10))
            .beside("type: RangeSensor, yaw_range: 90"),
        sensor("min_pitch_angle", "-5", |body| range_sensor(body, |sensor| angles(sensor.pitch, -5.0, 15.0, 5.0)))
            .beside("type: RangeSensor, yaw_range: 0, max_pitch_angle: 15, pitch_step: 5")
            .angle(),
        sensor("max_pitch_angle", "15", |body| range_sensor(body, |sensor| angles(sensor.pitch, -5.0, 15.0, 5.0)))
            .beside("type: RangeSensor, yaw_range: 0, min_pitch_angle: -5, pitch_step: 5")
            .angle(),
        sensor("pitch_samples", "3", |body| range_sensor(body, |sensor| sensor.pitch.samples() == 3))
            .beside("type: RangeSensor, yaw_range: 0, pitch_range: 20"),
        sensor("optical_frame", "cv", |body| range_sensor(body, |sensor| sensor.optical_frame == OpticalFrame::Cv))
            .beside(ONE_RAY),
        sensor("optical_frame_rotation", "[ 0, 1, 0, 90 ]", |body| {
            range_sensor(body, |sensor| all(sensor.optical_rotation * -Vector3::z(), [-1.0, 0.0, 0.0]))
        })
        .beside(ONE_RAY)
        .angle(),
        sensor("detection_rate", "0.9", |body| range_sensor(body, |sensor| sensor.detection_rate == 0.9))
            .beside(ONE_RAY),
        sensor("error_deviation", "0.01", |body| range_sensor(body, |sensor| sensor.error_deviation == 0.01))
            .beside(ONE_RAY),
    ]
}

fn spot_light() -> Vec<Example> {
    fn spot(body: &Body, holds: impl Fn(&SpotLight) -> bool) -> bool {
        kind(body, |kind| matches!(kind, DeviceKind::SpotLight(light) if holds(light)))
    }
    let light = |name, value, holds| key("SpotLight", name, value, ELEMENT, holds).beside("type: SpotLight");
    vec![
        key("SpotLight", "type", "SpotLight", ELEMENT, |body| {
            spot(body, |light| near(light.beam_width, FRAC_PI_2) && near(light.cut_off_angle, FRAC_PI_2 / 2.0))
        }),
        light("on", "false", |body| device(body, |device| !device.enabled)),
        light("color", "[ 0.1, 0.2, 0.3 ]", |body| spot(body, |light| light.color == Vector3::new(0.1, 0.2, 0.3))),
        light("intensity", "0.5", |body| spot(body, |light| light.intensity == 0.5)),
        // A direction of any length.
        light("direction", "[ 0, 3, 4 ]", |body| spot(body, |light| all(*light.direction, [0.0, 0.6, 0.8]))),
        light("beam_width", "30", |body| spot(body, |light| near(light.beam_width, PI / 6.0)))
            .also(&["beamWidth"])
            .angle(),
        light("cut_off_angle", "60", |body| spot(body, |light| near(light.cut_off_angle, FRAC_PI_3)))
            .also(&["cutOffAngle"])
            .angle(),
        light("cut_off_exponent", "2", |body| spot(body, |light| light.cut_off_exponent == 2.0))
            .also(&["cutOffExponent"]),
        light("attenuation", "[ 1, 0.5, 0.01 ]", |body| {
            spot(body, |light| light.attenuation == Attenuation { constant: 1.0, linear: 0.5, quadratic: 0.01 })
        }),
    ]
}
