//! Rapier's world as state of the simulation.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{CCDSolver, ImpulseJointSet, IslandManager, MultibodyJointSet, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, ColliderSet, NarrowPhase};
use bevy_rapier3d::rapier::pipeline::PhysicsPipeline;
use bunraku_simulation::{SnapshotEntities, SnapshotError, StateStore};
use serde::{Deserialize, Serialize};

/// Bodies, colliders, joints and contacts of rapier's context, with warm start impulses.
pub(crate) struct RapierWorld;

/// Saved state of [`RapierWorld`].
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedWorld {
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    ccd_solver: CCDSolver,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
}

/// Rapier's sets.
pub(crate) type Context = (
    &'static mut RapierContextSimulation,
    &'static mut RapierRigidBodySet,
    &'static mut RapierContextColliders,
    &'static mut RapierContextJoints,
);

const NO_CONTEXT: &str = "the world has not exactly one physics context: is `PhysicsPlugin` there?";

impl StateStore for RapierWorld {
    type Saved = SavedWorld;

    fn take(world: &mut World) -> Result<SavedWorld, SnapshotError> {
        let mut contexts = world.query::<Context>();
        let context = contexts.single_mut(world);
        let (simulation, bodies, colliders, joints) =
            context.map_err(|_| SnapshotError::Unfit(NO_CONTEXT.to_owned()))?;
        Ok(SavedWorld {
            islands: simulation.islands.clone(),
            broad_phase: simulation.broad_phase.clone(),
            narrow_phase: simulation.narrow_phase.clone(),
            ccd_solver: simulation.ccd_solver.clone(),
            bodies: bodies.bodies.clone(),
            colliders: colliders.colliders.clone(),
            impulse_joints: joints.impulse_joints.clone(),
            multibody_joints: joints.multibody_joints.clone(),
        })
    }

    fn check(saved: &SavedWorld, _: &SnapshotEntities, world: &mut World) -> Result<(), SnapshotError> {
        let mut contexts = world.query::<Context>();
        let context = contexts.single_mut(world);
        let (_, bodies, colliders, _) = context.map_err(|_| SnapshotError::Unfit(NO_CONTEXT.to_owned()))?;
        // With their entities, which rapier has as user data. Those of colliders may be others: a body that is built anew gets new ones.
        let owners =
            |set: &RigidBodySet| -> Vec<_> { set.iter().map(|(handle, body)| (handle, body.user_data)).collect() };
        let shapes = |set: &ColliderSet| -> Vec<_> {
            set.iter().map(|(handle, collider)| (handle, collider.parent(), collider.shape().shape_type())).collect()
        };
        if owners(&saved.bodies) != owners(&bodies.bodies) || shapes(&saved.colliders) != shapes(&colliders.colliders) {
            let message = "bodies were spawned, despawned or changed since the snapshot was taken, or in another order";
            return Err(SnapshotError::Unfit(message.to_owned()));
        }
        Ok(())
    }

    fn restore(saved: &SavedWorld, _: &SnapshotEntities, world: &mut World) {
        let mut contexts = world.query::<Context>();
        let Ok((mut simulation, mut bodies, mut colliders, mut joints)) = contexts.single_mut(world) else { return };
        simulation.islands = saved.islands.clone();
        simulation.broad_phase = saved.broad_phase.clone();
        simulation.narrow_phase = saved.narrow_phase.clone();
        simulation.ccd_solver = saved.ccd_solver.clone();
        // The pipeline has no state but buffers that depend on the replaced sets.
        simulation.pipeline = PhysicsPipeline::new();
        bodies.bodies = saved.bodies.clone();
        let before = std::mem::replace(&mut colliders.colliders, saved.colliders.clone());
        for (handle, now) in before.iter() {
            // Not all: rapier would update everything that is borrowed mutably.
            if saved.colliders.get(handle).is_some_and(|saved| saved.user_data != now.user_data)
                && let Some(collider) = colliders.colliders.get_mut(handle)
            {
                collider.user_data = now.user_data;
            }
        }
        joints.impulse_joints = saved.impulse_joints.clone();
        joints.multibody_joints = saved.multibody_joints.clone();
    }
}
