use bevy::prelude::*;
use bunraku_simulation::{RegisterSimulationState, SimulationPlugin, SimulationStep, SimulationSystems};

use crate::{
    FeedForward, FollowMotion, ForceProfiles, GravityCompensation, PdController, ProcessController, VelocityCommands,
    feed_forward, follow_motion, force_profiles, gravity_compensation, pd_controller, process, velocity_commands,
};

/// The controllers of this crate. Needs [`bunraku_physics::PhysicsPlugin`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ControlPlugin;

/// Set of the controllers of this crate, which write commands: before [`SimulationSystems::Control`].
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FollowReferences;

impl Plugin for ControlPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        app.configure_sets(
            SimulationStep,
            FollowReferences.after(SimulationSystems::Prepare).before(SimulationSystems::Control),
        )
        .add_systems(
            SimulationStep,
            (
                pd_controller::control,
                follow_motion::follow,
                process::control.run_if(has_processes),
                (velocity_commands::command_velocities, feed_forward::feed_forward, force_profiles::apply)
                    .chain()
                    .run_if(has_commands),
                gravity_compensation::compensate,
            )
                .chain()
                .in_set(FollowReferences),
        )
        .add_observer(pd_controller::forget)
        .add_observer(velocity_commands::forget)
        .register_simulation_state::<PdController>()
        .register_simulation_state::<VelocityCommands>()
        .register_simulation_state::<ProcessController>()
        .register_type::<PdController>()
        .register_type::<FollowMotion>()
        .register_type::<VelocityCommands>()
        .register_type::<FeedForward>()
        .register_type::<GravityCompensation>()
        .register_type::<ForceProfiles>();
    }
}

type Commanded = Or<(With<VelocityCommands>, With<FeedForward>, With<ForceProfiles>)>;

/// Whether any body has commands besides the motion that it follows; evaluated once for all of them, as few scenes have
/// any.
fn has_commands(bodies: Query<(), Commanded>) -> bool {
    !bodies.is_empty()
}

fn has_processes(bodies: Query<(), With<ProcessController>>) -> bool {
    !bodies.is_empty()
}
