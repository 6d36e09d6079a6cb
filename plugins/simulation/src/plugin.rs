use bevy::prelude::*;

use crate::state::RegisterSimulationState;
use crate::{Pace, SimulationClock, SimulationStatus, SimulationWarnings, StepTimes, StopAfter, pace, schedule, state};

/// The schedules, the clock and the simulation loop.
///
/// The plugins of bodies and motions add it with defaults if it is missing; add it before them to choose other values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationPlugin {
    /// Length of a step, s.
    pub time_step: f64,
    /// Initial pace.
    pub pace: Pace,
}

impl Default for SimulationPlugin {
    /// Steps of 1 ms, in real time.
    fn default() -> Self {
        Self { time_step: SimulationClock::default().time_step(), pace: Pace::default() }
    }
}

impl SimulationPlugin {
    /// Adds the plugin with its defaults if it is missing.
    pub fn ensure(app: &mut App) {
        if !app.is_plugin_added::<Self>() {
            app.add_plugins(Self::default());
        }
    }
}

impl Plugin for SimulationPlugin {
    fn build(&self, app: &mut App) {
        if !app.world().contains_resource::<SimulationClock>() {
            app.insert_resource(SimulationClock::new(self.time_step));
        }
        if !app.world().contains_resource::<Pace>() {
            app.insert_resource(self.pace);
        }
        app.init_resource::<SimulationStatus>()
            .init_resource::<StopAfter>()
            .init_resource::<SimulationWarnings>()
            .init_resource::<pace::Debt>()
            .ignore_simulation_state::<SimulationWarnings>("they are reported once in a run")
            .ignore_simulation_state::<StepTimes>("the wall clock does not go back")
            .register_type::<SimulationClock>()
            .register_type::<SimulationStatus>()
            .register_type::<StopAfter>()
            .register_type::<Pace>()
            .register_type::<SimulationWarnings>()
            .register_simulation_resource::<SimulationClock>()
            .register_simulation_resource::<SimulationStatus>()
            .add_systems(Update, pace::advance);
        state::init(app.world_mut());
        schedule::add_schedules(app);
    }
}
