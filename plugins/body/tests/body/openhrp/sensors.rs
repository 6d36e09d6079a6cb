//! Sensors and other devices.

use std::f64::consts::{FRAC_PI_4, PI};

use bunraku_body::{Device, DeviceKind, Property, RangeCamera, RangeFormat};
use bunraku_test_support::{assert_all_close, assert_close};
use nalgebra::{Point3, Vector3};

use super::{PROTOS, assert_finding, base, clean_base, load_whole, one_finding, without};
use crate::common::list;

/// The only device of a robot, read without findings.
#[track_caller]
fn device(word: &str, fields: &str) -> Device {
    let mut body = clean_base(&format!("children DEF SENSOR {word} {{ {fields} }}"));
    assert_eq!(body.devices.len(), 1);
    body.devices.remove(0)
}

/// A device with exactly one finding, at its fields.
#[track_caller]
fn device_with_finding(word: &str, fields: &str, start: &str, column: u32) -> Device {
    let (body, finding) = one_finding(&base(&format!("children DEF SENSOR {word} {{\n{fields} }}")));
    assert_finding(&finding, start, (3, column));
    body.unwrap().devices.remove(0)
}

const SENSORS: [&str; 5] = ["AccelerationSensor", "Gyro", "VisionSensor", "ForceSensor", "RangeSensor"];

#[test]
fn each_sensor_has_a_name_a_number_and_a_place() {
    for word in SENSORS {
        let sensor = device(word, "translation 1 2 3 rotation 0 0 1 1.5707963267948966 sensorId 4");
        assert_eq!((sensor.name.as_str(), sensor.id, sensor.link.0), ("SENSOR", Some(4), 0), "{word}");
        assert_all_close(&(sensor.transform * Point3::new(1.0, 0.0, 0.0)).coords, [1.0, 3.0, 3.0]);
        assert_eq!(device(word, "").id, None);
        assert!(device(word, if word == "VisionSensor" { "type \"COLOR\"" } else { "" }).enabled);
    }
}

#[test]
fn a_sensor_may_stand_in_a_transform_or_a_segment() {
    let body = clean_base(
        "children [ Transform { translation 0 0 1 children DEF A Gyro { translation 1 0 0 } }
          Transform { translation 0 2 0 children Segment { children DEF B Gyro { } } } ]",
    );
    let place = |number: usize| (body.devices[number].transform * Point3::origin()).coords;
    assert_all_close(&place(0), [1.0, 0.0, 1.0]);
    assert_all_close(&place(1), [0.0, 2.0, 0.0]);
}

#[test]
fn devices_come_in_the_order_of_the_file() {
    let body = clean_base(
        "children [ DEF A Gyro { } DEF J Joint { jointType \"rotate\" children DEF B Gyro { } } DEF C Gyro { } ]",
    );
    let found: Vec<_> = body.devices.iter().map(|device| (device.name.as_str(), device.link.0)).collect();
    assert_eq!(found, [("A", 0), ("B", 1), ("C", 0)]);
}

#[test]
fn limits_of_motion_sensors_are_kept_and_minus_one_is_unlimited() {
    let limit = Some(Vector3::new(1.0, 2.0, 3.0));
    let DeviceKind::AccelerationSensor(sensor) = device("AccelerationSensor", "maxAcceleration 1 2 3").kind else {
        panic!()
    };
    assert_eq!(sensor.max_acceleration, limit);
    let DeviceKind::AccelerationSensor(sensor) = device("AccelerationSensor", "").kind else { panic!() };
    assert_eq!(sensor.max_acceleration, None);
    let DeviceKind::RateGyroSensor(sensor) = device("Gyro", "maxAngularVelocity 1 2 3").kind else { panic!() };
    assert_eq!(sensor.max_angular_velocity, limit);
    let DeviceKind::RateGyroSensor(sensor) = device("Gyro", "").kind else { panic!() };
    assert_eq!(sensor.max_angular_velocity, None);
    let DeviceKind::ForceSensor(sensor) = device("ForceSensor", "maxForce 1 2 3 maxTorque 4 5 6").kind else {
        panic!()
    };
    assert_eq!((sensor.max_force, sensor.max_torque), (limit, Some(Vector3::new(4.0, 5.0, 6.0))));
    let DeviceKind::ForceSensor(sensor) = device("ForceSensor", "").kind else { panic!() };
    assert_eq!((sensor.max_force, sensor.max_torque), (None, None));
}

