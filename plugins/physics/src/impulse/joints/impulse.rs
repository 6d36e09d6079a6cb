//! Joints as constraints between rigid bodies.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;

use super::tree::TreeJoint;
use crate::model::simulated_body::JointHandle;

pub(super) fn insert(
    tree: &[TreeJoint],
    handles: &[RigidBodyHandle],
    joints: &mut RapierContextJoints,
) -> Vec<Option<JointHandle>> {
    let insert = |joint: &TreeJoint| {
        let (parent, part) = (handles[joint.parent_part.0], handles[joint.part.0]);
        Some(JointHandle::Impulse(joints.impulse_joints.insert(parent, part, joint.data, true)))
    };
    tree.iter().map(insert).collect()
}
