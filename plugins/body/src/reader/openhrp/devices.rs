//! Sensors and lights.
//!
//! A value that is impossible for any device gives a warning and is replaced by the default of the device.

use std::f64::consts::{FRAC_PI_2, PI};

use bunraku_document::{Diagnostic, closest};
use bunraku_mesh::vrml::Value;
use nalgebra::{Affine3, Unit, Vector3};

use super::fields::Fields;
use super::place::shortened;
use crate::{
    AccelerationSensor, Attenuation, Camera, CameraView, Device, DeviceKind, ForceSensor, LensType, LinkIndex,
    MAX_RAYS, Property, RangeCamera, RangeFormat, RangeSensor, RateGyroSensor, ScanAngles, SpotLight,
};

/// Node types that define devices. The title of the manual's section on `Gyro` is `GyroSensor`.
const TYPES: &[&str] = &[
    "AccelerationSensor",
    "ForceSensor",
    "Gyro",
    "GyroSensor",
    "PressureSensor",
    "RangeSensor",
    "SpotLightDevice",
    "VisionSensor",
];

/// Maximum length of a side of an image, pixels: the limit of common graphics cards.
const LONGEST_SIDE: i32 = 16_384;
/// Maximum length of a stored text of an unknown device, characters.
const LONGEST_TEXT: usize = 1_000;

/// Fields with the same meaning for all unknown devices.
const COMMON_FIELDS: &[&str] = &["children", "deviceId", "on", "rotation", "sensorId", "translation"];

/// Whether a node defines a device: it has a known type, or the ID of a sensor.
pub(super) fn is_device(fields: Fields<'_>) -> bool {
    TYPES.contains(&fields.place.node.type_name()) || fields.field("sensorId").is_some()
}

/// Reads a device; `transform` is the frame of its node. The caller sets its name and link. `budget` is the number of
/// values that may still be stored.
pub(super) fn read_device(fields: Fields<'_>, transform: &Affine3<f64>, budget: &mut usize) -> Device {
    let mut enabled = fields.flag("on").unwrap_or(true);
    let word = fields.place.node.type_name();
    let kind = match word {
        "AccelerationSensor" => DeviceKind::AccelerationSensor(AccelerationSensor {
            // The original looks for this limit in another field, where it does not exist.
            max_acceleration: limits(fields, "maxAcceleration"),
        }),
        "Gyro" | "GyroSensor" => {
            DeviceKind::RateGyroSensor(RateGyroSensor { max_angular_velocity: limits(fields, "maxAngularVelocity") })
        }
        "ForceSensor" => DeviceKind::ForceSensor(ForceSensor {
            max_force: limits(fields, "maxForce"),
            max_torque: limits(fields, "maxTorque"),
        }),
        "VisionSensor" => read_camera(fields, &mut enabled),
        "RangeSensor" => DeviceKind::RangeSensor(read_range_sensor(fields)),
        "SpotLightDevice" => DeviceKind::SpotLight(read_spot_light(fields)),
        _ => DeviceKind::Other(word.to_owned()),
    };
    let mut info = Vec::new();
    if matches!(kind, DeviceKind::Other(_)) {
        let message = format!("unknown device `{}`: its data is kept, but it is not simulated", shortened(word));
        let warning = Diagnostic::warning("unknown-device", message);
        let warning = match closest(&shortened(word), TYPES.iter().copied().filter(|&known| known != word)) {
            Some(meant) if !TYPES.contains(&word) => warning.help(format!("did you mean `{meant}`?")),
            _ => warning.help(format!("the devices that are simulated are {}", TYPES.join(", "))),
        };
        fields.findings.report(fields.place, fields.place.node.location(), warning);
        info = properties(fields, budget);
    } else {
        fields.expect(&["translation", "rotation"]);
    }
    let id = if fields.field("deviceId").is_some() { fields.integer("deviceId") } else { fields.integer("sensorId") };
    let pose: Affine3<f64> = nalgebra::convert(fields.pose());
    Device {
        name: String::new(),
        id: id.and_then(|id| usize::try_from(id).ok()),
        link: LinkIndex::ROOT,
        transform: transform * pose,
        enabled,
        kind,
        info,
    }
}

/// Limits of a measurement along three axes; -1 is unlimited in the manual.
fn limits(fields: Fields<'_>, name: &str) -> Option<Vector3<f64>> {
    let limits = fields.vector(name)?;
    if limits.iter().all(|&limit| limit >= 0.0) {
        return Some(limits);
    }
    if limits != Vector3::repeat(-1.0) {
        let message = format!("`{name}` is negative, which no limit can be: it is read as unlimited");
        fields.warning(name, "out-of-range", message, "write -1 -1 -1 for no limits");
    }
    None
}

/// A number within limits; otherwise `None`, after a report.
fn number(fields: Fields<'_>, name: &str, accepts: impl Fn(f64) -> bool, rule: &str) -> Option<f64> {
    let number = fields.number(name)?;
    if accepts(number) {
        return Some(number);
    }
    let message = format!("`{name}` is {number}, but must be {rule}");
    fields.report(name, Diagnostic::warning("out-of-range", message).help("it is ignored"));
    None
}