#[test]
fn a_negative_limit_is_none_with_a_warning() {
    let sensor =
        device_with_finding("ForceSensor", "maxForce 1 -2 3", "warning[out-of-range]: ROBOT > BASE > SENSOR: ", 1);
    let DeviceKind::ForceSensor(sensor) = sensor.kind else { panic!() };
    assert_eq!(sensor.max_force, None);
}

#[test]
fn gyro_sensor_is_another_name_of_gyro() {
    let protos = PROTOS.replace("PROTO Gyro [", "PROTO GyroSensor [");
    let (body, findings) = load_whole(&format!("{protos}{}", base("children GyroSensor { maxAngularVelocity 1 1 1 }")));
    assert!(findings.is_empty(), "{}", list(&findings));
    assert!(matches!(body.unwrap().devices[0].kind, DeviceKind::RateGyroSensor(_)));
}

#[test]
fn a_camera_has_the_fields_of_its_image() {
    let camera = device(
        "VisionSensor",
        "type \"COLOR\" width 640 height 360 fieldOfView 1.2 frontClipDistance 0.1 backClipDistance 50 frameRate 15 name \"x\"",
    );
    let DeviceKind::Camera(camera) = camera.kind else { panic!() };
    let view = camera.view;
    assert_eq!((view.width, view.height), (640, 360));
    let numbers = [view.field_of_view, view.near_clip_distance, view.far_clip_distance, view.frame_rate];
    assert_all_close(&numbers, [1.2, 0.1, 50.0, 15.0]);
    // It looks along −Z with +Y up.
    assert_all_close(&(view.optical_rotation * Vector3::z()), [0.0, 0.0, 1.0]);
    // The other values are those of the declaration.
    let DeviceKind::Camera(camera) = device("VisionSensor", "").kind else { panic!() };
    assert_eq!((camera.view.width, camera.view.height), (320, 240));
    assert!((camera.view.field_of_view - FRAC_PI_4).abs() < 1e-6);
}

#[test]
fn the_type_says_what_a_camera_records() {
    let color = |word: &str| {
        let device = device("VisionSensor", &format!("type \"{word}\""));
        assert!(matches!(device.kind, DeviceKind::Camera(_)), "{word}");
        device.enabled
    };
    assert!(color("COLOR") && color("MONO"));
    assert!(!color("NONE"));
    for (word, format) in [
        ("DEPTH", RangeFormat::Depth),
        ("COLOR_DEPTH", RangeFormat::ColorDepth),
        ("MONO_DEPTH", RangeFormat::ColorDepth),
        ("POINT_CLOUD", RangeFormat::PointCloud),
        ("COLOR_POINT_CLOUD", RangeFormat::ColorPointCloud),
    ] {
        let device = device("VisionSensor", &format!("type \"{word}\""));
        assert!(matches!(device.kind, DeviceKind::RangeCamera(RangeCamera { format: found, .. }) if found == format));
        assert!(device.enabled);
    }
    let camera =
        device_with_finding("VisionSensor", "type \"COLOUR\"", "warning[camera-format]: ROBOT > BASE > SENSOR: ", 1);
    assert!(matches!(camera.kind, DeviceKind::Camera(_)) && camera.enabled);
}

#[test]
fn an_invalid_image_size_keeps_the_default() {
    for (fields, code) in [
        ("width 0", "out-of-range"),
        ("height 1000000", "out-of-range"),
        ("fieldOfView 3.2", "out-of-range"),
        ("frameRate 0", "out-of-range"),
        ("backClipDistance 0.001", "empty-range"),
    ] {
        let start = format!("warning[{code}]: ROBOT > BASE > SENSOR: ");
        let DeviceKind::Camera(camera) = device_with_finding("VisionSensor", fields, &start, 1).kind else { panic!() };
        assert!(camera.view.width > 0 && camera.view.field_of_view < PI);
        assert!(camera.view.near_clip_distance < camera.view.far_clip_distance);
    }
}

#[test]
fn a_range_sensor_scans_a_plane_around_straight_ahead() {
    let sensor = device("RangeSensor", "scanAngle 2 scanStep 0.5 scanRate 40 maxDistance 5");
    let DeviceKind::RangeSensor(sensor) = sensor.kind else { panic!() };
    assert_all_close(&[sensor.yaw.min, sensor.yaw.max, sensor.yaw.step], [-1.0, 1.0, 0.5]);
    assert_eq!((sensor.samples(), sensor.pitch.samples()), (5, 1));
    // The smallest distance is one of the fields that the original adds.
    assert_all_close(&[sensor.min_distance, sensor.max_distance, sensor.scan_rate], [0.01, 5.0, 40.0]);
    let DeviceKind::RangeSensor(sensor) = device("RangeSensor", "scanAngle 0").kind else { panic!() };
    assert_eq!(sensor.samples(), 1);
}

