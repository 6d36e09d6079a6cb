use bevy::prelude::*;

use crate::state::RegisterSimulationState;
use crate::{Pace, SimulationClock, SimulationStatus, SimulationWarnings, StepTimes, StopAfter, pace, schedule, state};

/// The schedules, the clock and the loop that steps them.
///
/// The plugins of bodies and motions add it with its defaults where it is not there yet; add it before them to choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationPlugin {
    /// Length of a step, s.
    pub time_step: f64,
    /// How the simulation goes on at first.
    pub pace: Pace,
}

impl Default for SimulationPlugin {
    /// Steps of 1 ms, in real time.
    fn default() -> Self {
        Self { time_step: SimulationClock::default().time_step(), pace: Pace::default() }
    }
}

impl SimulationPlugin {
    /// Adds the plugin with its defaults unless the app has it.
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
            .ignore_simulation_state::<SimulationWarnings>("they are told once in a run")
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
