use bevy::prelude::*;
use bevy_rapier3d::plugin::systems::writeback_rigid_bodies;
use bevy_rapier3d::plugin::{NoUserData, RapierConfiguration, RapierContextInitialization, RapierPhysicsPlugin};
use bevy_rapier3d::prelude::{
    DefaultRapierContext, RapierContextColliders, RapierContextJoints, RapierContextSimulation, RapierRigidBodySet,
};
use bunraku_simulation::{
    RegisterSimulationState, SimulationClock, SimulationPlugin, SimulationStatus, SimulationStep, SimulationSystems,
    StepSystems,
};

use crate::actuation::external_forces::{self, ExternalForces};
use crate::actuation::faulty_commands;
use crate::model::collision::{BodyCollision, LinkCollision, SurfaceMaterials};
use crate::model::extra_joint::ExtraJointBetween;
use crate::model::gains::EffortGains;
use crate::model::guided_root::GuidedRoot;
use crate::model::initial_twist::InitialTwist;
use crate::model::joint_limits::{JointLimits, JointsBeyondRange};
use crate::model::joint_losses::JointLosses;
use crate::model::limitations::ReportedLimitations;
use crate::model::parameters::PhysicsParameters;
use crate::model::rapier_poses::RapierPoses;
use crate::model::teleport::Teleport;
use crate::model::unsolved_steps::UnsolvedSteps;
use crate::model::velocity_limits::VelocityLimits;
use crate::model::widest_gap::WidestGap;
use crate::multibody_world::states::MultibodyState;
use crate::multibody_world::system_of_bodies::JointPast;
use crate::multibody_world::{self, MultibodyWorld};
use crate::rapier_step::{joints, leading, motors, states, step};
use crate::readings::joint_readings::{self, JointReadings};
use crate::readings::{of_multibodies, ranges};
use crate::take_in;
use crate::world::contacts::ContactRules;
use crate::world::context;
use crate::world::state::RapierWorld;
use crate::world::tracks::{self, Tracks};

/// Bodies driven by forces: rapier's world, joints, contacts and actuation.
///
/// Needs [`bunraku_body::BodyPlugin`].
#[derive(Clone, Debug, Default)]
pub struct PhysicsPlugin {
    /// How the world is stepped, unless the app has [`PhysicsParameters`] already.
    pub parameters: PhysicsParameters,
}

/// The parts of [`StepSystems::Solve`], in order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicsSystems {
    /// Bodies that play a motion are led to where they will be.
    LeadDrivenBodies,
    /// Rapier's pipeline, and nothing else.
    Pipeline,
    /// Body states are read back and checked.
    ReadStates,
    /// [`JointReadings`] are measured, so that they are there for all that sense.
    MeasureJoints,
}

