//! The joint keys of a link.

use std::ops::RangeInclusive;

use bunraku_document::{Mapping, Reporter, Result, Value, closest};
use nalgebra::Vector3;

use super::pose::AngleUnit;
use crate::{ActuationMode, Joint, JointId, JointKind, Motor, Range};

/// Every spelling of the joint types, the preferred ones first.
const JOINT_TYPES: &[(&str, JointKind)] = &[
    ("revolute", JointKind::Revolute),
    ("prismatic", JointKind::Prismatic),
    ("fixed", JointKind::Fixed),
    ("free", JointKind::Free),
    ("pseudo_continuous_track", JointKind::PseudoContinuousTrack),
    ("slide", JointKind::Prismatic),
    ("pseudoContinuousTrack", JointKind::PseudoContinuousTrack),
    // In models for Choreonoid's AGX simulator.
    ("agx_crawler", JointKind::PseudoContinuousTrack),
];

/// Names in other robot formats, with their equivalents.
const FOREIGN_JOINT_TYPES: &[(&str, &str)] = &[
    ("continuous", "revolute"),
    ("floating", "free"),
    ("hinge", "revolute"),
    ("rotate", "revolute"),
    ("slider", "prismatic"),
];

const ACTUATION_MODES: &[(&str, ActuationMode)] = &[
    ("joint_effort", ActuationMode::JointEffort),
    ("joint_displacement", ActuationMode::JointDisplacement),
    ("joint_velocity", ActuationMode::JointVelocity),
    ("link_position", ActuationMode::LinkPosition),
    ("jointEffort", ActuationMode::JointEffort),
    ("jointTorque", ActuationMode::JointEffort),
    ("jointForce", ActuationMode::JointEffort),
    ("jointDisplacement", ActuationMode::JointDisplacement),
    ("jointAngle", ActuationMode::JointDisplacement),
    ("jointVelocity", ActuationMode::JointVelocity),
    ("linkPosition", ActuationMode::LinkPosition),
];

/// Actuation mode that also denotes a joint type.
const SURFACE_VELOCITY: &str = "jointSurfaceVelocity";

/// Notation of an axis, for messages.
const AXIS: &str = "write one of X, Y, Z, -X, -Y, -Z, or a list of 3 numbers such as `[ 0, 0, 1 ]`";
/// Smallest and largest absolute value of the largest number of an axis: the kinematics square its numbers.
const AXIS_SIZES: RangeInclusive<f64> = 1e-9..=1e9;

/// Largest joint ID: a typing error must not allocate a joint vector of two billion entries.
pub(super) const LARGEST_JOINT_ID: i32 = 9_999;

/// Reads the joint keys. Missing keys default to those of `base`, except limits (unlimited) and inertia (zero).
pub(super) fn read_joint(link: &Mapping<'_, '_>, unit: AngleUnit, base: Joint) -> Joint {
    let mut joint = Joint { displacement_range: Range::UNLIMITED, effort_range: Range::UNLIMITED, ..base };
    if let Some(id) = link.read(&["joint_id", "jointId"], read_joint_id) {
        joint.id = id;
    }
    if let Some(name) = link.text(&["joint_name"]) {
        joint.name = Some(name.to_owned());
    }
    if let Some(kind) = link.read(&["joint_type", "jointType"], read_joint_type) {
        joint.kind = kind;
    }
    if let Some(axis) =
        link.read(&["joint_axis", "jointAxis"], |value, reporter| read_axis(value, joint.kind, reporter))
    {
        joint.axis = axis;
    }
    read_actuation(link, &mut joint);

    let revolute = joint.kind == JointKind::Revolute;
    let convert = |value: f64| if revolute { unit.to_radian(value) } else { value };
    let ranges = RangeReader { convert: &convert };
    read_initial_displacement(link, unit, &mut joint);
    if let Some(range) =
        link.read(&["joint_range", "jointRange"], |value, reporter| ranges.scalar_or_pair(value, reporter))
    {
        joint.displacement_range = range;
    }
    let max_velocity =
        link.read(&["max_joint_velocity", "maxJointVelocity"], |value, reporter| ranges.symmetric(value, reporter));
    let velocity_range =
        link.read(&["joint_velocity_range", "jointVelocityRange"], |value, reporter| ranges.pair(value, reporter));
    if let (Some(_), Some(_), Some(value)) =
        (max_velocity, velocity_range, link.get(&["joint_velocity_range", "jointVelocityRange"]))
    {
        let message =
            "`joint_velocity_range` wins over `max_joint_velocity`, as the manual says; Choreonoid does the opposite";
        link.reporter().report(value.note("manual-wins", message).help("keep one of the two"));
    }
    joint.velocity_range = velocity_range.or(max_velocity).unwrap_or(Range::UNLIMITED);
    let plain = RangeReader { convert: &|value| value };
    if let Some(range) = link.read(&["max_joint_effort"], |value, reporter| plain.symmetric(value, reporter)) {
        joint.effort_range = range;
    }
    if let Some(value) = link.get(&["force_range", "forceRange"]) {
        let message = "`force_range` has no effect, as in Choreonoid";
        link.reporter().report(value.note("force-range", message).help("effort limits are written `max_joint_effort`"));
    }

    let motor = read_motor(link);
    joint.equivalent_rotor_inertia =
        link.number(&["joint_axis_inertia"]).unwrap_or(motor.gear_ratio * motor.gear_ratio * motor.rotor_inertia);
    joint.motor = (motor != Motor::default()).then_some(motor);
    joint
}

