//! Bodies that play a motion.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive};

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
                part.set_next_kinematic_position(to_pose(state.link_pose(index)));
            }
        }
    }
    Ok(())
}
