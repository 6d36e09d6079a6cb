use bevy::prelude::*;
use serde::{Deserialize, Serialize};

/// Progress of the simulation.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Resource)]
pub enum SimulationStatus {
    /// Not started: physics has no data yet.
    #[default]
    Ready,
    /// Stepping.
    Running,
    /// [`StopAfter`] is reached.
    Finished,
    /// An error ended the simulation; the recordings so far are valid.
    Failed(SimulationFault),
}

/// Reason why a simulation failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize, Reflect)]
#[error("{message} (at t = {time:.4} s)")]
pub struct SimulationFault {
    /// Simulated time, s.
    pub time: f64,
    /// Description, with the body and joint concerned.
    pub message: String,
}

/// Number of steps after which the simulation is finished; `None`: never.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct StopAfter(pub Option<u64>);