/// Reads the motor. The format defines only gear ratio and rotor inertia; the other keys are those of OpenHRP models,
/// and occur in real files.
fn read_motor(link: &Mapping<'_, '_>) -> Motor {
    let default = Motor::default();
    let number = |names: &[&'static str], default| link.number(names).unwrap_or(default);
    Motor {
        gear_ratio: number(&["gear_ratio", "gearRatio"], default.gear_ratio),
        gear_efficiency: number(&["gear_efficiency", "gearEfficiency"], default.gear_efficiency),
        rotor_inertia: number(&["rotor_inertia", "rotorInertia"], default.rotor_inertia),
        rotor_resistance: number(&["rotor_resistor", "rotorResistor"], default.rotor_resistance),
        torque_constant: number(&["torque_const", "torqueConst"], default.torque_constant),
        encoder_pulses: number(&["encoder_pulse", "encoderPulse"], default.encoder_pulses),
        max_current: link.number(&["max_current"]),
    }
}

fn read_initial_displacement(link: &Mapping<'_, '_>, unit: AngleUnit, joint: &mut Joint) {
    if let Some(angle) = link.number(&["joint_angle", "jointAngle"]) {
        joint.initial_displacement = unit.to_radian(angle);
    }
    let keys = ["joint_displacement", "jointDisplacement"];
    if let Some(displacement) = link.number(&keys) {
        joint.initial_displacement = displacement;
        if joint.kind == JointKind::Revolute
            && unit == AngleUnit::Degree
            && displacement != 0.0
            && let Some(value) = link.get(&keys)
        {
            let message = format!(
                "`joint_displacement` is read in radian, as the manual says; Choreonoid reads {displacement} as degrees"
            );
            link.reporter().report(value.note("manual-wins", message).help("`joint_angle` is in degrees for both"));
        }
    }
}

fn read_joint_id(value: Value<'_>, reporter: &Reporter) -> Result<Option<JointId>> {
    let id = value.as_integer(reporter)?;
    if id > LARGEST_JOINT_ID {
        let message = format!("joint ID {id} is beyond the largest allowed, {LARGEST_JOINT_ID}");
        return Err(Box::new(value.error("joint-id", message).help("number the joints from 0, without gaps")));
    }
    if id < -1 {
        let message = format!("joint ID {id} is negative: the joint has none, as with -1");
        reporter.report(value.warning("joint-id", message).help("number the joints from 0, or leave the key out"));
    }
    Ok(usize::try_from(id).ok().map(JointId))
}

fn read_joint_type(value: Value<'_>, _: &Reporter) -> Result<JointKind> {
    let word = value.as_text()?;
    if let Some(&(_, kind)) = JOINT_TYPES.iter().find(|(name, _)| *name == word) {
        return Ok(kind);
    }
    let foreign = FOREIGN_JOINT_TYPES.iter().find(|(name, _)| *name == word).map(|&(_, ours)| ours);
    let meant = foreign.or_else(|| closest(word, JOINT_TYPES.iter().map(|&(name, _)| name)));
    let diagnostic = value.error("unknown-joint-type", format!("`{word}` is not a joint type"));
    Err(Box::new(match meant {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic.help("the joint types are revolute, prismatic, fixed, free and pseudo_continuous_track"),
    }))
}

fn read_actuation(link: &Mapping<'_, '_>, joint: &mut Joint) {
    const KEYS: &[&str] = &["actuation_mode", "actuationMode"];
    let Some(value) = link.get(KEYS) else { return };
    if value.text() == Some(SURFACE_VELOCITY) {
        joint.kind = JointKind::PseudoContinuousTrack;
        joint.actuation_mode = Some(ActuationMode::JointVelocity);
        let message = format!("`{SURFACE_VELOCITY}` is an older word: it makes the joint a pseudo_continuous_track");
        let help = "write `joint_type: pseudo_continuous_track` and `actuation_mode: joint_velocity`";
        link.reporter().report(value.note("older-word", message).help(help));
    } else if let Some(mode) = link.keep(read_actuation_mode(value)) {
        joint.actuation_mode = Some(mode);
    }
}

fn read_actuation_mode(value: Value<'_>) -> Result<ActuationMode> {
    let word = value.as_text()?;
    if let Some(&(_, mode)) = ACTUATION_MODES.iter().find(|(name, _)| *name == word) {
        return Ok(mode);
    }
    let diagnostic = value.error("unknown-actuation-mode", format!("`{word}` is not an actuation mode"));
    Err(Box::new(match closest(word, ACTUATION_MODES.iter().map(|&(name, _)| name)) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic.help("the modes are joint_effort, joint_displacement, joint_velocity and link_position"),
    }))
}

