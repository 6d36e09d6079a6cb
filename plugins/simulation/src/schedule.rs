use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor};
use bevy::prelude::*;

use crate::clock;

/// One pass is one time step.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimulationStep;

/// Runs once before the first step: physics prepares the spawned bodies, recorders write the initial state.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimulationStart;

/// The parts of a time step, in order. The same sets order [`SimulationStart`], where `Control` and `Actuate` are
/// empty.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimulationSystems {
    /// Prepares entities that were spawned, despawned or changed since the previous step.
    Prepare,
    /// Controllers read the state at the beginning of the step and write commands.
    Control,
    /// Commands are converted to forces, within the limits of the model.
    Actuate,
    /// The world advances by one time step; at its end the clock does too.
    Step,
    /// Sensors measure the new state.
    Sense,
    /// The new state and the measurements are recorded.
    Record,
}

/// The parts of [`SimulationSystems::Step`], in order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepSystems {
    /// Kinematic bodies move to their poses at the end of the step.
    Play,
    /// All other bodies are moved by forces.
    Solve,
}

/// The parts of [`SimulationSystems::Record`], in order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordSystems {
    /// The states of bodies.
    States,
    /// Measurements of the step.
    Readings,
}

/// Runs after the step and before the measurements of its end.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
struct AdvanceClock;

pub(crate) fn add_schedules(app: &mut App) {
    for mut schedule in [Schedule::new(SimulationStep), Schedule::new(SimulationStart)] {
        schedule
            .set_executor(SingleThreadedExecutor::new())
            .set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..default() })
            .configure_sets(
                (
                    SimulationSystems::Prepare,
                    SimulationSystems::Control,
                    SimulationSystems::Actuate,
                    SimulationSystems::Step,
                    AdvanceClock,
                    SimulationSystems::Sense,
                    SimulationSystems::Record,
                )
                    .chain(),
            )
            .configure_sets((StepSystems::Play, StepSystems::Solve).chain().in_set(SimulationSystems::Step))
            .configure_sets((RecordSystems::States, RecordSystems::Readings).chain().in_set(SimulationSystems::Record));
        app.add_schedule(schedule);
    }
    app.add_systems(SimulationStep, clock::advance.in_set(AdvanceClock));
}