#[test]
fn the_shape_of_a_sensor_is_shown_once_where_it_stands() {
    let shape = "RangeSensor { translation 0 0 1 children Shape { geometry Box { } } }";
    for around in [format!("children {shape}"), format!("children Segment {{ children {shape} }}")] {
        let body = clean_base(&around);
        assert_eq!(body.root().visual.len(), 1);
        assert_all_close(&(body.root().visual[0].transform * Point3::origin()).coords, [0.0, 0.0, 1.0]);
    }
}

/// Declarations of devices that are not in the manual.
const MORE: &str = "PROTO PressureSensor [ field SFFloat maxPressure -1 field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0 field SFInt32 sensorId -1 ] { }
PROTO SpotLightDevice [
  field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0 field SFBool on TRUE field SFColor color 1 1 1
  field SFFloat intensity 1 field SFVec3f direction 0 0 -1 field SFFloat beamWidth 1.5 field SFFloat cutOffAngle 0.7
  field SFVec3f attenuation 1 0 0 field SFInt32 deviceId 7
] { }
PROTO Plane [ field SFVec3f size 1 1 1 ] { Shape { geometry Box { size IS size } } }
";

#[test]
fn an_unknown_device_is_kept_as_data_with_a_warning() {
    let text = base("children\nDEF P PressureSensor { maxPressure 5 sensorId 2 translation 1 0 0 }");
    let (body, findings) = load_whole(&format!("{PROTOS}{MORE}{text}"));
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    assert!(findings[0].message.starts_with("ROBOT > BASE > P: unknown device `PressureSensor`"), "{}", findings[0]);
    let device = body.unwrap().devices.remove(0);
    assert_eq!((device.type_name(), device.id), ("PressureSensor", Some(2)));
    assert_eq!(device.property("maxPressure"), Some(&Property::Text("5".to_owned())));
}

#[test]
fn a_spot_light_is_a_device_too() {
    let text = base(
        "children DEF L SpotLightDevice { on FALSE color 1 0 0.5 intensity 2 direction 0 -2 0 beamWidth 0.5 cutOffAngle 0.6 cutOffExponent 3 attenuation 1 2 3 }",
    );
    let (body, findings) = load_whole(&format!("{PROTOS}{MORE}{text}"));
    assert!(findings.is_empty(), "{}", list(&findings));
    let device = body.unwrap().devices.remove(0);
    assert_eq!((device.id, device.enabled), (Some(7), false));
    let DeviceKind::SpotLight(light) = device.kind else { panic!() };
    assert_all_close(&light.color, [1.0, 0.0, 0.5]);
    assert_all_close(&*light.direction, [0.0, -1.0, 0.0]);
    let numbers = [light.intensity, light.beam_width, light.cut_off_angle, light.cut_off_exponent];
    assert_all_close(&numbers, [2.0, 0.5, 0.6, 3.0]);
    let fading = light.attenuation;
    assert_all_close(&[fading.constant, fading.linear, fading.quadratic], [1.0, 2.0, 3.0]);
}

#[test]
fn a_prototype_without_meaning_is_what_its_body_makes_of_it() {
    let text = base("children Segment { children Plane { size 2 2 2 } }");
    let (body, findings) = load_whole(&format!("{PROTOS}{MORE}{text}"));
    assert!(findings.is_empty(), "{}", list(&findings));
    let body = body.unwrap();
    assert_eq!((body.devices.len(), body.root().visual.len()), (0, 1));
}

#[test]
fn a_declaration_that_lacks_a_field_gives_a_warning() {
    let protos = without("  exposedField SFFloat scanRate 10\n");
    let (body, findings) = load_whole(&format!("{protos}{}", base("children RangeSensor { }")));
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    assert_eq!((findings[0].code, findings[0].severity.as_str()), ("missing-field", "warning"));
    let DeviceKind::RangeSensor(sensor) = body.unwrap().devices.remove(0).kind else { panic!() };
    assert_close(sensor.scan_rate, 10.0);
}
