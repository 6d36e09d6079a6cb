//! All bodies built anew.

use std::collections::HashMap;

use bevy::prelude::*;
use bevy_rapier3d::plugin::systems::init_rigid_bodies;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{
    CCDSolver, ImpulseJointSet, IslandManager, MultibodyJointSet, RigidBodyHandle, RigidBodySet,
};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, ColliderSet, NarrowPhase};
use bevy_rapier3d::rapier::pipeline::PhysicsPipeline;
use bunraku_body::LinkOf;
use bunraku_simulation::SnapshotError;

use super::assembly::{self, SurfaceOf};
use super::removal::{self, Departures};
use super::{rebuild, schedule};
use crate::bodies::MultibodyWorld;
use crate::world::state::Context;

/// Links with rigid bodies, in the order in which rapier added these before the first step.
#[derive(Resource, Debug, Default)]
pub(super) struct FirstOrder(Vec<Entity>);

type NewLink = (With<RigidBody>, With<LinkOf>, Without<RapierRigidBodyHandle>);

type UsersOwn = Or<(
    (With<RapierRigidBodyHandle>, Without<LinkOf>),
    (With<RapierColliderHandle>, Without<SurfaceOf>),
    With<RapierImpulseJointHandle>,
)>;

/// Builds all bodies anew, at rest at their present states, as they are built before the first step. Pending
/// [`Teleport`](crate::Teleport)s are dropped.
///
/// A [`SimulationSnapshot`](bunraku_simulation::SimulationSnapshot) does not fit a world in which a body was rebuilt since, by a
/// [`Teleport`](crate::Teleport) or another change of its settings. After this one from before the first step fits again, if the bodies and
/// their settings are those of that time, and the simulation then repeats bit for bit.
///
/// # Errors
/// If users have rapier bodies, colliders or joints of their own, which this does not build. The world is unchanged then.
pub fn rebuild_bodies(world: &mut World) -> Result<(), SnapshotError> {
    let failed = |error: BevyError| SnapshotError::Unfit(format!("bodies cannot be rebuilt: {error}"));
    if world.query_filtered::<(), UsersOwn>().iter(world).next().is_some() {
        let message = "there are user-defined rigid bodies, colliders or joints, which are not rebuilt";
        return Err(SnapshotError::Unfit(message.to_owned()));
    }
    world.run_system_cached(rebuild::take_out_all).map_err(|error| failed(error.into()))?;
    let departures = std::mem::take(&mut *world.resource_mut::<Departures>());
    removal::forget(world, &departures);
    removal::remove(world, departures).map_err(failed)?;
    // Handles, on which the order of bodies depends, are those of the first bodies again.
    *world.resource_mut::<MultibodyWorld>() = MultibodyWorld::default();
    let mut contexts = world.query::<Context>();
    let (mut simulation, mut bodies, mut colliders, mut joints) =
        contexts.single_mut(world).map_err(|error| failed(error.into()))?;
    simulation.islands = IslandManager::new();
    simulation.broad_phase = BroadPhaseBvh::new();
    simulation.narrow_phase = NarrowPhase::new();
    simulation.ccd_solver = CCDSolver::new();
    simulation.pipeline = PhysicsPipeline::new();
    bodies.bodies = RigidBodySet::new();
    colliders.colliders = ColliderSet::new();
    joints.impulse_joints = ImpulseJointSet::new();
    joints.multibody_joints = MultibodyJointSet::new();
    world.run_system_cached(assembly::assemble).map_err(|error| failed(error.into()))?;
    schedule::update_transforms(world);
    add_in_first_order(world).map_err(failed)?;
    schedule::prepare_new(world);
    Ok(())
}

/// Adds the rigid bodies of links in the order of the first time. Rapier by itself adds them in the order of archetypes, which other
/// components of the links change.
fn add_in_first_order(world: &mut World) -> Result {
    let mut links: Vec<Entity> = world.query_filtered::<Entity, NewLink>().iter(world).collect();
    let first: HashMap<Entity, usize> =
        world.resource::<FirstOrder>().0.iter().enumerate().map(|(index, &link)| (link, index)).collect();
    links.sort_by_key(|link| (first.get(link).copied().unwrap_or(usize::MAX), *link));
    for &link in &links {
        world.entity_mut(link).insert(RapierRigidBodyHandle(RigidBodyHandle::invalid()));
    }
    for link in links {
        // Rapier adds what has no handle.
        world.entity_mut(link).remove::<RapierRigidBodyHandle>();
        world.run_system_cached(init_rigid_bodies)?;
    }
    Ok(())
}

/// Notes the order of rigid bodies, before the first step.
pub(super) fn note_first_order(world: &mut World) {
    let mut contexts = world.query::<&RapierRigidBodySet>();
    let owners = contexts.iter(world).flat_map(|set| {
        // The ground of extra joints to the world belongs to no entity.
        set.bodies.iter().filter_map(|(_, body)| Entity::try_from_bits(u64::try_from(body.user_data).ok()?))
    });
    let owners: Vec<Entity> = owners.filter(|owner| world.get::<LinkOf>(*owner).is_some()).collect();
    world.resource_mut::<FirstOrder>().0 = owners;
}