fn read_axis(value: Value<'_>, kind: JointKind, reporter: &Reporter) -> Result<Vector3<f64>> {
    if let Some(word) = value.text() {
        let (sign, letter) = match word.strip_prefix('-') {
            Some(letter) => (-1.0, letter),
            None => (1.0, word),
        };
        return match letter {
            "X" | "x" => Ok(Vector3::x() * sign),
            "Y" | "y" => Ok(Vector3::y() * sign),
            "Z" | "z" => Ok(Vector3::z() * sign),
            _ => Err(Box::new(value.error("bad-axis", format!("`{word}` is not an axis")).help(AXIS))),
        };
    }
    let axis = value.as_array::<3>(reporter).map_err(|error| Box::new((*error).help(AXIS)))?;
    let axis = Vector3::from(axis);
    let size = axis.amax();
    if kind.has_displacement() && !AXIS_SIZES.contains(&size) {
        let message = match size {
            0.0 => "the joint axis is zero".to_owned(),
            _ => format!("the largest number of the joint axis is {size:e}, which is not between 1e-9 and 1e9"),
        };
        return Err(Box::new(value.error("zero-axis", message).help(AXIS)));
    }
    Ok(axis)
}

/// Reads limits, converting finite ones to SI units.
struct RangeReader<'c> {
    convert: &'c dyn Fn(f64) -> f64,
}

impl RangeReader<'_> {
    fn scalar_or_pair(&self, value: Value<'_>, reporter: &Reporter) -> Result<Range> {
        if value.items().is_some() { self.pair(value, reporter) } else { self.symmetric(value, reporter) }
    }

    fn symmetric(&self, value: Value<'_>, reporter: &Reporter) -> Result<Range> {
        Ok(self.limit(value, 1.0, reporter)?.map_or(Range::UNLIMITED, Range::symmetric))
    }

    fn pair(&self, value: Value<'_>, reporter: &Reporter) -> Result<Range> {
        let items: Vec<_> = value.items().into_iter().flatten().collect();
        let &[lower, upper] = items.as_slice() else {
            let help = "write `[ lower, upper ]`";
            return Err(Box::new(match value.items() {
                Some(items) => {
                    value.error("wrong-length", format!("expected two limits, found {}", items.len())).help(help)
                }
                None => value.expected("a list of two limits").help(help),
            }));
        };
        Ok(Range {
            lower: self.limit(lower, -1.0, reporter)?.unwrap_or(f64::NEG_INFINITY),
            upper: self.limit(upper, 1.0, reporter)?.unwrap_or(f64::INFINITY),
        })
    }

    /// A limit. `None` for the word `unlimited` and for an infinity with the sign `sign`.
    fn limit(&self, value: Value<'_>, sign: f64, reporter: &Reporter) -> Result<Option<f64>> {
        let word = value.text().unwrap_or_default();
        if word == "unlimited" || infinity(word) == Some(sign) {
            return Ok(None);
        }
        let number = value.as_number(reporter).map_err(|mut error| {
            error.help = Some("a limit is a number or the word `unlimited`".to_owned());
            error
        })?;
        Ok(Some((self.convert)(number)))
    }
}

/// Sign of an infinity in the notation of YAML (`.inf`) or C (`inf`).
fn infinity(word: &str) -> Option<f64> {
    let (sign, name) = match word.strip_prefix('-') {
        Some(name) => (-1.0, name),
        None => (1.0, word.strip_prefix('+').unwrap_or(word)),
    };
    let name = name.strip_prefix('.').unwrap_or(name);
    (name.eq_ignore_ascii_case("inf") || name.eq_ignore_ascii_case("infinity")).then_some(sign)
}
