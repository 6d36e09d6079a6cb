use bevy::ecs::component::Mutable;
use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{CCDSolver, IslandManager};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, NarrowPhase};
use bevy_rapier3d::rapier::pipeline::PhysicsPipeline;
use bunraku_body::simulation::{SimulationClock, SimulationStatus};
use bunraku_body::{BodyState, JointActuation, JointEfforts, JointTargets};
use bunraku_motion::MotionPlayer;

use crate::actuation::Actuators;
use crate::contacts::{ContactRules, RecentImpacts};
use crate::{
    ExternalForces, FeedForward, FollowMotion, GuidedRoot, JointLosses, JointReadings, PdController, VelocityCommands,
    VelocityLimits,
};

/// A simulation at the end of a step, to go back to as often as one likes: from there it goes on as it did, bit for bit.
///
/// It holds the clock, the state of all bodies with their commands, motions and our own controllers, and rapier's world with
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
    recent_impacts: RecentImpacts,
    bodies: SavedBodies,
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

/// What bodies have of one component.
#[derive(Clone)]
struct Saved<C>(Vec<(Entity, C)>);

impl<C: Component<Mutability = Mutable> + Clone> Saved<C> {
    fn take(world: &mut World) -> Self {
        Self(world.query::<(Entity, &C)>().iter(world).map(|(entity, component)| (entity, component.clone())).collect())
    }

    fn restore(&self, world: &mut World) {
        for (entity, saved) in &self.0 {
            if let Some(mut component) = world.get_mut::<C>(*entity) {
                component.clone_from(saved);
            }
        }
    }
}

/// Everything on bodies that changes from step to step.
#[derive(Clone)]
struct SavedBodies {
    states: Saved<BodyState>,
    actuations: Saved<JointActuation>,
    efforts: Saved<JointEfforts>,
    targets: Saved<JointTargets>,
    velocity_commands: Saved<VelocityCommands>,
    feed_forward: Saved<FeedForward>,
    external_forces: Saved<ExternalForces>,
    losses: Saved<JointLosses>,
    limits: Saved<VelocityLimits>,
    guided_roots: Saved<GuidedRoot>,
    pd_controllers: Saved<PdController>,
    followers: Saved<FollowMotion>,
    players: Saved<MotionPlayer>,
    actuators: Saved<Actuators>,
    readings: Saved<JointReadings>,
}

impl SavedBodies {
    fn take(world: &mut World) -> Self {
        Self {
            states: Saved::take(world),
            actuations: Saved::take(world),
            efforts: Saved::take(world),
            targets: Saved::take(world),
            velocity_commands: Saved::take(world),
            feed_forward: Saved::take(world),
            external_forces: Saved::take(world),
            losses: Saved::take(world),
            limits: Saved::take(world),
            guided_roots: Saved::take(world),
            pd_controllers: Saved::take(world),
            followers: Saved::take(world),
            players: Saved::take(world),
            actuators: Saved::take(world),
            readings: Saved::take(world),
        }
    }

    fn restore(&self, world: &mut World) {
        // No field is forgotten.
        let Self {
            states,
            actuations,
            efforts,
            targets,
            velocity_commands,
            feed_forward,
            external_forces,
            losses,
            limits,
            guided_roots,
            pd_controllers,
            followers,
            players,
            actuators,
            readings,
        } = self;
        states.restore(world);
        actuations.restore(world);
        efforts.restore(world);
        targets.restore(world);
        velocity_commands.restore(world);
        feed_forward.restore(world);
        external_forces.restore(world);
        losses.restore(world);
        limits.restore(world);
        guided_roots.restore(world);
        pd_controllers.restore(world);
        followers.restore(world);
        players.restore(world);
        actuators.restore(world);
        readings.restore(world);
    }
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
        let bodies = SavedBodies::take(world);
        let (clock, status) = (*world.resource::<SimulationClock>(), world.resource::<SimulationStatus>().clone());
        let recent_impacts = world.resource::<ContactRules>().recent_impacts().clone();
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
            recent_impacts,
            bodies,
        })
    }

    /// Goes back to the snapshot, in the world it was taken of.
    ///
    /// # Errors
    /// If the world has no physics, or a body is gone; nothing is changed then.
    pub fn restore(&self, world: &mut World) -> Result<(), SnapshotError> {
        let states = &self.bodies.states.0;
        if let Some((gone, _)) = states.iter().find(|(entity, _)| world.get::<BodyState>(*entity).is_none()) {
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
        self.bodies.restore(world);
        world.resource_mut::<ContactRules>().set_recent_impacts(self.recent_impacts.clone());
        world.insert_resource(self.clock);
        world.insert_resource(self.status.clone());
        Ok(())
    }
}
