//! Initial velocities of a body of a scene, and the losses and springs of its joints.

use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, Drive, JointIndex, JointKind};
use bunraku_document::{Mapping, Reporter, Value};
use bunraku_physics::{JointLimits, JointLosses, JointSolver, JointSprings};
use nalgebra::Vector3;

use super::body_entry::read_displacements;
use super::joint_values::{self, Forms};
use super::model::SceneDrive;

/// The initial velocities of a body.
pub(super) struct InitialVelocities {
    pub(super) root: Twist,
    /// Joint velocities, rad/s or m/s, in joint order.
    pub(super) joints: Vec<f64>,
}

/// Reads `linear_velocity`, `angular_velocity` and `joint_velocities`, and warns if they have no effect.
pub(super) fn read_velocities(mapping: &Mapping<'_, '_>, body: &Body, drive: &SceneDrive) -> InitialVelocities {
    let reporter = mapping.reporter();
    let root_is_led = match drive {
        SceneDrive::Motion(_) | SceneDrive::Static | SceneDrive::Task => Some("the body is not driven by physics"),
        SceneDrive::KinematicRoot(_) => Some("the root follows its motion"),
        SceneDrive::Physics | SceneDrive::PrescribedJoints(_) => body.is_fixed().then_some("the root is fixed"),
    };
    let joints_are_led = match drive {
        SceneDrive::Motion(_) | SceneDrive::Static | SceneDrive::Task => Some("the body is not driven by physics"),
        SceneDrive::PrescribedJoints(_) => Some("the joints follow their motion"),
        SceneDrive::Physics | SceneDrive::KinematicRoot(_) => None,
    };
    let vector = |key: &'static str| {
        let vector = mapping.array::<3>(&[key])?;
        warn_if_idle(mapping, key, root_is_led);
        Some(Vector3::from(vector)).filter(|_| root_is_led.is_none())
    };
    let linear = vector("linear_velocity").unwrap_or_else(Vector3::zeros);
    let angular = vector("angular_velocity").unwrap_or_else(Vector3::zeros);
    let mut joints = vec![0.0; body.num_joints()];
    if let Some(value) = mapping.get(&["joint_velocities"]) {
        warn_if_idle(mapping, "joint_velocities", joints_are_led);
        if reporter.keep(joint_values::read(value, body, Forms::ListOrMapping, &mut joints, reporter)).is_none()
            || joints_are_led.is_some()
        {
            joints.fill(0.0);
        }
        for (index, velocity) in joints.iter_mut().enumerate() {
            match body.joint(JointIndex(index)).map(|joint| joint.kind) {
                Some(JointKind::Revolute) => *velocity = velocity.to_radians(),
                Some(JointKind::Prismatic) => {}
                _ if *velocity != 0.0 => {
                    let name = body.joint_name(JointIndex(index));
                    let message = format!("`joint_velocities` does nothing at `{name}`, which has no displacement");
                    let help = "the speed of a track is commanded: `controller: { type: velocity, velocity: … }`";
                    reporter.report(value.warning("idle-velocity", message).help(help));
                    *velocity = 0.0;
                }
                _ => {}
            }
        }
    }
    InitialVelocities { root: Twist { linear, angular: angular.map(f64::to_radians) }, joints }
}

fn warn_if_idle(mapping: &Mapping<'_, '_>, key: &'static str, why: Option<&str>) {
    if let (Some(why), Some(node)) = (why, mapping.get(&[key])) {
        mapping.reporter().report(node.warning("idle-velocity", format!("`{key}` does nothing: {why}")));
    }
}

/// Reads `joint_damping` and `joint_friction`; `None` if neither is given.
pub(super) fn read_losses(mapping: &Mapping<'_, '_>, body: &Body, drive: &SceneDrive) -> Option<JointLosses> {
    let reporter = mapping.reporter();
    let read = |key: &'static str| {
        let value = mapping.get(&[key])?;
        if drive.of_body() != Drive::Physics || matches!(drive, SceneDrive::PrescribedJoints(_)) {
            let message = format!("`{key}` does nothing: the joints are not moved by forces");
            reporter.report(value.warning("idle-losses", message));
        }
        read_not_negative(value, body, reporter)
    };
    let (damping, friction) = (read("joint_damping"), read("joint_friction"));
    (damping.is_some() || friction.is_some())
        .then(|| JointLosses { damping: damping.unwrap_or_default(), friction: friction.unwrap_or_default() })
}

