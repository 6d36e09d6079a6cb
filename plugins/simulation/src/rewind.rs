use bevy::prelude::*;

/// The simulation continues from an earlier time: recordings discard later data. Trigger it after restoring a
/// [`SimulationSnapshot`](crate::SimulationSnapshot) to let recordings continue from there. Without it they append the
/// following frames.
#[derive(Event, Clone, Copy, Debug, PartialEq)]
pub struct RecordingRewind {
    /// Step from which it continues.
    pub step: u64,
    /// Simulated time of that step, s.
    pub time: f64,
}
