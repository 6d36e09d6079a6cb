use bevy::prelude::*;
use serde::{Deserialize, Serialize};

/// How far the simulation is.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Resource)]
pub enum SimulationStatus {
    /// Not started yet: nothing has been handed to the physics.
    #[default]
    Ready,
    /// Stepping.
    Running,
    /// [`StopAfter`] is reached.
    Finished,
    /// Something made it pointless to go on; what was recorded so far is sound.
    Failed(SimulationFault),
}

/// Why a simulation had to stop.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize, Reflect)]
#[error("{message} (at t = {time:.4} s)")]
pub struct SimulationFault {
    /// Simulated time, s.
    pub time: f64,
    /// What happened, to which body and joint.
    pub message: String,
}

/// Number of steps after which the simulation is finished; `None`: never.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct StopAfter(pub Option<u64>);
