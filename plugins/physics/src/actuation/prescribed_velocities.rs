//! The velocities that a step with prescribed joints begins with, put into rapier's world; see [`super::prescribed`].

use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{Body, BodyModel, BodyState, LinkIndex};

use super::Actuators;
use crate::impulse::joints::loops::rows::hangs_on_root;
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::{from_vec3, to_vec3};

/// Gives prescribed joints their velocities of this step, and everything else what keeps the momentum.
pub(crate) fn give_velocities(
    bodies: Query<(&BodyModel, &SimulatedBody, &BodyState, &Actuators)>,
    mut contexts: Query<&mut RapierRigidBodySet>,
) -> Result {
    let set = &mut contexts.single_mut()?.bodies;
    for (BodyModel(body), simulated, state, actuators) in &bodies {
        let change = &actuators.prescribed.change;
        if change.joints.is_empty() {
            continue;
        }
        let twists = Configuration::new(body, state.link_pose(LinkIndex::ROOT), &state.displacements)
            .link_twists(&change.root, &change.joints);
        change_rigid_bodies(body, simulated, state, &twists, set);
    }
    Ok(())
}

fn change_rigid_bodies(
    body: &Body,
    simulated: &SimulatedBody,
    state: &BodyState,
    twists: &[Twist],
    set: &mut RigidBodySet,
) {
    for (index, _) in body.indexed_links().filter(|(index, _)| hangs_on_root(body, *index)) {
        let of_part = simulated.links[index];
        if !of_part.is_carrier {
            continue;
        }
        let Some(part) = set.get_mut(simulated.parts[of_part.part]).filter(|part| part.is_dynamic()) else {
            continue;
        };
        let offset = from_vec3(part.center_of_mass()) - state.link_pose(index).translation.vector;
        let twist = twists[index.0];
        let (linear, angular) =
            (part.linvel() + to_vec3(&twist.velocity_at(&offset)), part.angvel() + to_vec3(&twist.angular));
        part.set_linvel(linear, false);
        part.set_angvel(angular, false);
    }
}
