//! Devices: every key of the manual and of the original is read, in SI units.

mod cameras;
mod equipment;
mod lights;
mod motion_sensors;
mod range_sensors;

use bunraku_body::{Body, Device, DeviceKind, Property};
use bunraku_document::{Diagnostic, Severity};
use bunraku_test_support::read_model;
use nalgebra::{UnitQuaternion, Vector3};

/// Line on which the keys of the device begin in [`model`].
const DEVICE_LINE: u32 = 7;

/// A model of format 1.0 with one device; `keys` are one per line.
fn model(unit: &str, word: &str, keys: &[&str]) -> String {
    let keys: String = keys.iter().map(|key| format!("        {key}\n")).collect();
    format!(
        "format: ChoreonoidBody\nformat_version: 1.0\nangle_unit: {unit}\nlinks:\n  - name: BASE\n    elements:\n      - type: {word}\n{keys}"
    )
}

fn read(unit: &str, word: &str, keys: &[&str]) -> (Option<Body>, Vec<Diagnostic>) {
    read_model(&model(unit, word, keys))
}

/// The device of a file in degrees, read without findings.
#[track_caller]
fn device(word: &str, keys: &[&str]) -> Device {
    clean("degree", word, keys)
}

#[track_caller]
fn clean(unit: &str, word: &str, keys: &[&str]) -> Device {
    let (body, findings) = read(unit, word, keys);
    assert!(findings.is_empty(), "{}", list(&findings));
    only(body.unwrap())
}

#[track_caller]
fn only(mut body: Body) -> Device {
    assert_eq!(body.devices.len(), 1);
    body.devices.remove(0)
}

/// Asserts that a device in a file in degrees has one finding, at a key (counted from 0) and column.
#[track_caller]
fn finding(word: &str, keys: &[&str], severity: Severity, code: &str, place: (u32, u32)) -> Option<Device> {
    let (body, findings) = read("degree", word, keys);
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    let finding = &findings[0];
    assert_eq!((finding.severity, finding.code), (severity, code), "{finding}");
    let found = finding.position().unwrap();
    assert_eq!((found.line, found.column), (DEVICE_LINE + 1 + place.0, place.1), "{finding}");
    assert_eq!(body.is_none(), severity == Severity::Error);
    body.map(only)
}

/// Extracts the data of a kind of device.
macro_rules! data {
    ($device:expr, $kind:ident) => {
        match $device.kind {
            bunraku_body::DeviceKind::$kind(data) => data,
            other => panic!("{other:?}"),
        }
    };
}
use data;

use crate::common::list;

fn vector(x: f64, y: f64, z: f64) -> Vector3<f64> {
    Vector3::new(x, y, z)
}

#[track_caller]
fn assert_same_rotation(found: UnitQuaternion<f64>, expected: UnitQuaternion<f64>) {
    assert!(found.angle_to(&expected) < 1e-7, "{found} {expected}");
}

#[test]
fn every_device_has_the_name_of_its_kind() {
    for (word, name) in [
        ("AccelerationSensor", "AccelerationSensor"),
        ("Attachment", "AttachmentDevice"),
        ("Conveyor", "Conveyor"),
        ("DigitalIO", "DigitalIoDevice"),
        ("ForceSensor", "ForceSensor"),
        ("Holder", "HolderDevice"),
        ("IMU", "Imu"),
        ("Imu", "Imu"),
        ("MarkerDevice", "MarkerDevice"),
        ("PointLight", "PointLight"),
        ("RateGyroSensor", "RateGyroSensor"),
        ("SpotLight", "SpotLight"),
        ("ZmpDevice", "ZmpDevice"),
    ] {
        let device = device(word, &["name: N", "id: 3", "on: true"]);
        assert_eq!((device.type_name(), device.name.as_str(), device.id), (name, "N", Some(3)));
        assert!(device.enabled && device.info.is_empty());
    }
    assert_eq!(device("RangeSensor", &["yaw_range: 0"]).type_name(), "RangeSensor");
    assert_eq!(device("ZmpDevice", &[]).kind, DeviceKind::Zmp);
}

#[test]
fn a_device_of_a_plugin_keeps_all_its_keys() {
    let keys = ["name: LiDAR", "scan_rate: 10", "samples: [ 1, 2 ]", "translation: [ 1, 0, 0 ]"];
    let (body, findings) = read("degree", "LivoxMid360", &keys);
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["unknown-device"]);
    let device = only(body.unwrap());
    assert_eq!((&device.kind, device.type_name()), (&DeviceKind::Other("LivoxMid360".to_owned()), "LivoxMid360"));
    assert_eq!(device.name, "LiDAR");
    let text = |text: &str| Property::Text(text.to_owned());
    let expected =
        vec![("scan_rate".to_owned(), text("10")), ("samples".to_owned(), Property::List(vec![text("1"), text("2")]))];
    assert_eq!(device.info, expected);
}

#[test]
fn an_unknown_key_is_kept_with_a_warning() {
    let sensor = finding("ForceSensor", &["filter: 5"], Severity::Warning, "unknown-key", (0, 9)).unwrap();
    assert_eq!(sensor.property("filter"), Some(&Property::Text("5".to_owned())));
}

#[test]
fn two_devices_of_a_kind_with_the_same_id_are_reported() {
    let model = |first: &str, second: &str, id: u32| {
        format!(
            "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - name: BASE\n    elements:\n      - {{ type: {first}, name: \
             LEFT, id: 0 }}\n      - {{ type: {second}, name: RIGHT, id: {id} }}\n"
        )
    };
    let (_, findings) = read_model(&model("ForceSensor", "ForceSensor", 0));
    let [finding] = &findings[..] else { panic!("{}", list(&findings)) };
    assert_eq!((finding.severity, finding.code), (Severity::Warning, "duplicate-device-id"));
    assert_eq!(finding.message, "`LEFT` and `RIGHT` are both ForceSensor number 0");
    for (first, second, id) in [("ForceSensor", "ForceSensor", 1), ("ForceSensor", "Imu", 0)] {
        let (_, findings) = read_model(&model(first, second, id));
        assert!(findings.is_empty(), "{}", list(&findings));
    }
}
