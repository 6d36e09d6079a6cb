//! Sensors that a scene adds to its bodies: kinds that model files do not have.

use std::sync::Arc;

use bunraku_body::{Device, DeviceKind, JointIndex, JointKind, LinkIndex};
use bunraku_document::{Mapping, Value, closest};
use bunraku_physics::JointEnd;
use bunraku_sensors::{Channel, Encoder, Environment, SampleRate, Sensor, SensorKind, ValuesKind};
use nalgebra::{Isometry3, Vector3};

use super::allowed::{self, Allowed};
use super::body_entry::read_root_pose;
use super::context::SceneContext;
use super::extra_joints::read_end;
use super::model::SceneBody;
use super::sensor_errors::{self, ErrorKeys};
use super::words::read_word;

/// A sensor that a scene adds.
#[derive(Clone, Debug)]
pub(super) struct AddedSensor {
    /// Index of the body.
    pub body: usize,
    /// The sensor; its device is the last of the body.
    pub sensor: Sensor,
}

/// The words for kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Encoder,
    Magnetometer,
    Gnss,
    Barometer,
    Touch,
}

/// Allowed numbers of keys.
const RANGES: [(&str, Allowed); 5] = [
    ("filter", Allowed::Positive),
    ("resolution", Allowed::NotNegative),
    ("backlash", Allowed::NotNegative),
    ("noise", Allowed::NotNegative),
    ("threshold", Allowed::NotNegative),
];

/// Reads the place of the world on the earth.
pub(super) fn read_environment(value: Value<'_>, context: &SceneContext<'_>) -> Environment {
    let default = Environment::default();
    let Some(mapping) = Mapping::new(value, "`environment`", context.reporter) else { return default };
    let angle = |key: &'static str, limit: f64, default: f64| {
        let Some(degrees) = mapping.number(&[key]) else { return default };
        if degrees.abs() > limit
            && let Some(value) = mapping.get(&[key])
        {
            let message = format!("a {key} of {degrees}° does not exist: it is between -{limit} and {limit}");
            context.reporter.report(value.error("out-of-range", message));
        }
        degrees.to_radians()
    };
    let environment = Environment {
        latitude: angle("latitude", 90.0, default.latitude),
        longitude: angle("longitude", 180.0, default.longitude),
        altitude: mapping.number(&["altitude"]).unwrap_or(default.altitude),
        magnetic_field: mapping.array::<3>(&["magnetic_field"]).map_or(default.magnetic_field, Vector3::from),
    };
    mapping.finish();
    environment
}

