//! Despawned bodies and extra joints.
//!
//! Observers record them at once, also while the simulation is paused; they leave rapier's world before the next step.

use bevy::prelude::*;
use bevy_rapier3d::plugin::systems::sync_removals;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{ImpulseJointHandle, RigidBodyHandle};

use super::collision_groups::BodiesApart;
use crate::bodies;
use crate::model::extra_joint::{ExtraJointConstraint, SimulatedExtraJoint};
use crate::model::simulated_body::SimulatedBody;
use crate::world::contacts::ContactRules;
use crate::world::state::Context;
use bunraku_multibody::ClosureIndex;

/// Bodies and joints to be removed before the next step.
#[derive(Resource, Debug, Default)]
pub(super) struct Departures {
    bodies: Vec<Departed>,
    joints: Vec<ImpulseJointHandle>,
    /// Other rigid bodies: those of users, and the fixed ones at the ends of joints.
    rigid_bodies: Vec<RigidBodyHandle>,
    /// Closures of the joints in the solver's system.
    closures: Vec<ClosureIndex>,
}

#[derive(Debug)]
struct Departed {
    entity: Entity,
    parts: Vec<RigidBodyHandle>,
}

impl Departures {
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty() && self.joints.is_empty() && self.rigid_bodies.is_empty() && self.closures.is_empty()
    }
}

pub(super) fn body_goes(gone: On<Remove, SimulatedBody>, bodies: Query<&SimulatedBody>, mut list: ResMut<Departures>) {
    if let Ok(body) = bodies.get(gone.entity) {
        list.bodies.push(Departed { entity: gone.entity, parts: body.parts.clone().into() });
    }
}

pub(super) fn joint_goes(
    gone: On<Remove, SimulatedExtraJoint>,
    joints: Query<&SimulatedExtraJoint>,
    mut list: ResMut<Departures>,
) {
    match joints.get(gone.entity).map(|joint| joint.constraint) {
        Ok(ExtraJointConstraint::Closure(closure)) => list.closures.push(closure),
        Ok(ExtraJointConstraint::Rapier { joint, fixture }) => {
            list.joints.push(joint);
            list.rigid_bodies.extend(fixture);
        }
        Ok(ExtraJointConstraint::None) | Err(_) => {}
    }
}

/// A rigid body of a user, or one that its body lists too.
pub(super) fn rigid_body_goes(
    gone: On<Remove, RigidBody>,
    handles: Query<&RapierRigidBodyHandle>,
    mut list: ResMut<Departures>,
) {
    list.rigid_bodies.extend(handles.get(gone.entity).map(|handle| handle.0));
}

/// A joint of a user.
pub(super) fn users_joint_goes(
    gone: On<Remove, ImpulseJoint>,
    handles: Query<&RapierImpulseJointHandle>,
    mut list: ResMut<Departures>,
) {
    list.joints.extend(handles.get(gone.entity).map(|handle| handle.0));
}

/// Removes departed bodies from everything but rapier's sets, before new bodies are prepared.
pub(super) fn forget(world: &mut World, departures: &Departures) {
    for Departed { entity, parts } in &departures.bodies {
        world.resource_mut::<ContactRules>().forget(*entity, parts);
        world.resource_mut::<BodiesApart>().forget(*entity);
    }
    let entities: Vec<Entity> = departures.bodies.iter().map(|body| body.entity).collect();
    let parts: Vec<RigidBodyHandle> = departures.bodies.iter().flat_map(|body| body.parts.iter().copied()).collect();
    bodies::removal::forget(world, &entities, &parts, &departures.closures);
}

/// Removes departed bodies and joints from rapier's sets, with their colliders and the joints at them.
///
/// It runs after new bodies are prepared: settling their mass properties would make rapier forget what was removed.
pub(super) fn remove(world: &mut World, departures: Departures) -> Result {
    let mut contexts = world.query::<Context>();
    let (mut simulation, mut bodies, mut colliders, mut joints) = contexts.single_mut(world)?;
    let joints = &mut *joints;
    for joint in departures.joints {
        joints.impulse_joints.remove(joint, true);
    }
    let parts = departures.bodies.iter().flat_map(|body| &body.parts).chain(&departures.rigid_bodies);
    for &part in parts {
        let (impulse, multibody) = (&mut joints.impulse_joints, &mut joints.multibody_joints);
        bodies.bodies.remove(part, &mut simulation.islands, &mut colliders.colliders, impulse, multibody, true);
    }
    // bevy_rapier's maps of entities.
    world.run_system_cached(sync_removals)?;
    Ok(())
}