fn positive(fields: Fields<'_>, name: &str) -> Option<f64> {
    number(fields, name, |number| number > 0.0, "greater than 0")
}

fn not_negative(fields: Fields<'_>, name: &str) -> Option<f64> {
    number(fields, name, |number| number >= 0.0, "at least 0")
}

/// Two numbers of which the first must be less; otherwise both defaults are used.
fn ordered(fields: Fields<'_>, names: [&str; 2], found: [Option<f64>; 2], defaults: [f64; 2]) -> [f64; 2] {
    let numbers = [found[0].unwrap_or(defaults[0]), found[1].unwrap_or(defaults[1])];
    if numbers[0] < numbers[1] {
        return numbers;
    }
    let message = format!("`{}`, {}, must be greater than `{}`, {}", names[1], numbers[1], names[0], numbers[0]);
    fields.report(names[1], Diagnostic::warning("empty-range", message).help("both are ignored"));
    defaults
}

/// Data recorded by a camera: `NONE`, colours, distances or both. A camera that records nothing exists, but is off.
fn read_camera(fields: Fields<'_>, enabled: &mut bool) -> DeviceKind {
    /// The newer types are the original's, those with `MONO` OpenHRP3's.
    const WORDS: &[&str] = &["NONE", "COLOR", "DEPTH", "COLOR_DEPTH", "POINT_CLOUD", "COLOR_POINT_CLOUD"];
    fields.expect(&["type", "width", "height", "fieldOfView", "frontClipDistance", "backClipDistance"]);
    let view = read_view(fields);
    let word = fields.text("type").unwrap_or_else(|| "NONE".into());
    let range = |format| DeviceKind::RangeCamera(RangeCamera { view: view.clone(), ..RangeCamera::new(format) });
    let color = || DeviceKind::Camera(Camera { view: view.clone(), lens: LensType::Normal });
    match &*word {
        "COLOR" | "MONO" => color(),
        "DEPTH" => range(RangeFormat::Depth),
        "COLOR_DEPTH" | "MONO_DEPTH" => range(RangeFormat::ColorDepth),
        "POINT_CLOUD" => range(RangeFormat::PointCloud),
        "COLOR_POINT_CLOUD" => range(RangeFormat::ColorPointCloud),
        "NONE" => {
            *enabled = false;
            color()
        }
        _ => {
            let message = format!("`{}` is no `type` of a camera; it takes colour pictures", shortened(&word));
            let warning = Diagnostic::warning("camera-format", message);
            fields.report(
                "type",
                match closest(&shortened(&word), WORDS.iter().copied()) {
                    Some(meant) => warning.help(format!("did you mean `{meant}`?")),
                    None => warning.help(format!("the types are {}", WORDS.join(", "))),
                },
            );
            color()
        }
    }
}

fn read_view(fields: Fields<'_>) -> CameraView {
    // The manual's values, which differ from those of `.body` files. A field of view of 45° is the same in both.
    let default = CameraView {
        width: 320,
        height: 240,
        near_clip_distance: 0.01,
        far_clip_distance: 10.0,
        ..CameraView::default()
    };
    const CLIP: [&str; 2] = ["frontClipDistance", "backClipDistance"];
    let clip = CLIP.map(|name| positive(fields, name));
    let [near_clip_distance, far_clip_distance] =
        ordered(fields, CLIP, clip, [default.near_clip_distance, default.far_clip_distance]);
    let angle =
        number(fields, "fieldOfView", |angle| 0.0 < angle && angle < PI, "greater than 0 and less than a half turn");
    CameraView {
        width: read_side(fields, "width").unwrap_or(default.width),
        height: read_side(fields, "height").unwrap_or(default.height),
        field_of_view: angle.unwrap_or(default.field_of_view),
        near_clip_distance,
        far_clip_distance,
        frame_rate: positive(fields, "frameRate").unwrap_or(default.frame_rate),
        ..default
    }
}

fn read_side(fields: Fields<'_>, name: &str) -> Option<u32> {
    let side = fields.integer(name)?;
    if !(1..=LONGEST_SIDE).contains(&side) {
        let message = format!("the {name} of a picture must be from 1 to {LONGEST_SIDE} pixels, not {side}");
        fields.report(name, Diagnostic::warning("out-of-range", message).help("it is ignored"));
        return None;
    }
    u32::try_from(side).ok()
}

