//! What a scene records.

use std::path::{Path, PathBuf};

use crate::joint_log::JointLog;
use bevy::prelude::*;
use bunraku_motion::{
    FinishedRecording, RecordError, RecordOptions, Recorder, RecordingLayout, StateRecorder, TableRecorder,
    partial_path,
};
use bunraku_physics::JointReadings;

use super::model::{RecordedLinks, Scene, SceneBody, SceneDrive};

impl SceneBody {
    /// Whether it can move at all, so that it is worth recording.
    pub fn is_recorded(&self) -> bool {
        !matches!(self.drive, SceneDrive::Static) && (!self.body.is_fixed() || self.body.num_joints() > 0)
    }

    /// The recording of its motion.
    fn motion_path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.seq", self.name))
    }

    /// The table of velocities and efforts of its joints.
    fn joints_path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.joints.csv", self.name))
    }
}

/// What became of the recordings of a scene.
#[derive(Debug, Default)]
pub struct FinishedFiles {
    /// Those that are whole, in the order of the bodies.
    pub finished: Vec<PathBuf>,
    /// Those that could not be finished, and why.
    pub failed: Vec<(PathBuf, RecordError)>,
}

impl FinishedFiles {
    fn add(&mut self, path: PathBuf, result: Result<FinishedRecording, RecordError>) {
        match result {
            Ok(recording) => self.finished.push(recording.path),
            Err(error) => self.failed.push((path, error)),
        }
    }

    /// Where the frames of a recording are that could not be finished, if it has any.
    pub fn rest_of(path: &Path) -> Option<PathBuf> {
        let partial = partial_path(path);
        partial.is_file().then_some(partial)
    }
}

impl Scene {
    /// The files that are results of a run in `directory`, whichever of them it records: `<body>.seq` and `<body>.joints.csv` of each body
    /// that can move.
    pub fn recorded_files(&self, directory: &Path) -> Vec<PathBuf> {
        let recorded = self.bodies.iter().filter(|body| body.is_recorded());
        recorded.flat_map(|body| [body.motion_path(directory), body.joints_path(directory)]).collect()
    }

    fn has_table(&self, body: &SceneBody) -> bool {
        self.record.joints.any() && !self.record.joints.columns(&body.body).is_empty()
    }

    /// Starts recording the bodies that can move, one `<body>.seq` each in `directory`, and beside it `<body>.joints.csv` if velocities or
    /// efforts are recorded and it has joints. Gives the paths of partial files that were found in the way and kept under these names.
    ///
    /// # Errors
    /// If a file cannot be created.
    pub fn record(
        &self,
        world: &mut World,
        entities: &[Entity],
        directory: &Path,
    ) -> Result<Vec<PathBuf>, RecordError> {
        #[allow(clippy::cast_precision_loss)]
        let frame_rate = round_rate(1.0 / (self.time_step * self.record.steps_per_frame as f64));
        let options = RecordOptions { recording: self.record.recording, ..RecordOptions::default() };
        let mut kept = Vec::new();
        for (body, &entity) in self.bodies.iter().zip(entities).filter(|(body, _)| body.is_recorded()) {
            let layout = RecordingLayout {
                frame_rate,
                num_links: match self.record.links {
                    RecordedLinks::Root => 1,
                    RecordedLinks::All => body.body.links().len(),
                },
                num_joints: body.body.num_joints(),
            };
            let recorder = Recorder::with_options(&body.motion_path(directory), layout, options)?;
            kept.extend(recorder.set_aside().map(Path::to_owned));
            let steps_per_frame = self.record.steps_per_frame;
            let mut entity = world.entity_mut(entity);
            entity.insert(StateRecorder::new(recorder, layout.num_links, steps_per_frame));
            if !self.has_table(body) {
                continue;
            }
            let channels = self.record.joints;
            let columns = channels.columns(&body.body);
            let table = TableRecorder::create(&body.joints_path(directory), &columns, frame_rate, options)?;
            kept.extend(table.set_aside().map(Path::to_owned));
            entity.insert(JointLog::new(table, &body.body, channels, steps_per_frame));
            if channels.efforts {
                entity.insert(JointReadings::default());
            }
        }
        Ok(kept)
    }

    /// Finishes what [`record`](Self::record) began, whatever becomes of the others.
    pub fn finish_recordings(&self, world: &mut World, entities: &[Entity], directory: &Path) -> FinishedFiles {
        let mut files = FinishedFiles::default();
        for (body, &entity) in self.bodies.iter().zip(entities) {
            let Ok(mut entity) = world.get_entity_mut(entity) else { continue };
            if let Some(file) = entity.take::<StateRecorder>().and_then(|recorder| recorder.finish().transpose()) {
                files.add(body.motion_path(directory), file);
            }
            if let Some(file) = entity.take::<JointLog>().and_then(|log| log.finish().transpose()) {
                files.add(body.joints_path(directory), file);
            }
        }
        files
    }
}

/// Frame rates are written as decimal numbers: 500 rather than 499.99999999999994.
fn round_rate(rate: f64) -> f64 {
    let rounded = rate.round();
    if (rate - rounded).abs() < 1e-9 * rate { rounded } else { rate }
}
