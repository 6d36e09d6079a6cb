//! Joint efforts as forces on the two sides of each joint.

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{BodyState, JointKind};
use nalgebra::Vector3;
use typed_index_collections::TiSlice;

use crate::model::index::{RigidPartIndex, SimulatedJointIndex};
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::to_vec3;

/// Puts an effort for each simulated joint on rapier's bodies.
///
/// An effort acts on the link and its reaction on the parent. `torques` holds what acts on each part besides, N·m, world axes.
/// Forces are written anew each step.
pub(super) fn apply(
    simulated: &SimulatedBody,
    state: &BodyState,
    efforts: &TiSlice<SimulatedJointIndex, f64>,
    set: &mut RigidBodySet,
    torques: &mut TiSlice<RigidPartIndex, Vector3<f64>>,
) {
    let of_kind = |kind: JointKind| simulated.joints.iter().zip(efforts).filter(move |(joint, _)| joint.kind == kind);
    for (joint, &effort) in of_kind(JointKind::Revolute) {
        let torque = state.link_pose(joint.link).rotation * (joint.axis * effort);
        torques[simulated.links[joint.link].part] += torque;
        torques[simulated.links[joint.parent].part] -= torque;
    }
    for (&handle, torque) in simulated.parts.iter().zip(torques.iter()) {
        if let Some(part) = set.get_mut(handle) {
            part.reset_forces(false);
            part.reset_torques(false);
            part.add_torque(to_vec3(torque), false);
        }
    }
    for (joint, &effort) in of_kind(JointKind::Prismatic) {
        let pose = state.link_pose(joint.link);
        let force = to_vec3(&(pose.rotation * (joint.axis * effort)));
        // Both forces act at the same point, so that they add no torque to the whole.
        let point = to_vec3(&pose.translation.vector);
        for (link, force) in [(joint.link, force), (joint.parent, -force)] {
            if let Some(part) = set.get_mut(simulated.parts[simulated.links[link].part]) {
                part.add_force_at_point(force, point, false);
            }
        }
    }
}
