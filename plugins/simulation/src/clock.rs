use bevy::prelude::*;
use serde::{Deserialize, Serialize};

/// Simulated time.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Resource)]
pub struct SimulationClock {
    time_step: f64,
    step: u64,
}

impl SimulationClock {
    /// A clock at time 0 with steps of `time_step` seconds.
    pub fn new(time_step: f64) -> Self {
        Self { time_step, step: 0 }
    }

    /// Length of a step, s.
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Number of steps so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Simulated time so far, s: steps × time step, so rounding does not accumulate.
    #[allow(clippy::cast_precision_loss)]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }
}

impl Default for SimulationClock {
    /// A clock with steps of 1 ms.
    fn default() -> Self {
        Self::new(0.001)
    }
}

pub(crate) fn advance(mut clock: ResMut<SimulationClock>) {
    clock.step += 1;
}
