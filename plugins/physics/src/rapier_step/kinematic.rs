//! Kinematic bodies: bodies that play a motion, and kinematic roots.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bunraku_body::{BodyState, Drive};
use nalgebra::Isometry3;

use crate::model::kinematic_root::KinematicRoot;
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::to_pose;

/// Sets the poses of kinematic bodies at the end of this step.
pub(crate) fn move_bodies(
    bodies: Query<(&SimulatedBody, &BodyState, &Drive, Option<&KinematicRoot>)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
) -> Result {
    let set = &mut contexts.single_mut()?.bodies;
    for (simulated, state, drive, guided) in &bodies {
        match (drive, guided) {
            (Drive::Motion, _) => {
                simulated.carriers().for_each(|(link, part)| move_to(part, state.link_pose(link), set));
            }
            (Drive::Physics, Some(KinematicRoot(Some(pose)))) => {
                simulated.parts.first().into_iter().for_each(|&root| move_to(root, pose, set));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Sets the pose of a kinematic rigid body at the end of the step.
///
/// Of the two quaternions of a rotation it takes the one nearer to the body's: between the others rapier finds the velocity of a whole
/// turn.
fn move_to(part: RigidBodyHandle, pose: &Isometry3<f64>, set: &mut RigidBodySet) {
    let Some(part) = set.get_mut(part) else { return };
    let mut next = to_pose(pose);
    if next.rotation.dot(part.position().rotation) < 0.0 {
        next.rotation = -next.rotation;
    }
    part.set_next_kinematic_position(next);
}
