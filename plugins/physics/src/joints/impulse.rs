//! Joints as constraints between rigid bodies.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use bunraku_body::{Joint, JointKind};
use nalgebra::Matrix3;

use super::{JointHandle, TreeJoint};

pub(super) fn insert(
    tree: &[TreeJoint],
    handles: &[RigidBodyHandle],
    joints: &mut RapierContextJoints,
) -> Vec<Option<JointHandle>> {
    let insert = |joint: &TreeJoint| {
        let (parent, part) = (handles[joint.parent_part], handles[joint.part]);
        Some(JointHandle::Impulse(joints.impulse_joints.insert(parent, part, joint.data, true)))
    };
    tree.iter().map(insert).collect()
}

/// Inertia that a motor adds to the link it turns, in the link frame.
///
/// Exact for a joint whose parent does not turn about the same axis: impulse joints know no rotor of their own, so the
/// rotor's inertia goes to the link.
pub(crate) fn armature_of_link(joint: &Joint) -> Matrix3<f64> {
    match (joint.kind, joint.axis.try_normalize(0.0)) {
        (JointKind::Revolute, Some(axis)) => joint.equivalent_rotor_inertia * axis * axis.transpose(),
        _ => Matrix3::zeros(),
    }
}
