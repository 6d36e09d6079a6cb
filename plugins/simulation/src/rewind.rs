use bevy::prelude::*;

/// The simulation goes on from an earlier moment: recordings forget what is later than that. Whoever restores a
/// [`SimulationSnapshot`](crate::SimulationSnapshot) triggers it to have recordings continue from there; without it they go on with the
/// frames that come.
#[derive(Event, Clone, Copy, Debug, PartialEq)]
pub struct RecordingRewind {
    /// The step that it goes on from.
    pub step: u64,
    /// Its simulated time, s.
    pub time: f64,
}
