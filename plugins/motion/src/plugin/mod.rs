//! Motions in the simulation: played on bodies and recorded from them.

mod play;
mod record;

use bevy::prelude::*;
use bunraku_body::simulation::{SimulationStart, SimulationStep, SimulationSystems};

pub use play::{MotionEnded, MotionPlayer, MotionStarted, state_at, state_between};
pub use record::StateRecorder;

/// The part of [`SimulationSystems::Step`] in which played bodies move to where they are at the end of the step.
/// Physics comes after it.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayMotions;

/// The part of [`SimulationSystems::Record`] in which the states of bodies are recorded. Other recordings come after it.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordStates;

/// Plays a [`MotionPlayer`]'s motion on its body, and writes the state of bodies with a [`StateRecorder`] to disk.
///
/// Needs [`bunraku_body::BodyPlugin`].
pub struct MotionPlugin;

impl Plugin for MotionPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(SimulationStep, play::play.in_set(SimulationSystems::Step).in_set(PlayMotions))
            .add_systems(SimulationStep, record::record.in_set(SimulationSystems::Record).in_set(RecordStates))
            .add_systems(SimulationStart, record::record.in_set(SimulationSystems::Record).in_set(RecordStates))
            .add_systems(Last, record::flush);
    }
}
