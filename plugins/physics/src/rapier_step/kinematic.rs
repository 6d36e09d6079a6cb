//! Kinematic bodies: bodies that play a motion, and guided roots.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBody as RapierBody;
use bunraku_body::{BodyModel, BodyState, Drive};
use nalgebra::Isometry3;

use crate::model::kinematic_root::KinematicRoot;
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::to_pose;

/// Sets the poses of kinematic bodies at the end of this step.
pub(crate) fn move_bodies(
    bodies: Query<(&SimulatedBody, &BodyModel, &BodyState, &Drive, Option<&KinematicRoot>)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
) -> Result {
    let set = &mut contexts.single_mut()?.bodies;
    for (simulated, BodyModel(body), state, drive, guided) in &bodies {
        match (drive, guided) {
            (Drive::Motion, _) => {
                for (index, _) in body.indexed_links() {
                    let of_part = &simulated.links[index];
                    if of_part.is_carrier
                        && let Some(part) = set.get_mut(simulated.parts[of_part.part])
                    {
                        move_to(part, state.link_pose(index));
                    }
                }
            }
            (Drive::Physics, Some(KinematicRoot(Some(pose)))) => {
                if let Some(part) = simulated.parts.first().and_then(|root| set.get_mut(*root)) {
                    move_to(part, pose);
                }
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
fn move_to(part: &mut RapierBody, pose: &Isometry3<f64>) {
    let mut next = to_pose(pose);
    if next.rotation.dot(part.position().rotation) < 0.0 {
        next.rotation = -next.rotation;
    }
    part.set_next_kinematic_position(next);
}