/// Reads `joint_stiffness` and `joint_rest`; `None` without a stiffness.
pub(super) fn read_springs(mapping: &Mapping<'_, '_>, body: &Body, drive: &SceneDrive) -> Option<JointSprings> {
    let reporter = mapping.reporter();
    let mut rest = vec![0.0; body.num_joints()];
    if let Some(value) = mapping.get(&["joint_rest"]) {
        reporter.keep(read_displacements(value, body, &mut rest, reporter));
        if mapping.get(&["joint_stiffness"]).is_none() {
            let warning = value.warning("idle-springs", "`joint_rest` does nothing without `joint_stiffness`");
            reporter.report(warning.help("write the stiffness of the springs, N·m/rad or N/m"));
        }
    }
    let value = mapping.get(&["joint_stiffness"])?;
    if drive.of_body() != Drive::Physics || matches!(drive, SceneDrive::PrescribedJoints(_)) {
        let message = "`joint_stiffness` does nothing: the joints are not moved by forces";
        reporter.report(value.warning("idle-springs", message));
    }
    read_not_negative(value, body, reporter).map(|stiffness| JointSprings { stiffness, rest })
}

fn read_not_negative(value: Value<'_>, body: &Body, reporter: &Reporter) -> Option<Vec<f64>> {
    let mut values = vec![0.0; body.num_joints()];
    reporter.keep(joint_values::read(value, body, Forms::WithScalar, &mut values, reporter))?;
    if let Some(negative) = values.iter().find(|value| **value < 0.0) {
        let message = format!("{negative} would give joints energy: it must not be negative");
        reporter.report(value.error("negative-loss", message));
        return None;
    }
    Some(values)
}

/// Largest excess over a limit that is a rounding error, rad or m.
const ROUNDING: f64 = 1e-9;

/// Warns of joints that start outside their displacement range.
pub(super) fn report_outside_limits(
    place: Value<'_>,
    name: &str,
    body: &Body,
    (drive, limits, solver): (&SceneDrive, JointLimits, JointSolver),
    displacements: &[f64],
    reporter: &Reporter,
) {
    if drive.of_body() != Drive::Physics || matches!(drive, SceneDrive::PrescribedJoints(_)) {
        return;
    }
    let outside = displacements.iter().enumerate().filter_map(|(joint, &displacement)| {
        let model = body.joint(JointIndex(joint)).filter(|model| model.kind.has_displacement())?;
        let range = model.displacement_range;
        let is_outside = displacement < range.lower - ROUNDING || displacement > range.upper + ROUNDING;
        (range.lower <= range.upper && is_outside).then_some((joint, displacement, model))
    });
    for (joint, displacement, model) in outside {
        let (unit, scale, speed) = match model.kind {
            JointKind::Prismatic => (" m", 1.0, "0.25 m/s"),
            _ => ("°", 1_f64.to_degrees(), "57°/s"),
        };
        let short = |value: f64| (value * scale * 1e4).round() / 1e4;
        let range = model.displacement_range;
        let message = format!(
            "joint `{}` of `{name}` starts at {}{unit}, outside its range from {}{unit} to {}{unit}",
            body.joint_name(JointIndex(joint)),
            short(displacement),
            short(range.lower),
            short(range.upper)
        );
        let help = match limits {
            JointLimits::Enforce if solver == JointSolver::Impulse => {
                "start within the range, or widen it; else rapier's step brings the joint back at up to 3 rad/s or 3 m/s".to_owned()
            }
            JointLimits::Enforce => {
                format!("start within the range, or widen it; else the joint is brought back at {speed}")
            }
            JointLimits::Report => {
                "start within the range, or widen it; the joint moves freely, as `limits: enforce` is not given"
                    .to_owned()
            }
        };
        reporter.report(place.warning("outside-limits", message).help(help));
    }
}
