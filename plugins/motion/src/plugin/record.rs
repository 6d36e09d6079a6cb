use bevy::prelude::*;
use bunraku_body::BodyState;
use bunraku_simulation::{RecordingRewind, SimulationClock, SimulationFault, SimulationStatus};

use super::frames::FrameSteps;
use crate::{FinishedRecording, RecordError, Recorder};

/// Records the state of its body: at the start of the simulation, then at a fixed interval of steps. A recorder added
/// later begins at the end of the next step that is due. When its body is despawned, the recording is finished.
#[derive(Component, Debug)]
pub struct StateRecorder {
    /// `None` after it is finished.
    recorder: Option<Recorder>,
    num_links: usize,
    frames: FrameSteps,
}

impl StateRecorder {
    /// Records the first `num_links` links (1: the root) and all joints through `recorder`, which must have the same
    /// layout, every `steps_per_frame` steps (at least 1).
    pub fn new(recorder: Recorder, num_links: usize, steps_per_frame: u64) -> Self {
        Self { recorder: Some(recorder), num_links, frames: FrameSteps::every(steps_per_frame) }
    }

    /// Finishes the recording and writes the `.seq` file; `None` if that is done already.
    ///
    /// # Errors
    /// If it cannot be written; the partial file then still contains all frames.
    pub fn finish(mut self) -> Result<Option<FinishedRecording>, RecordError> {
        self.recorder.take().map(Recorder::finish).transpose()
    }

    /// Writes the `.seq` file of the frames so far and continues; `None` if it is finished already.
    ///
    /// # Errors
    /// As for [`finish`](Self::finish).
    pub fn save(&mut self) -> Result<Option<FinishedRecording>, RecordError> {
        self.recorder.as_mut().map(Recorder::save).transpose()
    }

    /// Discards the frames of later steps.
    fn rewind(&mut self, step: u64) -> Result<(), RecordError> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        self.frames.rewind(step, recorder.num_frames()).map_or(Ok(()), |left| recorder.rewind(left))
    }
}

/// A failed recording stops the simulation, because continuing would lose data that the user requested.
pub(super) fn record(
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut bodies: Query<(&BodyState, &mut StateRecorder)>,
) {
    if !matches!(*status, SimulationStatus::Running) {
        return;
    }
    for (state, mut recorder) in &mut bodies {
        if !recorder.frames.take(clock.step()) {
            continue;
        }
        let link_poses = state.link_poses.get(..recorder.num_links).unwrap_or(&state.link_poses);
        let Some(recorder) = &mut recorder.recorder else { continue };
        if let Err(error) = recorder.record(link_poses, &state.displacements) {
            *status = failed(&clock, &error);
            return;
        }
    }
}

/// Frames after the restored step are discarded.
pub(super) fn rewind(
    rewind: On<RecordingRewind>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut recorders: Query<&mut StateRecorder>,
) {
    for mut recorder in &mut recorders {
        if let Err(error) = recorder.rewind(rewind.step) {
            *status = failed(&clock, &error);
        }
    }
}

/// Limits the time that frames wait in memory, also while the simulation is paused.
pub(super) fn flush(
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
    mut recorders: Query<&mut StateRecorder>,
) {
    for mut recorder in &mut recorders {
        let Some(recorder) = &mut recorder.bypass_change_detection().recorder else { continue };
        if let Err(error) = recorder.flush_if_due()
            && matches!(*status, SimulationStatus::Running)
        {
            *status = failed(&clock, &error);
        }
    }
}

/// Finishes the recording of a despawned body.
pub(super) fn finish_with_body(
    gone: On<Despawn, StateRecorder>,
    mut recorders: Query<&mut StateRecorder>,
    clock: Res<SimulationClock>,
    mut status: ResMut<SimulationStatus>,
) {
    let recorder = recorders.get_mut(gone.entity).ok().and_then(|mut recorder| recorder.recorder.take());
    if let Some(Err(error)) = recorder.map(Recorder::finish)
        && matches!(*status, SimulationStatus::Running)
    {
        *status = failed(&clock, &error);
    }
}

fn failed(clock: &SimulationClock, error: &RecordError) -> SimulationStatus {
    let message = format!("the recording failed: {error}");
    SimulationStatus::Failed(SimulationFault { time: clock.time(), message })
}