/// Reads one plane of rays around straight ahead. As in the original, the first ray is at one end of the range; the
/// manual counts the steps from the middle. This differs only if the range is not an even multiple of the step.
fn read_range_sensor(fields: Fields<'_>) -> RangeSensor {
    fields.expect(&["scanAngle", "scanStep", "scanRate", "maxDistance"]);
    // The manual's values and the original's smallest distance, for fields that are missing in node and declaration, or
    // invalid.
    let default = RangeSensor { min_distance: 0.01, max_distance: 10.0, ..RangeSensor::default() };
    let range = not_negative(fields, "scanAngle").unwrap_or(PI);
    let step = not_negative(fields, "scanStep").unwrap_or(0.1);
    const DISTANCES: [&str; 2] = ["minDistance", "maxDistance"];
    let distances = [not_negative(fields, DISTANCES[0]), positive(fields, DISTANCES[1])];
    let [min_distance, max_distance] =
        ordered(fields, DISTANCES, distances, [default.min_distance, default.max_distance]);
    let sensor = RangeSensor {
        yaw: ScanAngles::centered(range, step),
        min_distance,
        max_distance,
        scan_rate: positive(fields, "scanRate").unwrap_or(default.scan_rate),
        ..default
    };
    if sensor.samples() > MAX_RAYS {
        let message = format!("a scan of more than {MAX_RAYS} rays");
        fields.error("scanStep", "limit-rays", message, "make the step larger");
    }
    sensor
}

fn read_spot_light(fields: Fields<'_>) -> SpotLight {
    let default = SpotLight::default();
    let angle = |name| number(fields, name, |angle| (0.0..=PI).contains(&angle), "from 0 to a half turn");
    let color = fields.color("color").map(|color| {
        let cut = color.map(|part| part.clamp(0.0, 1.0));
        if cut != color {
            let message = "the parts of a colour must be from 0 to 1: values beyond are clamped";
            fields.warning("color", "out-of-range", message, "write three numbers from 0 to 1");
        }
        cut
    });
    SpotLight {
        color: color.unwrap_or(default.color),
        intensity: not_negative(fields, "intensity").unwrap_or(default.intensity),
        attenuation: read_attenuation(fields).unwrap_or(default.attenuation),
        direction: read_direction(fields).unwrap_or(default.direction),
        beam_width: angle("beamWidth").unwrap_or(FRAC_PI_2),
        cut_off_angle: angle("cutOffAngle").unwrap_or(default.cut_off_angle),
        cut_off_exponent: not_negative(fields, "cutOffExponent").unwrap_or(default.cut_off_exponent),
    }
}

fn read_attenuation(fields: Fields<'_>) -> Option<Attenuation> {
    let parts = fields.vector("attenuation")?;
    if parts.min() < 0.0 || parts == Vector3::zeros() {
        let message = "an attenuation has no negative part, and not only zeros: it is ignored";
        fields.warning("attenuation", "out-of-range", message, "write 1 0 0 for none");
        return None;
    }
    Some(Attenuation { constant: parts.x, linear: parts.y, quadratic: parts.z })
}

fn read_direction(fields: Fields<'_>) -> Option<Unit<Vector3<f64>>> {
    let direction = fields.vector("direction")?;
    let unit = bunraku_mesh::unit_vector(direction, 1e-6);
    if unit.is_none() {
        fields.error("direction", "zero-axis", "a direction cannot be zero", "write a vector such as 0 0 -1");
    }
    unit
}

/// Fields of an unknown device as texts and lists.
fn properties(fields: Fields<'_>, budget: &mut usize) -> Vec<(String, Property)> {
    let mut kept = Vec::new();
    for field in fields.place.node.fields().filter(|field| !COMMON_FIELDS.contains(&field.name)) {
        let Some(texts) = texts(field.value) else { continue };
        let texts: Vec<_> = texts.take(*budget).map(|text| Property::Text(cut(text))).collect();
        *budget = budget.saturating_sub(texts.len().max(1));
        if *budget == 0 {
            let error = Diagnostic::error("limit-properties", "unknown devices hold too many values");
            fields.report(field.name, error.help("remove what no program reads"));
            break;
        }
        let is_list = !matches!(
            field.value,
            Value::SFBool(_) | Value::SFFloat(_) | Value::SFInt32(_) | Value::SFString(_) | Value::SFTime(_)
        );
        let property = if is_list { Some(Property::List(texts)) } else { texts.into_iter().next() };
        kept.extend(property.map(|property| (cut(field.name.to_owned()), property)));
    }
    kept
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

/// Texts of the components of a value; `None` for nodes and images.
fn texts(value: &Value) -> Option<Box<dyn Iterator<Item = String> + '_>> {
    fn all<T: ToString>(items: &[T]) -> Option<Box<dyn Iterator<Item = String> + '_>> {
        Some(Box::new(items.iter().map(T::to_string)))
    }
    match value {
        Value::SFBool(flag) => all(std::slice::from_ref(flag)),
        Value::SFFloat(number) | Value::SFTime(number) => all(std::slice::from_ref(number)),
        Value::SFInt32(number) => all(std::slice::from_ref(number)),
        Value::SFString(word) => all(std::slice::from_ref(word)),
        Value::SFVec2f(numbers) => all(numbers),
        Value::SFVec3f(numbers) | Value::SFColor(numbers) => all(numbers),
        Value::SFRotation(numbers) => all(numbers),
        Value::MFFloat(numbers) => all(numbers),
        Value::MFInt32(numbers) => all(numbers),
        Value::MFString(words) => all(words),
        _ => None,
    }
}
