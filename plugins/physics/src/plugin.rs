use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_rapier3d::plugin::systems::writeback_rigid_bodies;
use bevy_rapier3d::plugin::{NoUserData, PhysicsSet, RapierConfiguration, RapierPhysicsPlugin};
use bevy_rapier3d::prelude::RapierContextSimulation;
use bevy_rapier3d::rapier::dynamics::FrictionModel;
use bunraku_body::simulation::{SimulationClock, SimulationStart, SimulationStatus, SimulationStep, SimulationSystems};

use bunraku_motion::{PlayMotions, RecordStates};

use crate::contacts::{ContactRules, SurfaceMaterials};
use crate::joint_gaps::WidestGap;
use crate::joints::between::insert_extra_joints;
use crate::joints::closing::{self, ClosingJoints};
use crate::parameters::PhysicsParameters;
use crate::{
    actuation, assembly, commands, external_forces, faulty_commands, follow_motion, guided_root, joint_log,
    joint_readings, pd_controller, step, tracks,
};

/// Bodies driven by forces: rapier's world, joints, contacts, actuation and the PD controller.
///
/// Needs [`bunraku_body::BodyPlugin`]. Bodies spawned before the simulation starts are taken in at
/// [`SimulationStart`], with the [`PhysicsParameters`] and [`SurfaceMaterials`] that are there then.
pub struct PhysicsPlugin;

/// The parts of a time step that belong to physics, in order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicsSystems {
    /// Our own controllers. They come before [`SimulationSystems::Control`], so that a user's controller there has the
    /// last word and needs no ordering against them.
    FollowReferences,
    /// In [`SimulationSystems::Step`]: bodies that play a motion are led to where they will be.
    LeadDrivenBodies,
    /// In [`SimulationSystems::Step`]: rapier's pipeline, and nothing else.
    Pipeline,
    /// In [`SimulationSystems::Step`]: body states are read back and checked.
    ReadStates,
    /// In [`SimulationSystems::Step`]: [`JointReadings`](crate::JointReadings) are measured, so that they are there for
    /// all that sense.
    MeasureJoints,
}

/// Takes new bodies into rapier's world.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct TakeIn;

impl Plugin for PhysicsPlugin {
    fn build(&self, app: &mut App) {
        // bevy_rapier keeps the world; when it is stepped is our business.
        app.add_plugins(RapierPhysicsPlugin::<NoUserData>::default().with_default_system_setup(false))
            .init_resource::<PhysicsParameters>()
            .init_resource::<SurfaceMaterials>()
            .init_resource::<ContactRules>()
            .init_resource::<ClosingJoints>()
            .init_resource::<WidestGap>();
        let clock = *app.world_mut().get_resource_or_init::<SimulationClock>();
        app.insert_resource(PhysicsParameters::timestep_mode(&clock));
        app.init_schedule(TakeIn).add_systems(
            TakeIn,
            (
                assembly::assemble,
                RapierPhysicsPlugin::<NoUserData>::get_systems(PhysicsSet::SyncBackend),
                assembly::bind,
                insert_extra_joints,
                closing::begin,
            )
                .chain(),
        );
        app.configure_sets(
            SimulationStep,
            (
                PhysicsSystems::FollowReferences.before(SimulationSystems::Control),
                (
                    PhysicsSystems::LeadDrivenBodies,
                    PhysicsSystems::Pipeline,
                    PhysicsSystems::ReadStates,
                    PhysicsSystems::MeasureJoints,
                )
                    .chain()
                    .in_set(SimulationSystems::Step)
                    .after(PlayMotions),
            ),
        );
        // After a fault, in the same step, nothing moves any more.
        for set in [
            PhysicsSystems::LeadDrivenBodies,
            PhysicsSystems::Pipeline,
            PhysicsSystems::ReadStates,
            PhysicsSystems::MeasureJoints,
        ] {
            app.configure_sets(SimulationStep, set.run_if(has_not_failed));
        }
        let check = faulty_commands::check.after(SimulationSystems::Control).before(SimulationSystems::Actuate);
        let log = || joint_log::record.in_set(SimulationSystems::Record).after(RecordStates);
        app.add_systems(SimulationStep, (check, log()))
            .add_systems(SimulationStart, log())
            .add_systems(Last, joint_log::flush);
        app.add_systems(SimulationStart, start.in_set(SimulationSystems::Step))
            .add_systems(
                SimulationStep,
                (
                    (
                        pd_controller::control,
                        follow_motion::follow,
                        commands::command_velocities,
                        commands::feed_forward,
                    )
                        .chain()
                        .in_set(PhysicsSystems::FollowReferences),
                    (actuation::actuate, external_forces::apply).chain().in_set(SimulationSystems::Actuate),
                    (
                        joint_readings::remember,
                        actuation::prescribed::give_velocities,
                        step::lead_driven_bodies,
                        guided_root::lead,
                        closing::close,
                        tracks::run_tracks,
                    )
                        .chain()
                        .in_set(PhysicsSystems::LeadDrivenBodies),
                    step::step.in_set(PhysicsSystems::Pipeline),
                    step::read_states.in_set(PhysicsSystems::ReadStates),
                    joint_readings::measure.in_set(PhysicsSystems::MeasureJoints),
                ),
            )
            .add_systems(PostUpdate, writeback_rigid_bodies.before(TransformSystems::Propagate));
    }
}

fn has_not_failed(status: Res<SimulationStatus>) -> bool {
    !matches!(*status, SimulationStatus::Failed(_))
}

fn start(world: &mut World) {
    let parameters = world.resource::<PhysicsParameters>().clone();
    let clock = *world.resource::<SimulationClock>();
    world.insert_resource(PhysicsParameters::timestep_mode(&clock));
    let mut contexts = world.query::<(&mut RapierContextSimulation, &mut RapierConfiguration)>();
    for (mut simulation, mut configuration) in contexts.iter_mut(world) {
        parameters.apply(&clock, &mut simulation.integration_parameters, &mut configuration);
    }
    world.run_schedule(TakeIn);
    // Rapier's usual friction takes what two surfaces do along each other and what they do about the normal for two things, so that a
    // long track never turns.
    let has_tracks = world.query::<&tracks::Tracks>().iter(world).next().is_some();
    if has_tracks {
        for mut simulation in world.query::<&mut RapierContextSimulation>().iter_mut(world) {
            simulation.integration_parameters.friction_model = FrictionModel::Coulomb;
        }
    }
}
