use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{CCDSolver, IslandManager};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, NarrowPhase};
use bevy_rapier3d::rapier::pipeline::PhysicsPipeline;
use bunraku_body::simulation::{SimulationClock, SimulationStatus};
use bunraku_body::{BodyState, JointEfforts};
use bunraku_motion::MotionPlayer;

use crate::PdController;

/// A simulation at the end of a step, to go back to as often as one likes: from there it goes on as it did, bit for bit.
///
/// It holds the clock, the state of all bodies with their efforts, motions and our own controllers, and rapier's world with
/// the forces its solver begins with. Whoever adds components with a state of their own keeps these beside. A recording
/// knows nothing of it: it goes on with the frames that come.
#[derive(Clone)]
pub struct SimulationSnapshot {
    clock: SimulationClock,
    status: SimulationStatus,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    ccd_solver: CCDSolver,
    rigid_bodies: RapierRigidBodySet,
    colliders: RapierContextColliders,
    joints: RapierContextJoints,
    bodies: Vec<(Entity, SavedBody)>,
}

/// Why there is nothing to take or to go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The world has no rapier context, or several.
    #[error("the world has not exactly one physics context: is `PhysicsPlugin` there?")]
    NoContext,
    /// A body of the snapshot is not there any more.
    #[error("a body of the snapshot is not in the world any more: {0}")]
    NoBody(Entity),
}

#[derive(Clone)]
struct SavedBody {
    state: BodyState,
    efforts: Option<JointEfforts>,
    pd_controller: Option<PdController>,
    player: Option<MotionPlayer>,
}

#[derive(QueryData)]
#[query_data(mutable)]
struct SavedParts {
    entity: Entity,
    state: &'static mut BodyState,
    efforts: Option<&'static mut JointEfforts>,
    pd_controller: Option<&'static mut PdController>,
    player: Option<&'static mut MotionPlayer>,
}

type Context = (
    &'static mut RapierContextSimulation,
    &'static mut RapierRigidBodySet,
    &'static mut RapierContextColliders,
    &'static mut RapierContextJoints,
);

impl SimulationSnapshot {
    /// Takes a snapshot between two steps.
    ///
    /// # Errors
    /// If the world has no physics.
    pub fn take(world: &mut World) -> Result<Self, SnapshotError> {
        let mut parts = world.query::<SavedParts>();
        let bodies = parts.iter_mut(world).map(|parts| {
            let saved = SavedBody {
                state: parts.state.clone(),
                efforts: parts.efforts.map(|efforts| efforts.clone()),
                pd_controller: parts.pd_controller.map(|controller| controller.clone()),
                player: parts.player.map(|player| player.clone()),
            };
            (parts.entity, saved)
        });
        let bodies = bodies.collect();
        let (clock, status) = (*world.resource::<SimulationClock>(), world.resource::<SimulationStatus>().clone());
        let mut contexts = world.query::<Context>();
        let (simulation, rigid_bodies, colliders, joints) =
            contexts.single_mut(world).map_err(|_| SnapshotError::NoContext)?;
        Ok(Self {
            clock,
            status,
            islands: simulation.islands.clone(),
            broad_phase: simulation.broad_phase.clone(),
            narrow_phase: simulation.narrow_phase.clone(),
            ccd_solver: simulation.ccd_solver.clone(),
            rigid_bodies: rigid_bodies.clone(),
            colliders: colliders.clone(),
            joints: joints.clone(),
            bodies,
        })
    }

    /// Goes back to the snapshot, in the world it was taken of.
    ///
    /// # Errors
    /// If the world has no physics, or a body is gone; nothing is changed then.
    pub fn restore(&self, world: &mut World) -> Result<(), SnapshotError> {
        let mut parts = world.query::<SavedParts>();
        if let Some((gone, _)) = self.bodies.iter().find(|(entity, _)| parts.get_mut(world, *entity).is_err()) {
            return Err(SnapshotError::NoBody(*gone));
        }
        let mut contexts = world.query::<Context>();
        let (mut simulation, mut rigid_bodies, mut colliders, mut joints) =
            contexts.single_mut(world).map_err(|_| SnapshotError::NoContext)?;
        simulation.islands = self.islands.clone();
        simulation.broad_phase = self.broad_phase.clone();
        simulation.narrow_phase = self.narrow_phase.clone();
        simulation.ccd_solver = self.ccd_solver.clone();
        // It keeps nothing from step to step but room to work in and what it knows of the sets that are replaced.
        simulation.pipeline = PhysicsPipeline::new();
        *rigid_bodies = self.rigid_bodies.clone();
        *colliders = self.colliders.clone();
        *joints = self.joints.clone();
        for (entity, saved) in &self.bodies {
            let Ok(mut parts) = parts.get_mut(world, *entity) else { continue };
            parts.state.clone_from(&saved.state);
            if let (Some(mut efforts), Some(saved)) = (parts.efforts, &saved.efforts) {
                efforts.clone_from(saved);
            }
            if let (Some(mut controller), Some(saved)) = (parts.pd_controller, &saved.pd_controller) {
                controller.clone_from(saved);
            }
            if let (Some(mut player), Some(saved)) = (parts.player, &saved.player) {
                player.clone_from(saved);
            }
        }
        world.insert_resource(self.clock);
        world.insert_resource(self.status.clone());
        Ok(())
    }
}
