use bevy::prelude::*;
use bevy_rapier3d::plugin::systems::writeback_rigid_bodies;
use bevy_rapier3d::plugin::{NoUserData, RapierConfiguration, RapierContextInitialization, RapierPhysicsPlugin};
use bevy_rapier3d::prelude::{
    CollisionEvent, ContactForceEvent, DefaultRapierContext, RapierContextColliders, RapierContextJoints,
    RapierContextSimulation, RapierRigidBodySet,
};
use bunraku_simulation::{
    RegisterSimulationState, SimulationClock, SimulationPlugin, SimulationStatus, SimulationStep, SimulationSystems,
    StepSystems,
};

use crate::actuation::demand::JointPast;
use crate::actuation::external_forces::{self, ExternalForces};
use crate::actuation::faulty_commands;
use crate::bodies::states::MultibodyState;
use crate::bodies::{self, MultibodyWorld};
use crate::detection::reported_contact::ReportedContacts;
use crate::model::collision::{BodyCollision, LinkCollision, SurfaceMaterials};
use crate::model::constraint_errors::ConstraintErrors;
use crate::model::contact_residuals::ContactResiduals;
use crate::model::extra_joint::ExtraJointBetween;
use crate::model::gains::EffortGains;
use crate::model::initial_twist::InitialTwist;
use crate::model::joint_limits::{JointLimits, JointsBeyondRange};
use crate::model::joint_losses::JointLosses;
use crate::model::joint_springs::JointSprings;
use crate::model::kinematic_root::KinematicRoot;
use crate::model::limitations::ReportedLimitations;
use crate::model::parameters::PhysicsParameters;
use crate::model::rapier_poses::RapierPoses;
use crate::model::teleport::Teleport;
use crate::model::velocity_limits::VelocityLimits;
use crate::model::widest_gap::WidestGap;
use crate::prepare;
use crate::rapier_step::{extra_joints, joints, kinematic, motors, readings as rapier_readings, states, step};
use crate::readings::collision_events::{self, TouchingColliders};
use crate::readings::contact_changes::{self, ContactBegan, ContactEnded, ReportContacts, TouchingLinks};
use crate::readings::joint_readings::JointReadings;
use crate::readings::link_motions::LinkMotions;
use crate::readings::ranges;
use crate::world::contacts::ContactRules;
use crate::world::context;
use crate::world::drawn_links;
use crate::world::state::RapierWorld;
use crate::world::tracks::{self, Tracks};

/// Dynamics of bodies: rapier's world, joints, contacts and actuation.
///
/// Needs [`bunraku_body::BodyPlugin`].
#[derive(Clone, Debug, Default)]
pub struct PhysicsPlugin {
    /// Parameters, unless the app has [`PhysicsParameters`] already.
    pub parameters: PhysicsParameters,
}

/// Sets of [`StepSystems::Solve`], in order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicsSystems {
    /// Kinematic bodies are moved to their poses at the end of the step.
    MoveKinematicBodies,
    /// The solver's step: rapier's pipeline or the multibody solver.
    Pipeline,
    /// Body states are read and checked.
    ReadStates,
    /// [`JointReadings`] and [`LinkMotions`] are measured, before systems that sense.
    MeasureJoints,
}

impl Plugin for PhysicsPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        app.add_message::<CollisionEvent>().add_message::<ContactForceEvent>();
        app.add_message::<ContactBegan>().add_message::<ContactEnded>();
        // bevy_rapier holds the world, and this plugin steps it. The context exists at once, because steps may be made before the
        // first update of the app.
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
            .init_resource::<ReportedContacts>()
            .init_resource::<JointsBeyondRange>()
            .init_resource::<ReportedLimitations>()
            .init_resource::<ConstraintErrors>()
            .init_resource::<TouchingColliders>()
            .init_resource::<TouchingLinks>()
            .init_resource::<WidestGap>();
        let clock = *app.world().resource::<SimulationClock>();
        app.insert_resource(context::timestep_mode(&clock));
        register(app);
        collision_events::update_colliding_entities(app);
        prepare::add(app);
        configure_sets(app);
        add_steps(app);
        app.add_systems(
            PostUpdate,
            (
                bodies::step::show.run_if(bodies::is_used.and_then(resource_equals(RapierPoses::EveryUpdate))),
                (writeback_rigid_bodies, drawn_links::restore).chain().run_if(not(resource_equals(RapierPoses::Never))),
            )
                .chain()
                .before(TransformSystems::Propagate),
        );
    }
}

/// The order of a step, and which parts of it run.
fn configure_sets(app: &mut App) {
    app.configure_sets(
        SimulationStep,
        (
            PhysicsSystems::MoveKinematicBodies,
            PhysicsSystems::Pipeline,
            PhysicsSystems::ReadStates,
            PhysicsSystems::MeasureJoints,
        )
            .chain()
            .in_set(StepSystems::Solve),
    );
    // Run conditions of sets are evaluated once a step. After a fault nothing moves any more, in the same step. Users add systems to
    // these sets, so that conditions on our own systems are theirs alone.
    app.configure_sets(
        SimulationStep,
        (
            PhysicsSystems::MoveKinematicBodies.run_if(has_not_failed),
            PhysicsSystems::Pipeline.run_if(has_not_failed),
            PhysicsSystems::ReadStates.run_if(has_not_failed),
            PhysicsSystems::MeasureJoints.run_if(has_not_failed),
            OfSolver::Impulse.run_if(not(bodies::is_used)),
            OfSolver::Multibody.run_if(bodies::is_used),
        ),
    );
}

