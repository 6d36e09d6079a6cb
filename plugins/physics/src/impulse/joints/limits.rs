//! The ends of joints.

use bevy_rapier3d::prelude::{JointAxis, RapierContextJoints};
use bevy_rapier3d::rapier::dynamics::GenericJoint as RapierJoint;
use bunraku_body::{Joint, JointKind, Range};

use crate::model::joint_limits::JointLimits;
use crate::model::simulated_body::SimulatedJoint;

/// The engine sees the angle of an impulse joint only within a turn: it must never be asked about one farther than this
/// from where the joint is, rad.
const WINDOW: f64 = 2.8;

/// How fast a joint comes back that is outside its range, rad/s: slow enough that nothing is thrown, as by a solver that closes the whole
/// way in one step.
const RECOVERY: f64 = 1.0;
/// The same of a joint that slides, m/s.
const SLIDING_RECOVERY: f64 = 0.25;

/// The range that the solver is told of in a step of `time_step` seconds: that of the model, or, for a joint that is outside, one
/// that it is outside of by no more than what it may come back in the step.
fn recovering(joint: &Joint, displacement: f64, time_step: f64) -> Range {
    let speed = if joint.kind == JointKind::Prismatic { SLIDING_RECOVERY } else { RECOVERY };
    let Range { lower, upper } = joint.displacement_range;
    Range { lower: lower.min(displacement + speed * time_step), upper: upper.max(displacement - speed * time_step) }
}

/// Sets the range of a joint that has one to be kept and is at a displacement (rad or m).
pub(super) fn set(data: &mut RapierJoint, joint: &Joint, limits: JointLimits, displacement: f64, time_step: f64) {
    let Range { lower, upper } = limits.enforced(&joint.displacement_range);
    if lower.is_finite() || upper.is_finite() {
        let Range { lower, upper } = recovering(joint, displacement, time_step);
        #[allow(clippy::cast_possible_truncation)]
        data.set_limits(axis(joint.kind), [lower as f32, upper as f32]);
    }
}

/// The free axis of a joint in rapier's joint frame.
pub(crate) fn axis(kind: JointKind) -> JointAxis {
    match kind {
        JointKind::Prismatic => JointAxis::LinX,
        _ => JointAxis::AngX,
    }
}

/// How close to its end a joint comes before the solver has to know of it, rad or m: farther than what an impact moves it in
/// a step of usual length.
const NEAR: f64 = 0.05;

/// The same in steps, at the joint's present speed.
const STEPS: f64 = 2.0;

/// Lets the solver see the limits of an impulse joint while the joint is near them, with its displacement (rad or m) and
/// velocity after a step of `time_step` seconds. Of a joint that is outside, it sees so much that
/// the joint comes back slowly.
///
/// A limit that is not reached pushes nothing, but costs as much as each of the five constraints of a joint: without them a
/// step of SR1's walk takes 63 µs in place of 67, with the same result to the last bit.
pub(crate) fn show_limits(
    joint: &SimulatedJoint,
    (model, limits): (&Joint, JointLimits),
    (displacement, velocity): (f64, f64),
    time_step: f64,
    joints: &mut RapierContextJoints,
) {
    let range = limits.enforced(&model.displacement_range);
    let axis = axis(joint.kind);
    let Some(present) = joints.impulse_joints.get(joint.handle).map(|joint| &joint.data) else { return };
    let is_shown = present.limit_axes.contains(axis.into());
    if !(range.lower.is_finite() || range.upper.is_finite() || is_shown) {
        return;
    }
    let seen = recovering(model, displacement, time_step);
    let distance = (displacement - range.lower).min(range.upper - displacement);
    let near = NEAR + STEPS * velocity.abs() * time_step;
    // A joint that hangs about is not shown and hidden in turns.
    let shows = distance <= if is_shown { 2.0 * near } else { near };
    let limits = shows.then(|| {
        let turns_round = joint.kind == JointKind::Revolute && seen.upper - seen.lower >= 2.0 * WINDOW;
        let window = if turns_round { WINDOW } else { f64::INFINITY };
        #[allow(clippy::cast_possible_truncation)]
        [seen.lower.max(displacement - window) as f32, seen.upper.min(displacement + window) as f32]
    });
    let is_as_wanted = match limits {
        Some([lower, upper]) => {
            let limits = &present.limits[axis as usize];
            is_shown && limits.min == lower && limits.max == upper
        }
        None => !is_shown,
    };
    if is_as_wanted {
        return;
    }
    let Some(joint) = joints.impulse_joints.get_mut(joint.handle, false) else { return };
    match limits {
        Some(limits) => {
            joint.data.set_limits(axis, limits);
        }
        None => joint.data.limit_axes.remove(axis.into()),
    }
}
