//! The velocities that bodies start with.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::{MultibodyLink, RigidBodyHandle, RigidBodySet};
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{Body, BodyState, LinkIndex};
use nalgebra::Vector3;

use crate::model::index::RigidPartIndex;
use crate::model::initial_twist::InitialTwist;
use crate::model::rigid_parts::RigidParts;
use crate::model::simulated_body::{JointHandle, SimulatedBody};
use crate::world::convert::to_vec3;

/// Coordinates of a root that is free.
const FREE: usize = 6;

/// Gives all parts of a body the velocities that it starts with. A part that moves freely inside it starts as if it were fixed to
/// its parent.
pub(crate) fn give(
    body: &Body,
    (simulated, parts): (&SimulatedBody, &RigidParts),
    state: &BodyState,
    root: Option<&InitialTwist>,
    set: &mut RigidBodySet,
    joints: &mut RapierContextJoints,
) {
    let root = root.filter(|_| !body.is_fixed() && simulated.root_guide.is_none());
    let root = root.map_or(Twist::ZERO, |twist| twist.0);
    if root == Twist::ZERO && state.velocities.iter().all(|velocity| *velocity == 0.0) {
        return;
    }
    let configuration = Configuration::new(body, &state.link_poses[LinkIndex::ROOT.0], &state.displacements);
    let twists = configuration.link_twists(&root, &state.velocities);
    for (index, _) in body.indexed_links().filter(|(index, _)| simulated.links[index.0].is_carrier) {
        let RigidPartIndex(part) = simulated.links[index.0].part;
        let (handle, twist) = (simulated.parts[part], twists[index.0]);
        // In double precision, as the model has it.
        let center = state.link_poses[index.0].rotation * parts.parts[part].mass.center_of_mass.coords;
        if let Some(part) = set.get_mut(handle).filter(|part| part.is_dynamic()) {
            part.set_linvel(to_vec3(&twist.velocity_at(&center)), true);
            part.set_angvel(to_vec3(&twist.angular), true);
        }
        give_to_root(handle, &center, &twist, joints);
    }
    #[allow(clippy::cast_possible_truncation)]
    for joint in &simulated.joints {
        let JointHandle::Multibody(handle) = joint.handle else { continue };
        let Some(&place) = joints.multibody_joints.rigid_body_link(handle) else { continue };
        let Some(multibody) = joints.multibody_joints.get_multibody_mut(place.multibody) else { continue };
        let Some(coordinate) = multibody.link(place.id).map(MultibodyLink::assembly_id) else { continue };
        multibody.generalized_velocity_mut()[coordinate] = state.velocities[joint.index.0] as f32;
    }
}

/// If a part is the free root of a multibody, gives its coordinates their velocities; rapier's root moves with its centre of mass.
fn give_to_root(handle: RigidBodyHandle, center: &Vector3<f64>, twist: &Twist, joints: &mut RapierContextJoints) {
    let Some(&place) = joints.multibody_joints.rigid_body_link(handle) else { return };
    let Some(multibody) = joints.multibody_joints.get_multibody_mut(place.multibody) else { return };
    let Some(link) = multibody.link(place.id) else { return };
    if !link.is_root() || link.joint().ndofs() != FREE {
        return;
    }
    let first = link.assembly_id();
    let (linear, angular) = (to_vec3(&twist.velocity_at(center)), to_vec3(&twist.angular));
    let mut velocity = multibody.generalized_velocity_mut();
    for (place, value) in linear.to_array().into_iter().chain(angular.to_array()).enumerate() {
        velocity[first + place] = value;
    }
}