/// The systems of a step.
fn add_steps(app: &mut App) {
    app.add_systems(
        SimulationStep,
        (
            faulty_commands::check.after(SimulationSystems::Control).before(SimulationSystems::Actuate),
            (
                external_forces::find,
                (joints::limit, motors::actuate).chain().in_set(OfSolver::Impulse),
                bodies::drives::set_limits.in_set(OfSolver::Multibody),
            )
                .chain()
                .in_set(SimulationSystems::Actuate),
            (
                (rapier_readings::remember, kinematic::move_bodies).chain().in_set(OfSolver::Impulse),
                tracks::run_tracks.run_if(any_with_component::<Tracks>),
            )
                .chain()
                .in_set(PhysicsSystems::MoveKinematicBodies),
            (step::step.in_set(OfSolver::Impulse), bodies::step::step.in_set(OfSolver::Multibody))
                .chain()
                .in_set(PhysicsSystems::Pipeline),
            (
                (extra_joints::see_gaps, states::read_states).chain().in_set(OfSolver::Impulse),
                (bodies::constraint_errors::note, bodies::extra_joints::see_gaps, bodies::states::read_states)
                    .chain()
                    .in_set(OfSolver::Multibody),
            )
                .chain()
                .in_set(PhysicsSystems::ReadStates),
            (
                rapier_readings::measure.in_set(OfSolver::Impulse),
                (
                    bodies::readings::read_motions,
                    bodies::readings::read_forces.run_if(any_with_component::<JointReadings>),
                )
                    .chain()
                    .in_set(OfSolver::Multibody),
            )
                .chain()
                .run_if(any_with_component::<LinkMotions>)
                .in_set(PhysicsSystems::MeasureJoints),
            ranges::note_joints_beyond_range.in_set(PhysicsSystems::MeasureJoints),
            collision_events::write.run_if(collision_events::are_wanted).in_set(PhysicsSystems::ReadStates),
            contact_changes::write.run_if(contact_changes::are_wanted).in_set(PhysicsSystems::ReadStates),
        ),
    );
}

/// Systems of one of the solvers.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
enum OfSolver {
    Impulse,
    Multibody,
}

/// Registers the state that steps change.
fn register(app: &mut App) {
    app.register_simulation_store::<RapierWorld>()
        .register_simulation_resource::<TouchingColliders>()
        .register_simulation_resource::<TouchingLinks>()
        .ignore_simulation_state::<Messages<ContactBegan>>("read by users")
        .ignore_simulation_state::<Messages<ContactEnded>>("read by users")
        .register_simulation_resource::<ReportedContacts>()
        .ignore_simulation_state::<Messages<CollisionEvent>>("read by users")
        .ignore_simulation_state::<Messages<ContactForceEvent>>("read by users")
        .ignore_simulation_state::<ConstraintErrors>("statistics of a run")
        .ignore_simulation_state::<ContactResiduals>("statistics of a run")
        .register_simulation_store::<MultibodyState>()
        .ignore_simulation_state::<MultibodyWorld>("`MultibodyState` saves it")
        .register_simulation_state::<JointPast>()
        .register_simulation_state::<JointReadings>()
        .register_simulation_state::<LinkMotions>()
        .register_simulation_state::<ExternalForces>()
        .register_simulation_state::<KinematicRoot>()
        .register_simulation_state::<Teleport>()
        .ignore_simulation_state::<RapierContextSimulation>("its store saves it")
        .ignore_simulation_state::<RapierContextColliders>("its store saves it")
        .ignore_simulation_state::<RapierContextJoints>("its store saves it")
        .ignore_simulation_state::<RapierRigidBodySet>("its store saves it")
        .ignore_simulation_state::<RapierConfiguration>("parameters of the run")
        .ignore_simulation_state::<ContactRules>("set with the bodies")
        .ignore_simulation_state::<ReportedLimitations>("statistics of a run")
        .ignore_simulation_state::<JointsBeyondRange>("statistics of a run")
        .ignore_simulation_state::<WidestGap>("statistics of a run")
        .register_type::<BodyCollision>()
        .register_type::<ReportContacts>()
        .register_type::<LinkCollision>()
        .register_type::<EffortGains>()
        .register_type::<ExternalForces>()
        .register_type::<ExtraJointBetween>()
        .register_type::<KinematicRoot>()
        .register_type::<InitialTwist>()
        .register_type::<JointLimits>()
        .register_type::<JointLosses>()
        .register_type::<JointSprings>()
        .register_type::<JointsBeyondRange>()
        .register_type::<JointReadings>()
        .register_type::<LinkMotions>()
        .register_type::<PhysicsParameters>()
        .register_type::<RapierPoses>()
        .register_type::<ReportedLimitations>()
        .register_type::<SurfaceMaterials>()
        .register_type::<Teleport>()
        .register_type::<ConstraintErrors>()
        .register_type::<VelocityLimits>()
        .register_type::<WidestGap>();
}

fn has_not_failed(status: Res<SimulationStatus>) -> bool {
    !matches!(*status, SimulationStatus::Failed(_))
}
