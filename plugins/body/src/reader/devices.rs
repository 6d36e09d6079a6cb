//! Sensors, lights and other devices, kept as data.

use bunraku_document::{Diagnostic, Mapping, Reporter, Value, ValueKind, closest};
use nalgebra::Affine3;

use crate::{Device, DeviceKind, LinkIndex, Property, RangeCamera, RangeFormat};

/// Words after `type` and the kind of device they make. The manual writes `Imu`, real files `IMU`.
const KINDS: &[(&str, &str)] = &[
    ("AccelerationSensor", "AccelerationSensor"),
    ("Attachment", "AttachmentDevice"),
    ("Camera", "Camera"),
    ("CameraDevice", "Camera"),
    ("Conveyor", "Conveyor"),
    ("DigitalIO", "DigitalIoDevice"),
    ("ForceSensor", "ForceSensor"),
    ("Holder", "HolderDevice"),
    ("IMU", "Imu"),
    ("Imu", "Imu"),
    ("MarkerDevice", "MarkerDevice"),
    ("PointLight", "PointLight"),
    ("RangeSensor", "RangeSensor"),
    ("RateGyroSensor", "RateGyroSensor"),
    ("SpotLight", "SpotLight"),
    ("ZmpDevice", "ZmpDevice"),
];

/// Node types that are no devices, for "did you mean".
const OTHER_NODES: &[&str] = &["Collision", "Group", "Resource", "RigidBody", "Shape", "Skip", "Transform", "Visual"];

/// Keys common to all devices; the others are kept as they are.
const COMMON_KEYS: &[&str] =
    &["elements", "id", "is_optional", "isOptional", "name", "on", "rotation", "scale", "translation", "type"];

/// Aliases of aliases can make a short text endless when it is copied; real devices have some dozen values.
/// Counted over the whole model, because a device may be an alias too.
pub(super) const MOST_PROPERTIES: usize = 100_000;
/// Aliases of aliases can also nest deeper than a text can; real devices nest 2 deep.
const DEEPEST_PROPERTY: usize = 64;

/// A device in the frame `transform`. A word nobody knows is kept as a device too, with a warning: plugins of the
/// original bring their own. `budget` is how many values may still be kept.
pub(super) fn read_device(
    word: &str,
    mapping: &Mapping<'_, '_>,
    transform: Affine3<f64>,
    budget: &mut usize,
) -> Option<Device> {
    let kind = match KINDS.iter().find(|(name, _)| *name == word) {
        Some(("Camera" | "CameraDevice", _)) => camera_kind(mapping)?,
        Some((_, kind)) => (*kind).to_owned(),
        None if mapping.bool(&["is_optional", "isOptional"]) == Some(true) => {
            let message = format!("the optional device `{word}` is unknown and left out");
            mapping.reporter().report(mapping.node().note("optional-device", message));
            return None;
        }
        None => {
            warn_of_unknown(word, mapping);
            word.to_owned()
        }
    };
    let properties = mapping.node().entries().into_iter().flatten().filter(|(key, ..)| !COMMON_KEYS.contains(key));
    Some(Device {
        kind: kind_of(&kind),
        name: mapping.text(&["name"]).unwrap_or_default().to_owned(),
        id: mapping.integer(&["id"]).and_then(|id| usize::try_from(id).ok()),
        link: LinkIndex::ROOT,
        transform,
        enabled: mapping.bool(&["on"]).unwrap_or(true),
        info: properties
            .map(|(key, _, value)| (key.to_owned(), property(value, mapping.reporter(), budget, 1)))
            .collect(),
    })
}

fn camera_kind(mapping: &Mapping<'_, '_>) -> Option<String> {
    let format = mapping.get(&["format"]);
    match format.and_then(Value::text) {
        Some("COLOR") => Some("Camera".to_owned()),
        Some("DEPTH" | "COLOR_DEPTH" | "POINT_CLOUD" | "COLOR_POINT_CLOUD") => Some("RangeCamera".to_owned()),
        _ => {
            let node = format.unwrap_or_else(|| mapping.node());
            let message = "a camera without a known `format` records nothing: it is left out";
            let help = "the formats are COLOR, DEPTH, COLOR_DEPTH, POINT_CLOUD and COLOR_POINT_CLOUD";
            mapping.reporter().report(node.warning("camera-format", message).help(help));
            None
        }
    }
}

fn warn_of_unknown(word: &str, mapping: &Mapping<'_, '_>) {
    let node = mapping.get(&["type"]).unwrap_or_else(|| mapping.node());
    let diagnostic = Diagnostic::warning(
        "unknown-device",
        format!("unknown device `{word}`: its data is kept, but nothing simulates it"),
    )
    .at(node.source(), node.span());
    let known = KINDS.iter().map(|(name, _)| *name).chain(OTHER_NODES.iter().copied());
    mapping.reporter().report(match closest(word, known) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    });
}

fn property(value: Value<'_>, reporter: &Reporter, budget: &mut usize, depth: usize) -> Property {
    if *budget == 0 {
        return Property::Text(String::new());
    }
    *budget -= 1;
    if *budget == 0 || depth > DEEPEST_PROPERTY {
        let message = format!(
            "the devices hold more than {MOST_PROPERTIES} values, or more than {DEEPEST_PROPERTY} inside each other"
        );
        reporter.report(value.error("limit-properties", message));
        *budget = 0;
        return Property::Text(String::new());
    }
    match value.kind() {
        ValueKind::Null => Property::Text(String::new()),
        ValueKind::Scalar => Property::Text(value.text().unwrap_or_default().to_owned()),
        ValueKind::Sequence => Property::List(
            value.items().into_iter().flatten().map(|item| property(item, reporter, budget, depth + 1)).collect(),
        ),
        ValueKind::Mapping => {
            let entries = value.entries().into_iter().flatten();
            Property::Mapping(
                entries.map(|(key, _, value)| (key.to_owned(), property(value, reporter, budget, depth + 1))).collect(),
            )
        }
    }
}

fn kind_of(word: &str) -> DeviceKind {
    match word {
        "AccelerationSensor" => DeviceKind::AccelerationSensor(Default::default()),
        "RateGyroSensor" => DeviceKind::RateGyroSensor(Default::default()),
        "Imu" => DeviceKind::Imu(Default::default()),
        "ForceSensor" => DeviceKind::ForceSensor(Default::default()),
        "Camera" => DeviceKind::Camera(Default::default()),
        "RangeCamera" => DeviceKind::RangeCamera(RangeCamera::new(RangeFormat::Depth)),
        "RangeSensor" => DeviceKind::RangeSensor(Default::default()),
        "PointLight" => DeviceKind::PointLight(Default::default()),
        "SpotLight" => DeviceKind::SpotLight(Default::default()),
        "HolderDevice" => DeviceKind::Holder(Default::default()),
        "AttachmentDevice" => DeviceKind::Attachment(Default::default()),
        "Conveyor" => DeviceKind::Conveyor(Default::default()),
        "DigitalIoDevice" => DeviceKind::DigitalIo(Default::default()),
        "MarkerDevice" => DeviceKind::Marker(Default::default()),
        "ZmpDevice" => DeviceKind::Zmp,
        word => DeviceKind::Other(word.to_owned()),
    }
}
