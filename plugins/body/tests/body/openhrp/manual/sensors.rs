//! Sensors and lights.

use bunraku_body::{Body, CameraView, DeviceKind, Property, RangeCamera, RangeFormat, RangeSensor, SpotLight};
use nalgebra::{Point3, Vector3};

use super::example::{Example, Place, all, device, field, ignored, kind, near};

pub fn examples() -> Vec<Example> {
    let nodes = [
        "AccelerationSensor",
        "Gyro",
        "VisionSensor",
        "ForceSensor",
        "RangeSensor",
        "SpotLightDevice",
        "PressureSensor",
    ];
    let mut examples: Vec<Example> = nodes.into_iter().flat_map(common).collect();
    examples.extend(limits());
    examples.extend(camera());
    examples.extend(range_sensor());
    examples.extend(spot_light());
    examples.extend(beyond());
    examples
}

/// Fields common to all sensors.
fn common(node: &'static str) -> Vec<Example> {
    // A pressure sensor is an unknown device.
    let findings: &'static [&'static str] = if node == "PressureSensor" { &["unknown-device"] } else { &[] };
    let common = |name, value, holds| field(node, name, value, Place::Device, holds).findings(findings);
    vec![
        common("translation", "1 2 3", |body| {
            device(body, |device| all((device.transform * Point3::origin()).coords, [1.0, 2.0, 3.0]))
        }),
        common("rotation", "0 0 1 1.5707963267948966", |body| {
            device(body, |device| all((device.transform * Point3::from(Vector3::x())).coords, [0.0, 1.0, 0.0]))
        }),
        common("sensorId", "4", |body| device(body, |device| device.id == Some(4))),
    ]
}

const LIMIT: Option<Vector3<f64>> = Some(Vector3::new(1.0, 2.0, 3.0));

fn limits() -> Vec<Example> {
    vec![
        field("AccelerationSensor", "maxAcceleration", "1 2 3", Place::Device, |body| {
            kind(
                body,
                |kind| matches!(kind, DeviceKind::AccelerationSensor(sensor) if sensor.max_acceleration == LIMIT),
            )
        }),
        field("Gyro", "maxAngularVelocity", "1 2 3", Place::Device, |body| {
            kind(
                body,
                |kind| matches!(kind, DeviceKind::RateGyroSensor(sensor) if sensor.max_angular_velocity == LIMIT),
            )
        }),
        field("ForceSensor", "maxForce", "1 2 3", Place::Device, |body| {
            kind(
                body,
                |kind| matches!(kind, DeviceKind::ForceSensor(sensor) if sensor.max_force == LIMIT && sensor.max_torque.is_none()),
            )
        }),
        field("ForceSensor", "maxTorque", "1 2 3", Place::Device, |body| {
            kind(
                body,
                |kind| matches!(kind, DeviceKind::ForceSensor(sensor) if sensor.max_torque == LIMIT && sensor.max_force.is_none()),
            )
        }),
        // −1 is unlimited in the manual.
        field("Gyro", "maxAngularVelocity", "-1 -1 -1", Place::Device, |body| {
            kind(
                body,
                |kind| matches!(kind, DeviceKind::RateGyroSensor(sensor) if sensor.max_angular_velocity.is_none()),
            )
        })
        .unlike("1 2 3"),
    ]
}

fn view(body: &Body, holds: impl Fn(&CameraView) -> bool) -> bool {
    kind(body, |kind| match kind {
        DeviceKind::Camera(camera) => holds(&camera.view),
        DeviceKind::RangeCamera(camera) => holds(&camera.view),
        _ => false,
    })
}

fn is_color(body: &Body) -> bool {
    device(body, |device| device.enabled && matches!(device.kind, DeviceKind::Camera(_)))
}

fn is_range(body: &Body, wanted: RangeFormat) -> bool {
    let is =
        |kind: &DeviceKind| matches!(kind, DeviceKind::RangeCamera(RangeCamera { format, .. }) if *format == wanted);
    device(body, |device| device.enabled && is(&device.kind))
}

