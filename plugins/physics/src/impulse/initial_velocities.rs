//! The velocities that bodies start with.

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{Body, BodyState, LinkIndex};

use crate::model::initial_twist::InitialTwist;
use crate::model::rigid_parts::RigidParts;
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::to_vec3;

/// Gives all parts of a body the velocities that it starts with. A part that moves freely inside it starts as if it were fixed to
/// its parent.
pub(crate) fn give(
    body: &Body,
    (simulated, parts): (&SimulatedBody, &RigidParts),
    state: &BodyState,
    root: Option<&InitialTwist>,
    set: &mut RigidBodySet,
) {
    let root = root.filter(|_| !body.is_fixed() && !simulated.terms.is_guided);
    let root = root.map_or(Twist::ZERO, |twist| twist.0);
    if root == Twist::ZERO && state.velocities.iter().all(|velocity| *velocity == 0.0) {
        return;
    }
    let configuration = Configuration::new(body, state.link_pose(LinkIndex::ROOT), &state.displacements);
    let twists = configuration.link_twists(&root, &state.velocities);
    for (index, _) in body.indexed_links().filter(|(index, _)| simulated.links[*index].is_carrier) {
        let part = simulated.links[index].part;
        let (handle, twist) = (simulated.parts[part], twists[index.0]);
        // In double precision, as the model has it.
        let center = state.link_pose(index).rotation * parts.parts[part].mass.center_of_mass.coords;
        if let Some(part) = set.get_mut(handle).filter(|part| part.is_dynamic()) {
            part.set_linvel(to_vec3(&twist.velocity_at(&center)), true);
            part.set_angvel(to_vec3(&twist.angular), true);
        }
    }
}
