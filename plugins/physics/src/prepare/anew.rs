//! All bodies built anew.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{CCDSolver, ImpulseJointSet, IslandManager, MultibodyJointSet, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, ColliderSet, NarrowPhase};
use bevy_rapier3d::rapier::pipeline::PhysicsPipeline;
use bunraku_body::LinkOf;
use bunraku_simulation::SnapshotError;

use super::assembly::SurfaceOf;
use super::removal::{self, Departures};
use super::{rebuild, schedule};
use crate::bodies::MultibodyWorld;

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
    let mut contexts = world.query::<(
        &mut RapierContextSimulation,
        &mut RapierRigidBodySet,
        &mut RapierContextColliders,
        &mut RapierContextJoints,
    )>();
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
    schedule::prepare_new(world);
    Ok(())
}
