//! Tasks in a running simulation.
//!
//! A [`TaskRun`] on the entity of a robot carries out a task. Where the robot moves by forces ([`bunraku_body::Drive::Physics`]) the task says
//! where its joints are to be, by [`JointTargets`](bunraku_body::JointTargets), and a servo or a controller brings them there. Any
//! other robot is where the task has it.

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

/// Carries out tasks on robots: those that have a [`TaskRun`].
///
/// Needs [`bunraku_physics::PhysicsPlugin`] and [`bunraku_control::ControlPlugin`]. [`TaskEvent`] and [`TaskEnded`] tell what happens.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskPlugin;

/// Where tasks go on and say where joints are to be: before controllers, which read it in the same step.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskSystems;

impl Plugin for TaskPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        app.configure_sets(SimulationStep, TaskSystems.after(SimulationSystems::TakeIn).before(FollowReferences))
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
            .add_observer(carry_out::obey)
            .register_simulation_store::<snapshot::TaskRuns>()
            .ignore_simulation_state::<TaskRun>("its store keeps it")
            .register_type::<TaskRun>();
    }
}
