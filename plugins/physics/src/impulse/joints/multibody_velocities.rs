//! Velocities of the links of multibodies after a step.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bevy_rapier3d::rapier::math::Vector;

/// Gives the rigid bodies of multibodies the velocities they have at the end of the step.
///
/// Rapier 0.35 writes them only at the beginning of each piece of a step, so that what is read after the step is a whole
/// piece old: with one piece a step, a step. A controller that damps with such a velocity has a delay it does not know of.
pub(crate) fn refresh(joints: &RapierContextJoints, set: &mut RigidBodySet) {
    for multibody in joints.multibody_joints.multibodies() {
        let velocity = multibody.generalized_velocity();
        if velocity.is_empty() {
            continue;
        }
        for (place, link) in multibody.links().enumerate() {
            let jacobian = multibody.body_jacobian(place);
            // Before its first step a multibody knows no kinematics.
            if jacobian.ncols() != velocity.len() {
                continue;
            }
            let twist = jacobian * velocity;
            if let Some(body) = set.get_mut(link.rigid_body_handle()) {
                body.set_linvel(Vector::new(twist[0], twist[1], twist[2]), false);
                body.set_angvel(Vector::new(twist[3], twist[4], twist[5]), false);
            }
        }
    }
}