fn camera() -> Vec<Example> {
    let camera = |name, value, holds| field("VisionSensor", name, value, Place::Device, holds);
    vec![
        camera("fieldOfView", "1.2", |body| view(body, |view| view.field_of_view == 1.2)),
        camera("frontClipDistance", "0.5", |body| view(body, |view| view.near_clip_distance == 0.5)),
        camera("backClipDistance", "50", |body| view(body, |view| view.far_clip_distance == 50.0)),
        camera("width", "800", |body| view(body, |view| view.width == 800)),
        camera("height", "500", |body| view(body, |view| view.height == 500)),
        camera("frameRate", "15", |body| view(body, |view| view.frame_rate == 15.0)),
        camera("type", "\"COLOR\"", is_color),
        camera("type", "\"MONO\"", is_color),
        camera("type", "\"DEPTH\"", |body| is_range(body, RangeFormat::Depth)),
        camera("type", "\"COLOR_DEPTH\"", |body| is_range(body, RangeFormat::ColorDepth)),
        camera("type", "\"MONO_DEPTH\"", |body| is_range(body, RangeFormat::ColorDepth)),
        camera("type", "\"POINT_CLOUD\"", |body| is_range(body, RangeFormat::PointCloud)),
        camera("type", "\"COLOR_POINT_CLOUD\"", |body| is_range(body, RangeFormat::ColorPointCloud)),
        // The camera exists, but is off.
        camera("type", "\"NONE\"", |body| device(body, |device| !device.enabled)).unlike("\"COLOR\""),
        ignored("VisionSensor", "name", "\"eye\"", Place::Device),
    ]
}

fn range(body: &Body, holds: impl Fn(&RangeSensor) -> bool) -> bool {
    kind(body, |kind| matches!(kind, DeviceKind::RangeSensor(sensor) if holds(sensor)))
}

fn range_sensor() -> Vec<Example> {
    let sensor = |name, value, holds| field("RangeSensor", name, value, Place::Device, holds);
    vec![
        // Displayed once, at the pose of the sensor.
        sensor("children", "Shape { geometry Box { } }", |body| {
            let [shape] = body.root().visual.as_slice() else { return false };
            all((shape.transform * Point3::origin()).coords, [0.0, 0.0, 1.0])
        })
        .beside("translation 0 0 1"),
        sensor("scanAngle", "2", |body| range(body, |sensor| near(sensor.yaw.min, -1.0) && near(sensor.yaw.max, 1.0))),
        sensor("scanAngle", "0", |body| range(body, |sensor| sensor.samples() == 1)),
        sensor("scanStep", "0.5", |body| range(body, |sensor| sensor.samples() == 5 && near(sensor.yaw.step, 0.5)))
            .beside("scanAngle 2"),
        sensor("scanRate", "40", |body| range(body, |sensor| sensor.scan_rate == 40.0)),
        sensor("maxDistance", "5", |body| range(body, |sensor| sensor.max_distance == 5.0)),
        sensor("minDistance", "0.5", |body| range(body, |sensor| sensor.min_distance == 0.5)),
    ]
}

fn light(body: &Body, holds: impl Fn(&SpotLight) -> bool) -> bool {
    kind(body, |kind| matches!(kind, DeviceKind::SpotLight(light) if holds(light)))
}

fn spot_light() -> Vec<Example> {
    let lamp = |name, value, holds| field("SpotLightDevice", name, value, Place::Device, holds);
    vec![
        lamp("on", "FALSE", |body| device(body, |device| !device.enabled)),
        lamp("color", "1 0 0.5", |body| light(body, |light| all(light.color, [1.0, 0.0, 0.5]))),
        lamp("intensity", "2", |body| light(body, |light| light.intensity == 2.0)),
        lamp("direction", "0 -2 0", |body| light(body, |light| all(light.direction.into_inner(), [0.0, -1.0, 0.0]))),
        lamp("beamWidth", "0.5", |body| light(body, |light| light.beam_width == 0.5)),
        lamp("cutOffAngle", "0.6", |body| light(body, |light| light.cut_off_angle == 0.6)),
        lamp("cutOffExponent", "3", |body| light(body, |light| light.cut_off_exponent == 3.0)),
        lamp("attenuation", "1 2 3", |body| {
            light(body, |light| {
                let fading = light.attenuation;
                all([fading.constant, fading.linear, fading.quadratic], [1.0, 2.0, 3.0])
            })
        }),
    ]
}

fn beyond() -> Vec<Example> {
    vec![
        field("Any sensor", "deviceId", "7", Place::AnyDevice, |body| device(body, |device| device.id == Some(7)))
            .beside("sensorId 2")
            .declared("PROTO Gyro [", "PROTO Gyro [ field SFInt32 deviceId -1"),
        field("Any sensor", "on", "FALSE", Place::AnyDevice, |body| device(body, |device| !device.enabled))
            .declared("PROTO Gyro [", "PROTO Gyro [ field SFBool on TRUE"),
        field("PressureSensor", "maxPressure", "5", Place::Device, |body| {
            device(body, |device| device.property("maxPressure") == Some(&Property::Text("5".to_owned())))
        })
        .findings(&["unknown-device"]),
    ]
}
