//! Joint efforts as forces on the two sides of each joint.

use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bunraku_body::{BodyModel, BodyState, JointEfforts, JointKind};
use nalgebra::Vector3;

use crate::SimulatedBody;
use crate::convert::to_vec3;

/// Turns commanded efforts, limited to what the model's motors can do, into forces and torques on rapier's bodies.
///
/// An effort acts on the link and its reaction on the parent. Forces are written anew each step.
pub(crate) fn actuate(
    bodies: Query<(&BodyModel, &SimulatedBody, &BodyState, &JointEfforts)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
    mut torques: Local<Vec<Vector3<f64>>>,
) -> Result {
    let set = &mut contexts.single_mut()?.bodies;
    for (BodyModel(body), simulated, state, efforts) in &bodies {
        if simulated.joints.is_empty() {
            continue;
        }
        torques.clear();
        torques.resize(simulated.parts.len(), Vector3::zeros());
        for joint in simulated.joints.iter().filter(|joint| joint.kind == JointKind::Revolute) {
            let limits = &body.link(joint.link).joint.effort_range;
            let effort = limits.clamp(efforts.0[joint.joint]);
            let torque = state.link_poses[joint.link.0].rotation * (joint.axis * effort);
            torques[simulated.links[joint.link.0].part] += torque;
            torques[simulated.links[joint.parent.0].part] -= torque;
        }
        for (&handle, torque) in simulated.parts.iter().zip(torques.iter()) {
            if let Some(part) = set.get_mut(handle) {
                part.reset_forces(false);
                part.reset_torques(false);
                part.add_torque(to_vec3(torque), false);
            }
        }
        for joint in simulated.joints.iter().filter(|joint| joint.kind == JointKind::Prismatic) {
            let limits = &body.link(joint.link).joint.effort_range;
            let effort = limits.clamp(efforts.0[joint.joint]);
            let pose = &state.link_poses[joint.link.0];
            let force = to_vec3(&(pose.rotation * (joint.axis * effort)));
            // Both forces act at the same point, so that they add no torque to the whole.
            let point = to_vec3(&pose.translation.vector);
            for (link, force) in [(joint.link, force), (joint.parent, -force)] {
                if let Some(part) = set.get_mut(simulated.parts[simulated.links[link.0].part]) {
                    part.add_force_at_point(force, point, false);
                }
            }
        }
    }
    Ok(())
}
