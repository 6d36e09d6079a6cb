//! Sensors, lights and other devices.
//!
//! A value that is impossible for any device (an image without pixels, a range that ends before it starts) is an error.
//! A value out of its range is only a warning, and the default is used.

mod equipment;
mod keys;
mod light;
mod motion_sensor;
mod range_sensor;
mod vision;

use bunraku_document::{Diagnostic, Mapping, closest};
use nalgebra::Affine3;

use super::pose::AngleUnit;
use super::property::read_property;
use crate::{Device, DeviceKind, LinkIndex};
use keys::Keys;

/// Values of `type` that denote devices. The manual has `Imu`, real files `IMU`.
const WORDS: &[&str] = &[
    "AccelerationSensor",
    "Attachment",
    "Camera",
    "CameraDevice",
    "Conveyor",
    "DigitalIO",
    "ForceSensor",
    "Holder",
    "IMU",
    "Imu",
    "MarkerDevice",
    "PointLight",
    "RangeSensor",
    "RateGyroSensor",
    "SpotLight",
    "ZmpDevice",
];

/// Node types other than devices, for "did you mean".
const OTHER_NODES: &[&str] = &["Collision", "Group", "Resource", "RigidBody", "Shape", "Skip", "Transform", "Visual"];

/// Keys common to all nodes, which are read elsewhere.
const NODE_KEYS: &[&str] = &[
    "elements",
    "isOptional",
    "is_meta_scene",
    "is_optional",
    "rotation",
    "scale",
    "scaleOrientation",
    "scale_orientation",
    "translation",
    "type",
];

/// Reads a device in the frame `transform`. An unknown type is kept as a device, with a warning, because plugins of the
/// original define their own. `budget` is the number of values that may still be stored.
pub(super) fn read_device(
    word: &str,
    mut mapping: Mapping<'_, '_>,
    transform: Affine3<f64>,
    unit: AngleUnit,
    budget: &mut usize,
) -> Option<Device> {
    mapping.forgive();
    mapping.accept(NODE_KEYS);
    let name = mapping.text(&["name"]).unwrap_or_default().to_owned();
    let id = mapping.integer(&["id"]).and_then(|id| usize::try_from(id).ok());
    let enabled = mapping.bool(&["on"]);
    let kind = read_kind(word, &Keys { mapping: &mapping, unit }, budget)?;
    let unread = mapping.unread().into_iter();
    let info =
        unread.map(|(key, _, value)| (key.to_owned(), read_property(value, mapping.reporter(), budget, 1))).collect();
    if !matches!(kind, DeviceKind::Other(_)) {
        mapping.finish();
    }
    Some(Device {
        name,
        id,
        link: LinkIndex::ROOT,
        transform,
        enabled: enabled.unwrap_or_else(|| kind.is_on_by_default()),
        kind,
        info,
    })
}

/// Reads the data of a kind; `None`, after a report, if the device is invalid.
fn read_kind(word: &str, keys: &Keys<'_, '_, '_>, budget: &mut usize) -> Option<DeviceKind> {
    let kind = match word {
        "AccelerationSensor" => DeviceKind::AccelerationSensor(motion_sensor::read_acceleration_sensor(keys)),
        "RateGyroSensor" => DeviceKind::RateGyroSensor(motion_sensor::read_rate_gyro_sensor(keys)),
        "IMU" | "Imu" => DeviceKind::Imu(motion_sensor::read_imu(keys)),
        "ForceSensor" => DeviceKind::ForceSensor(motion_sensor::read_force_sensor(keys)),
        "Camera" | "CameraDevice" => vision::read_camera(keys)?,
        "RangeSensor" => DeviceKind::RangeSensor(range_sensor::read_range_sensor(keys)),
        "PointLight" => DeviceKind::PointLight(light::read_point_light(keys)),
        "SpotLight" => DeviceKind::SpotLight(light::read_spot_light(keys)),
        "Holder" => DeviceKind::Holder(equipment::read_holder(keys, budget)),
        "Attachment" => DeviceKind::Attachment(equipment::read_attachment(keys)),
        "Conveyor" => DeviceKind::Conveyor(equipment::read_conveyor(keys)),
        "DigitalIO" => DeviceKind::DigitalIo(equipment::read_digital_io(keys, budget)),
        "MarkerDevice" => DeviceKind::Marker(equipment::read_marker(keys)),
        "ZmpDevice" => DeviceKind::Zmp,
        _ => return read_unknown(word, keys.mapping),
    };
    Some(kind)
}

fn read_unknown(word: &str, mapping: &Mapping<'_, '_>) -> Option<DeviceKind> {
    if mapping.bool(&["is_optional", "isOptional"]) == Some(true) {
        let message = format!("the optional device `{word}` is unknown and left out");
        mapping
            .reporter()
            .report(mapping.node().note("optional-device", message).help("`is_optional` says that this is meant"));
        return None;
    }
    let node = mapping.get(&["type"]).unwrap_or_else(|| mapping.node());
    let diagnostic = Diagnostic::warning(
        "unknown-device",
        format!("unknown device `{word}`: its data is kept, but it is not simulated"),
    )
    .at(node.source(), node.span());
    let known = WORDS.iter().chain(OTHER_NODES).copied();
    mapping.reporter().report(match closest(word, known) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic.help(format!("the devices are {}", WORDS.join(", "))),
    });
    Some(DeviceKind::Other(word.to_owned()))
}
