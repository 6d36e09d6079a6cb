//! Tasks in a running simulation.
//!
//! A [`TaskRun`] on the entity of a robot executes a task. For a dynamic robot ([`bunraku_body::Drive::Physics`]) the
//! task sets [`JointTargets`](bunraku_body::JointTargets), which a servo or a controller follows. Other robots are
//! moved to the planned state directly.

mod carry_out;
mod events;
mod joints;
mod robot;
mod run;
mod snapshot;

use bevy::prelude::*;
use bunraku_control::FollowReferences;
use bunraku_simulation::{RegisterSimulationState, SimulationPlugin, SimulationStep, SimulationSystems, StepSystems};

pub use events::{TaskEnded, TaskEvent};
pub use run::{Control, TaskRun};

/// Executes the tasks of robots that have a [`TaskRun`].
///
/// Needs [`bunraku_physics::PhysicsPlugin`] and [`bunraku_control::ControlPlugin`]. [`TaskEvent`] and [`TaskEnded`] are
/// triggered during a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskPlugin;

/// Systems that advance tasks and set joint targets: before controllers, which use the targets in the same step.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskSystems;

impl Plugin for TaskPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        app.configure_sets(SimulationStep, TaskSystems.after(SimulationSystems::Prepare).before(FollowReferences))
            .add_systems(
                SimulationStep,
                (
                    carry_out::carry_out.in_set(TaskSystems),
                    carry_out::play.in_set(StepSystems::Play),
                    carry_out::follow.in_set(SimulationSystems::Step).after(StepSystems::Solve),
                )
                    .run_if(any_with_component::<TaskRun>),
            )
            .add_observer(carry_out::let_go)
            .register_simulation_store::<snapshot::TaskRuns>()
            .ignore_simulation_state::<TaskRun>("its store keeps it")
            .register_type::<TaskRun>();
    }
}
