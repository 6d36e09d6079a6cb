//! The velocities that a step with prescribed joints begins with, put into rapier's world; see [`super::prescribed`].

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{MultibodyLink, RigidBodySet};
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{Body, BodyModel, BodyState, LinkIndex};

use super::Actuators;
use super::prescribed::Change;
use crate::impulse::joints::loops::rows::hangs_on_root;
use crate::model::simulated_body::{JointHandle, SimulatedBody};
use crate::world::convert::{from_vec3, to_vec3};

/// Gives prescribed joints their velocities of this step, and everything else what keeps the momentum.
pub(crate) fn give_velocities(
    bodies: Query<(&BodyModel, &SimulatedBody, &BodyState, &Actuators)>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
) -> Result {
    let (mut set, mut joints) = contexts.single_mut()?;
    for (BodyModel(body), simulated, state, actuators) in &bodies {
        let change = &actuators.prescribed.change;
        if change.joints.is_empty() {
            continue;
        }
        let twists = Configuration::new(body, &state.link_poses[LinkIndex::ROOT.0], &state.displacements)
            .link_twists(&change.root, &change.joints);
        change_rigid_bodies(body, simulated, state, &twists, &mut set.bodies);
        change_multibodies(simulated, state, change, &set.bodies, &mut joints);
    }
    Ok(())
}

/// Parts of multibodies are changed too, so that whoever looks at them before the step sees them move.
fn change_rigid_bodies(
    body: &Body,
    simulated: &SimulatedBody,
    state: &BodyState,
    twists: &[Twist],
    set: &mut RigidBodySet,
) {
    for (index, _) in body.indexed_links().filter(|(index, _)| hangs_on_root(body, *index)) {
        let of_part = simulated.links[index.0];
        if !of_part.is_carrier {
            continue;
        }
        let Some(part) = set.get_mut(simulated.parts[of_part.part.0]).filter(|part| part.is_dynamic()) else {
            continue;
        };
        let offset = from_vec3(part.center_of_mass()) - state.link_poses[index.0].translation.vector;
        let twist = twists[index.0];
        let (linear, angular) =
            (part.linvel() + to_vec3(&twist.velocity_at(&offset)), part.angvel() + to_vec3(&twist.angular));
        part.set_linvel(linear, false);
        part.set_angvel(angular, false);
    }
}

fn change_multibodies(
    simulated: &SimulatedBody,
    state: &BodyState,
    change: &Change,
    set: &RigidBodySet,
    joints: &mut RapierContextJoints,
) {
    #[allow(clippy::cast_possible_truncation)]
    for joint in &simulated.joints {
        let JointHandle::Multibody(handle) = joint.handle else { continue };
        let Some(&found) = joints.multibody_joints.rigid_body_link(handle) else { continue };
        let Some(multibody) = joints.multibody_joints.get_multibody_mut(found.multibody) else { continue };
        let Some(coordinate) = multibody.link(found.id).map(MultibodyLink::assembly_id) else { continue };
        multibody.generalized_velocity_mut()[coordinate] += change.joints[joint.index.0] as f32;
    }
    let handle = simulated.parts[simulated.links[LinkIndex::ROOT.0].part.0];
    let Some(&found) = joints.multibody_joints.rigid_body_link(handle) else { return };
    let Some(multibody) = joints.multibody_joints.get_multibody_mut(found.multibody) else { return };
    let (Some(link), Some(part)) = (multibody.link(found.id), set.get(handle)) else { return };
    if !link.is_root() || link.joint().ndofs() != ROOT_COORDINATES {
        return;
    }
    let first = link.assembly_id();
    // Rapier's root moves with its centre of mass.
    let offset = from_vec3(part.center_of_mass()) - state.link_poses[LinkIndex::ROOT.0].translation.vector;
    let (linear, angular) = (to_vec3(&change.root.velocity_at(&offset)), to_vec3(&change.root.angular));
    let mut velocity = multibody.generalized_velocity_mut();
    for (row, change) in linear.to_array().into_iter().chain(angular.to_array()).enumerate() {
        velocity[first + row] += change;
    }
}

/// Coordinates of a root that is free.
const ROOT_COORDINATES: usize = 6;
