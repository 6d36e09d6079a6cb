//! The joint that a `Joint` node describes.

use bunraku_document::{Diagnostic, closest};
use bunraku_mesh::vrml::Value;
use nalgebra::{Translation3, Vector3};

use super::fields::Fields;
use super::place::shortened;
use crate::reader::joints::LARGEST_JOINT_ID;
use crate::{ActuationMode, Joint, JointId, JointKind, Motor, Range};

/// Values of `jointType`. `crawler` is the manual's name of the original's `pseudoContinuousTrack`; `agx_crawler`
/// occurs in models for its AGX simulator.
const JOINT_TYPES: &[(&str, JointKind)] = &[
    ("free", JointKind::Free),
    ("slide", JointKind::Prismatic),
    ("rotate", JointKind::Revolute),
    ("fixed", JointKind::Fixed),
    ("crawler", JointKind::PseudoContinuousTrack),
    ("pseudoContinuousTrack", JointKind::PseudoContinuousTrack),
    ("agx_crawler", JointKind::PseudoContinuousTrack),
];

/// Names in other formats, with their equivalents.
const FOREIGN_JOINT_TYPES: &[(&str, &str)] = &[
    ("continuous", "rotate"),
    ("floating", "free"),
    ("hinge", "rotate"),
    ("prismatic", "slide"),
    ("pseudo_continuous_track", "pseudoContinuousTrack"),
    ("revolute", "rotate"),
    ("slider", "slide"),
];

/// Tolerance for the length 1 of an axis: files have about six digits.
const AXIS_TOLERANCE: f64 = 1e-5;
/// Minimum length of an axis.
const SHORTEST_AXIS: f64 = 1e-6;

pub(super) fn read_joint(fields: Fields<'_>) -> Joint {
    fields.expect(&["jointType", "jointId", "jointAxis", "translation", "rotation", "children"]);
    let kind = read_type(fields).unwrap_or(JointKind::Fixed);
    if fields.vector("scale").is_some_and(|scale| scale != Vector3::repeat(1.0)) {
        let warning = Diagnostic::warning("no-effect", "`scale` of a `Joint` has no effect");
        fields.report("scale", warning.help("scale the shapes of its segments, and their masses"));
    }
    let motor = read_motor(fields);
    Joint {
        id: read_id(fields),
        name: None,
        kind,
        axis: read_axis(fields, kind),
        actuation_mode: (kind == JointKind::PseudoContinuousTrack).then_some(ActuationMode::JointVelocity),
        initial_displacement: 0.0,
        displacement_range: read_range(fields, kind, ["llimit", "ulimit"]),
        velocity_range: read_range(fields, kind, ["lvlimit", "uvlimit"]),
        effort_range: Range::UNLIMITED,
        equivalent_rotor_inertia: read_equivalent_inertia(fields, &motor),
        motor: (motor != Motor::default()).then_some(motor),
        ..Joint::default()
    }
}

/// Centre of rotation in the frame of the node, as in the manual; in the original the joint rotates about the origin.
pub(super) fn read_center(fields: Fields<'_>, kind: JointKind) -> Translation3<f64> {
    let center = fields.vector("center").filter(|center| *center != Vector3::zeros());
    let Some(center) = center.filter(|_| kind == JointKind::Revolute) else { return Translation3::identity() };
    let message = "the joint turns about its `center`, as the manual says, which is the origin of the link";
    let help = "Choreonoid has it turn about the origin of the node: move `translation` there, and its contents back";
    fields.report("center", Diagnostic::note("manual-wins", message).help(help));
    Translation3::from(center)
}

fn read_type(fields: Fields<'_>) -> Option<JointKind> {
    let word = fields.text("jointType").unwrap_or_default();
    if let Some(&(_, kind)) = JOINT_TYPES.iter().find(|(name, _)| **name == *word) {
        if kind == JointKind::PseudoContinuousTrack {
            let message =
                "the surface of this link moves about `jointAxis`, as the manual says; Choreonoid drops the axis";
            let note = Diagnostic::note("manual-wins", message);
            fields.report(
                "jointType",
                match &*word {
                    "crawler" | "agx_crawler" => {
                        note.help(format!("Choreonoid knows `{word}` only as `pseudoContinuousTrack`"))
                    }
                    _ => note.help("leave `jointAxis` out if Choreonoid is to see the same"),
                },
            );
        }
        return Some(kind);
    }
    let known = JOINT_TYPES.iter().map(|&(name, _)| name);
    let foreign = FOREIGN_JOINT_TYPES.iter().find(|(name, _)| **name == *word).map(|&(_, ours)| ours);
    let meant = foreign.or_else(|| closest(&shortened(&word), known.clone()));
    let error = match &*word {
        "" => Diagnostic::error("no-joint-type", "the joint has no `jointType`"),
        _ => Diagnostic::error("unknown-joint-type", format!("`{}` is not a joint type", shortened(&word))),
    };
    fields.report(
        "jointType",
        match meant {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help(format!("the joint types are {}", known.collect::<Vec<_>>().join(", "))),
        },
    );
    None
}

