//! The ends of joints.

use bevy_rapier3d::prelude::{JointAxis, RapierContextJoints};
use bevy_rapier3d::rapier::dynamics::{GenericJoint as RapierJoint, JointAxesMask};
use bunraku_body::{Joint, JointKind, Range};

use super::{JointHandle, SimulatedJoint};

/// The engine sees the angle of an impulse joint only within a turn: it must never be asked about one farther than this
/// from where the joint is, rad.
const WINDOW: f64 = 2.8;

/// Sets the range of a joint that has one.
pub(crate) fn set(data: &mut RapierJoint, joint: &Joint) {
    let Range { lower, upper } = joint.displacement_range;
    if (lower.is_finite() || upper.is_finite()) && lower <= upper {
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

/// Lets the limits of an impulse joint that may turn more than once follow its displacement, rad.
pub(crate) fn shift_limits(joint: &SimulatedJoint, range: &Range, displacement: f64, joints: &mut RapierContextJoints) {
    let is_wide = range.upper - range.lower >= 2.0 * WINDOW;
    let is_limited = range.lower.is_finite() || range.upper.is_finite();
    let JointHandle::Impulse(handle) = joint.handle else { return };
    if joint.kind != JointKind::Revolute || !is_wide || !is_limited {
        return;
    }
    let impulse = joints.impulse_joints.get_mut(handle, false);
    // A joint whose motion is prescribed has no limits.
    if let Some(impulse) = impulse.filter(|joint| joint.data.limit_axes.contains(JointAxesMask::ANG_X)) {
        let lower = range.lower.max(displacement - WINDOW);
        let upper = range.upper.min(displacement + WINDOW);
        #[allow(clippy::cast_possible_truncation)]
        impulse.data.set_limits(JointAxis::AngX, [lower as f32, upper as f32]);
    }
}
