//! Playback and recording of motions in the simulation.

mod frames;
mod play;
mod record;

use bevy::prelude::*;
use bunraku_simulation::{
    RecordSystems, RegisterSimulationState, SimulationPlugin, SimulationStart, SimulationStep, StepSystems,
};

pub use frames::FrameSteps;
pub use play::{MotionEnded, MotionPlayer, MotionStarted, state_at, state_between, state_beyond};
pub use record::StateRecorder;

/// Plays the motion of a [`MotionPlayer`] on its body, and records the state of bodies with a [`StateRecorder`].
///
/// Needs [`bunraku_body::BodyPlugin`].
pub struct MotionPlugin;

impl Plugin for MotionPlugin {
    fn build(&self, app: &mut App) {
        SimulationPlugin::ensure(app);
        app.register_simulation_state::<MotionPlayer>()
            .register_type::<MotionPlayer>()
            .ignore_simulation_state::<StateRecorder>("a recording goes on with the frames that come")
            .add_systems(SimulationStep, play::play.in_set(StepSystems::Play))
            .add_systems(SimulationStep, record::record.in_set(RecordSystems::States))
            .add_systems(SimulationStart, record::record.in_set(RecordSystems::States))
            .add_systems(Last, record::flush)
            .add_observer(record::finish_with_body)
            .add_observer(record::rewind);
    }
}
