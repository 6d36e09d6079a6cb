//! Bodies that play a motion.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBody as RapierBody;
use bunraku_body::{BodyModel, BodyState, Drive};
use nalgebra::Isometry3;

use super::convert::to_pose;
use crate::model::simulated_body::SimulatedBody;

/// Moves bodies that play a motion to where the motion has them at the end of this step.
pub(crate) fn lead_driven_bodies(
    bodies: Query<(&SimulatedBody, &BodyModel, &BodyState, &Drive)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
) -> Result {
    let set = &mut contexts.single_mut()?.bodies;
    for (simulated, BodyModel(body), state, drive) in &bodies {
        if *drive != Drive::Motion {
            continue;
        }
        for (index, _) in body.indexed_links() {
            let of_part = &simulated.links[index];
            if of_part.is_carrier
                && let Some(part) = set.get_mut(simulated.parts[of_part.part])
            {
                lead_to(part, state.link_pose(index));
            }
        }
    }
    Ok(())
}

/// Leads a kinematic rigid body to a pose at the end of the step.
///
/// Of the two quaternions of a rotation it is the one that is nearer to the body's: between the others rapier sees a whole turn, and gives
/// the body the velocity of that.
pub(crate) fn lead_to(part: &mut RapierBody, pose: &Isometry3<f64>) {
    let mut next = to_pose(pose);
    if next.rotation.dot(part.position().rotation) < 0.0 {
        next.rotation = -next.rotation;
    }
    part.set_next_kinematic_position(next);
}