/// Reads the list `add`, and adds a device for each sensor to the model of its body.
pub(super) fn read(
    value: Value<'_>,
    environment: &Environment,
    bodies: &mut [SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Vec<AddedSensor> {
    let Some(items) = value.items() else {
        context.reporter.report(value.expected("a list of sensors"));
        return Vec::new();
    };
    items.filter_map(|item| read_one(item, environment, bodies, bodies_are_complete, context)).collect()
}

fn read_one(
    value: Value<'_>,
    environment: &Environment,
    bodies: &mut [SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Option<AddedSensor> {
    const WORDS: [(&str, Word); 5] = [
        ("encoder", Word::Encoder),
        ("magnetometer", Word::Magnetometer),
        ("gnss", Word::Gnss),
        ("barometer", Word::Barometer),
        ("touch", Word::Touch),
    ];
    let reporter = context.reporter;
    let mapping = Mapping::new(value, "an added sensor", reporter)?;
    let word = mapping.required(&["type"]).and_then(|value| reporter.keep(read_word(value, "a sensor", &WORDS)));
    let word = word?;
    let name = mapping.required(&["name"]).and_then(|value| reporter.keep(value.as_text()));
    let place = read_place(word, &mapping, bodies, bodies_are_complete, context);
    let pose = read_root_pose(&mapping, &Isometry3::identity());
    for (key, numbers) in RANGES {
        allowed::check(&mapping, key, numbers);
    }
    let (kind, values) = read_kind(word, place.and_then(|(.., joint)| joint), environment, &mapping);
    let rate = read_rate(&mapping, "rate").unwrap_or(SampleRate::EveryStep);
    let latency = read_latency(&mapping);
    let enabled = mapping.bool(&["on"]).unwrap_or(true);
    mapping.finish();
    let ((body, link, _), name) = (place?, name?);
    let device = Device {
        name: name.to_owned(),
        id: None,
        link,
        transform: nalgebra::convert(pose),
        enabled,
        kind: DeviceKind::Other(values.device_type().to_owned()),
        info: Vec::new(),
    };
    #[expect(clippy::indexing_slicing, reason = "a place is on one of `bodies`")]
    let model = Arc::make_mut(&mut bodies[body].body);
    let index = model.devices.len();
    let sensor = Sensor::added(index, &device, rate, kind);
    model.devices.push(device);
    match sensor {
        Ok(sensor) => Some(AddedSensor { body, sensor: Sensor { latency, ..sensor } }),
        Err(error) => {
            reporter.report(value.error("impossible-sensor", format!("`{name}` measures nothing: {error}")));
            None
        }
    }
}

/// The kind of a sensor, with its errors. An encoder is at `joint`: its index, and whether it slides.
fn read_kind(
    word: Word,
    joint: Option<(JointIndex, bool)>,
    environment: &Environment,
    mapping: &Mapping<'_, '_>,
) -> (SensorKind, ValuesKind) {
    let environment = *environment;
    let cut_off = mapping.number(&["filter"]);
    let channel = |keys: ErrorKeys| Channel { limit: None, error: sensor_errors::read(mapping, keys), cut_off };
    match word {
        Word::Encoder => {
            let (joint, is_linear) = joint.unwrap_or((JointIndex(0), false));
            // Angles in scenes are in degrees.
            let unit = if is_linear { 1.0 } else { 1_f64.to_radians() };
            let number = |key: &'static str| mapping.number(&[key]).unwrap_or(0.0) * unit;
            let (resolution, backlash) = (number("resolution"), number("backlash"));
            let encoder = Encoder { joint, resolution, backlash, bias: number("bias"), noise: number("noise") };
            let values = if is_linear { ValuesKind::LinearEncoder } else { ValuesKind::Encoder };
            (SensorKind::Encoder(encoder, values), values)
        }
        Word::Magnetometer => {
            let field = channel(sensor_errors::FIELD);
            (SensorKind::Magnetometer { environment, field }, ValuesKind::Magnetometer)
        }
        Word::Gnss => {
            let (position, velocity) = (channel(sensor_errors::POSITION), channel(sensor_errors::VELOCITY));
            (SensorKind::Gnss { environment, position, velocity }, ValuesKind::Gnss)
        }
        Word::Barometer => {
            let pressure = channel(sensor_errors::PRESSURE);
            (SensorKind::Barometer { environment, pressure }, ValuesKind::Barometer)
        }
        Word::Touch => {
            let threshold = mapping.number(&["threshold"]).unwrap_or(0.0);
            let force = channel(sensor_errors::FORCE);
            (SensorKind::Touch { threshold, force }, ValuesKind::TouchSensor)
        }
    }
}

/// A rate, Hz.
pub(super) fn read_rate(mapping: &Mapping<'_, '_>, key: &'static str) -> Option<SampleRate> {
    let hertz = mapping.number(&[key])?;
    let rate = SampleRate::of_file(hertz);
    if let (None, Some(value)) = (rate, mapping.get(&[key])) {
        let message = format!("a rate of {hertz} Hz is impossible: it must be above 0");
        mapping.reporter().report(value.error("out-of-range", message));
    }
    rate
}

/// A latency, s; 0 if it is absent.
pub(super) fn read_latency(mapping: &Mapping<'_, '_>) -> f64 {
    let latency = mapping.number(&["latency"]).unwrap_or(0.0);
    if let (true, Some(value)) = (latency < 0.0, mapping.get(&["latency"])) {
        mapping.reporter().report(value.error("out-of-range", "a latency is not negative"));
    }
    latency.max(0.0)
}

/// Body, link, and of an encoder the joint and whether it slides.
type Place = (usize, LinkIndex, Option<(JointIndex, bool)>);

/// Where a sensor is: an encoder at a joint, every other one on a link.
fn read_place(
    word: Word,
    mapping: &Mapping<'_, '_>,
    bodies: &[SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Option<Place> {
    if word == Word::Encoder {
        return find_joint(mapping.required(&["joint"])?, bodies, bodies_are_complete, context);
    }
    let link = mapping.required(&["link"])?;
    match read_end(link, bodies, bodies_are_complete, context)? {
        JointEnd::Link { body, link } => Some((body, link, None)),
        JointEnd::World => {
            context.reporter.report(link.error("bad-link", "a sensor is on a link of a body, not on the world"));
            None
        }
    }
}

/// A joint `body/joint`: the body, the link that it moves, and the joint with whether it slides.
fn find_joint(
    value: Value<'_>,
    bodies: &[SceneBody],
    bodies_are_complete: bool,
    context: &SceneContext<'_>,
) -> Option<Place> {
    let reporter = context.reporter;
    let text = reporter.keep(value.as_text())?;
    let Some((name, joint)) = text.split_once('/') else {
        reporter.report(value.expected("a joint as `body/joint`"));
        return None;
    };
    let Some((body, SceneBody { body: model, .. })) = bodies.iter().enumerate().find(|(_, body)| body.name == name)
    else {
        if bodies_are_complete {
            reporter.report(value.error("unknown-body", format!("the scene has no body `{name}`")));
        }
        return None;
    };
    let Some(index) = model.find_joint(joint) else {
        let diagnostic = value.error("unknown-joint", format!("`{name}` has no joint `{joint}`"));
        let known: Vec<&str> = (0..model.num_joints()).map(|index| model.joint_name(JointIndex(index))).collect();
        reporter.report(match closest(joint, known.iter().copied()) {
            Some(meant) => diagnostic.help(format!("did you mean `{name}/{meant}`?")),
            None => diagnostic.help(format!("its joints are {}", known.join(", "))),
        });
        return None;
    };
    let is_linear = model.joint(index).is_some_and(|joint| joint.kind == JointKind::Prismatic);
    Some((body, model.joint_link(index)?, Some((index, is_linear))))
}