impl Plugin for PhysicsPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        // bevy_rapier keeps the world; when it is stepped is our business. The world is there at once: steps may be made
        // before the app is updated for the first time.
        app.add_plugins(
            RapierPhysicsPlugin::<NoUserData>::default()
                .with_default_system_setup(false)
                .with_custom_initialization(RapierContextInitialization::NoAutomaticRapierContext),
        );
        app.world_mut().spawn((
            Name::new("Rapier"),
            RapierContextSimulation::default(),
            RapierConfiguration::new(1.0),
            DefaultRapierContext,
        ));
        if !app.world().contains_resource::<PhysicsParameters>() {
            app.insert_resource(self.parameters.clone());
        }
        app.init_resource::<SurfaceMaterials>()
            .init_resource::<ContactRules>()
            .init_resource::<MultibodyWorld>()
            .init_resource::<RapierPoses>()
            .init_resource::<JointsBeyondRange>()
            .init_resource::<ReportedLimitations>()
            .init_resource::<UnsolvedSteps>()
            .init_resource::<WidestGap>();
        let clock = *app.world().resource::<SimulationClock>();
        app.insert_resource(context::timestep_mode(&clock));
        register(app);
        take_in::add(app);
        app.configure_sets(
            SimulationStep,
            (
                PhysicsSystems::LeadDrivenBodies,
                PhysicsSystems::Pipeline,
                PhysicsSystems::ReadStates,
                PhysicsSystems::MeasureJoints,
            )
                .chain()
                .in_set(StepSystems::Solve),
        );
        // Asked once a step. After a fault, in the same step, nothing moves any more. These sets are users', too: whether our own systems
        // have anything to do there is asked of those alone.
        app.configure_sets(
            SimulationStep,
            (
                PhysicsSystems::LeadDrivenBodies.run_if(has_not_failed),
                PhysicsSystems::Pipeline.run_if(has_not_failed),
                PhysicsSystems::ReadStates.run_if(has_not_failed),
                PhysicsSystems::MeasureJoints.run_if(has_not_failed),
                OfSolver::Impulse.run_if(not(multibody_world::is_used)),
                OfSolver::Multibody.run_if(multibody_world::is_used),
            ),
        );
        app.add_systems(
            SimulationStep,
            (
                faulty_commands::check.after(SimulationSystems::Control).before(SimulationSystems::Actuate),
                ((joints::limit, motors::actuate).chain().in_set(OfSolver::Impulse), external_forces::apply)
                    .chain()
                    .in_set(SimulationSystems::Actuate),
                (
                    (joint_readings::remember, leading::lead).chain().in_set(OfSolver::Impulse),
                    tracks::run_tracks.run_if(any_with_component::<Tracks>),
                )
                    .chain()
                    .in_set(PhysicsSystems::LeadDrivenBodies),
                (step::step.in_set(OfSolver::Impulse), multibody_world::step::step.in_set(OfSolver::Multibody))
                    .chain()
                    .in_set(PhysicsSystems::Pipeline),
                (
                    states::read_states.in_set(OfSolver::Impulse),
                    (multibody_world::extra_joints::see_gaps, multibody_world::states::read_states)
                        .chain()
                        .in_set(OfSolver::Multibody),
                )
                    .chain()
                    .in_set(PhysicsSystems::ReadStates),
                (
                    joint_readings::measure.in_set(OfSolver::Impulse),
                    (of_multibodies::find, of_multibodies::read).chain().in_set(OfSolver::Multibody),
                )
                    .chain()
                    .run_if(any_with_component::<JointReadings>)
                    .in_set(PhysicsSystems::MeasureJoints),
                ranges::note_joints_beyond_range.in_set(PhysicsSystems::MeasureJoints),
            ),
        )
        .add_systems(
            PostUpdate,
            (
                multibody_world::step::show
                    .run_if(multibody_world::is_used.and_then(resource_equals(RapierPoses::EveryUpdate))),
                writeback_rigid_bodies.run_if(not(resource_equals(RapierPoses::Never))),
            )
                .chain()
                .before(TransformSystems::Propagate),
        );
    }
}

/// Systems of one of the solvers.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
enum OfSolver {
    Impulse,
    Multibody,
}

/// What changes from step to step.
fn register(app: &mut App) {
    app.register_simulation_store::<RapierWorld>()
        .ignore_simulation_state::<UnsolvedSteps>("a run's own account")
        .register_simulation_store::<MultibodyState>()
        .ignore_simulation_state::<MultibodyWorld>("`MultibodyState` keeps what counts")
        .register_simulation_state::<JointPast>()
        .register_simulation_state::<JointReadings>()
        .register_simulation_state::<ExternalForces>()
        .register_simulation_state::<GuidedRoot>()
        .register_simulation_state::<Teleport>()
        .ignore_simulation_state::<RapierContextSimulation>("its store keeps it")
        .ignore_simulation_state::<RapierContextColliders>("its store keeps it")
        .ignore_simulation_state::<RapierContextJoints>("its store keeps it")
        .ignore_simulation_state::<RapierRigidBodySet>("its store keeps it")
        .ignore_simulation_state::<RapierConfiguration>("the parameters of the run")
        .ignore_simulation_state::<ContactRules>("it belongs to the bodies")
        .ignore_simulation_state::<ReportedLimitations>("a run's own account")
        .ignore_simulation_state::<JointsBeyondRange>("what a run tells at its end")
        .ignore_simulation_state::<WidestGap>("what a run tells at its end")
        .register_type::<BodyCollision>()
        .register_type::<LinkCollision>()
        .register_type::<EffortGains>()
        .register_type::<ExternalForces>()
        .register_type::<ExtraJointBetween>()
        .register_type::<GuidedRoot>()
        .register_type::<InitialTwist>()
        .register_type::<JointLimits>()
        .register_type::<JointLosses>()
        .register_type::<JointsBeyondRange>()
        .register_type::<JointReadings>()
        .register_type::<PhysicsParameters>()
        .register_type::<RapierPoses>()
        .register_type::<ReportedLimitations>()
        .register_type::<SurfaceMaterials>()
        .register_type::<Teleport>()
        .register_type::<UnsolvedSteps>()
        .register_type::<VelocityLimits>()
        .register_type::<WidestGap>();
}

fn has_not_failed(status: Res<SimulationStatus>) -> bool {
    !matches!(*status, SimulationStatus::Failed(_))
}