fn read_id(fields: Fields<'_>) -> Option<JointId> {
    let id = fields.integer("jointId")?;
    if id > LARGEST_JOINT_ID {
        let message = format!("joint ID {id} is beyond the largest allowed, {LARGEST_JOINT_ID}");
        fields.error("jointId", "joint-id", message, "number the joints from 0 on");
        return None;
    }
    // A negative ID is no ID.
    usize::try_from(id).ok().map(JointId)
}

/// An axis as a vector, or as a letter of OpenHRP 2. Fixed and free joints have none.
fn read_axis(fields: Fields<'_>, kind: JointKind) -> Vector3<f64> {
    if matches!(kind, JointKind::Fixed | JointKind::Free) {
        return Vector3::zeros();
    }
    let letter = match fields.field("jointAxis").map(|field| field.value) {
        Some(Value::SFString(letter)) => Some(letter),
        _ => None,
    };
    if let Some(letter) = letter {
        return match &**letter {
            "X" | "x" => Vector3::x(),
            "Y" | "y" => Vector3::y(),
            "Z" | "z" => Vector3::z(),
            _ => {
                let error = Diagnostic::error("bad-axis", format!("`{}` is not an axis", shortened(letter)));
                fields.report("jointAxis", error.help("write X, Y or Z, or declare `jointAxis` as SFVec3f"));
                Vector3::z()
            }
        };
    }
    let Some(axis) = fields.vector("jointAxis") else { return Vector3::z() };
    let length = axis.norm();
    if length < SHORTEST_AXIS || !length.is_finite() {
        let help = "write a unit vector such as 0 0 1";
        fields.error("jointAxis", "zero-axis", "the joint axis has no direction", help);
        return Vector3::z();
    }
    if (length - 1.0).abs() > AXIS_TOLERANCE {
        let message = format!("the joint axis has the length {length:.6}, not 1; only its direction counts");
        fields.report(
            "jointAxis",
            Diagnostic::warning("axis-length", message).help("Choreonoid counts displacements in multiples of it"),
        );
        return axis / length;
    }
    axis
}

fn read_range(fields: Fields<'_>, kind: JointKind, [lower, upper]: [&str; 2]) -> Range {
    // For a joint without displacement they have no effect: roots often have a list of another length.
    let extra = if kind == JointKind::PseudoContinuousTrack || kind.has_displacement() {
        ExtraNumbers::Reported
    } else {
        ExtraNumbers::Ignored
    };
    Range {
        lower: read_limit(fields, lower, extra).unwrap_or(f64::NEG_INFINITY),
        upper: read_limit(fields, upper, extra).unwrap_or(f64::INFINITY),
    }
}

/// Treatment of surplus numbers of a list.
#[derive(Clone, Copy, PartialEq)]
enum ExtraNumbers {
    Reported,
    Ignored,
}

/// The first number of a list; an empty list is unlimited.
fn read_limit(fields: Fields<'_>, name: &str, extra: ExtraNumbers) -> Option<f64> {
    let numbers = fields.numbers(name)?;
    let &limit = numbers.first()?;
    if numbers.len() > 1 && extra == ExtraNumbers::Reported {
        let message = format!("`{name}` has {} numbers; only the first counts", numbers.len());
        fields.warning(name, "wrong-length", message, "remove the others");
    }
    if limit.is_nan() {
        fields.error(name, "not-finite", format!("`{name}` is not a number"), "write a number, or `[ ]` for no limit");
        return None;
    }
    // The original writes the largest f64 for an unlimited value.
    (limit.abs() < f64::MAX).then_some(limit)
}

fn read_motor(fields: Fields<'_>) -> Motor {
    let default = Motor::default();
    let number = |name, default| fields.number(name).unwrap_or(default);
    Motor {
        gear_ratio: number("gearRatio", default.gear_ratio),
        gear_efficiency: number("gearEfficiency", default.gear_efficiency),
        rotor_inertia: number("rotorInertia", default.rotor_inertia),
        rotor_resistance: number("rotorResistor", default.rotor_resistance),
        torque_constant: number("torqueConst", default.torque_constant),
        encoder_pulses: number("encoderPulse", default.encoder_pulses),
        max_current: read_limit(fields, "climit", ExtraNumbers::Reported),
    }
}

/// Gear ratio² × rotor inertia, unless the file gives the product.
fn read_equivalent_inertia(fields: Fields<'_>, motor: &Motor) -> f64 {
    if let Some(inertia) = fields.number("equivalentInertia").filter(|&inertia| inertia != 0.0) {
        let message = "`equivalentInertia` is an older field; it counts instead of `rotorInertia` and `gearRatio`";
        let note = Diagnostic::note("older-field", message);
        fields.report("equivalentInertia", note.help("write `rotorInertia` and `gearRatio` instead"));
        return inertia;
    }
    motor.gear_ratio * motor.gear_ratio * motor.rotor_inertia
}
