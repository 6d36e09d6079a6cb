//! The recordings of a scene.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bevy::prelude::*;
use bunraku_motion::{
    FinishedRecording, RecordError, RecordOptions, Recorder, RecordingLayout, StateRecorder, TableRecorder,
    partial_path,
};
use bunraku_physics::{JointReadings, LinkMotions};
use bunraku_sensors::JointLog;
use bunraku_sensors::log::LogError;
use bunraku_sensors::log::McapProfile;
use bunraku_sensors::{BalanceLog, ContactLog};
use bunraku_sensors::{McapRecorder, SensorEntities, SensorLog, SensorModel, device_labels};

use super::model::{RecordedLinks, Scene, SceneBody, SceneDrive};

impl SceneBody {
    /// Whether it can move at all; only then it is recorded.
    pub fn is_recorded(&self) -> bool {
        !matches!(self.drive, SceneDrive::Static) && (!self.body.is_fixed() || self.body.num_joints() > 0)
    }

    /// The file of its motion.
    fn motion_path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.seq", self.name))
    }

    /// The table of its joints' velocities and efforts.
    fn joints_path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.joints.csv", self.name))
    }

    /// The table of its balance.
    fn balance_path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.balance.csv", self.name))
    }

    /// The table of its contacts.
    fn contacts_path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.contacts.csv", self.name))
    }

    /// The directory of its sensor logs.
    fn sensors_folder(&self, directory: &Path) -> PathBuf {
        directory.join(SENSORS_FOLDER).join(&self.name)
    }

    /// Tables and indices of all its sensors, recorded or not.
    fn sensor_paths(&self, directory: &Path) -> Vec<PathBuf> {
        let folder = self.sensors_folder(directory);
        let labels = device_labels(&self.body);
        let devices = labels.iter().zip(&self.body.devices);
        devices.filter_map(|(label, device)| SensorLog::path(&folder, label, device)).collect()
    }
}

/// The folder of the logs of sensors.
const SENSORS_FOLDER: &str = "sensors";

/// The file of everything.
const MCAP_NAME: &str = "run.mcap";

/// Why something could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// An error in a motion or a table of joints.
    #[error(transparent)]
    Motion(#[from] RecordError),
    /// An error in a log of sensors or contacts.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A file or a folder of the results is a link.
    #[error(
        "{} is a link: what it leads to is no part of the results and stays as it is; remove the link, or choose another \
         directory",
        .0.display()
    )]
    Link(PathBuf),
}

/// The outcome of the recordings of a scene.
#[derive(Debug, Default)]
pub struct FinishedFiles {
    /// Complete files, in the order of the bodies.
    pub finished: Vec<PathBuf>,
    /// Logs of sensors and contacts that broke off during the run; their content up to there is valid.
    pub cut: Vec<PathBuf>,
    /// Recordings that could not be finished, with the errors.
    pub failed: Vec<(PathBuf, RecordingError)>,
}

impl FinishedFiles {
    fn add(&mut self, path: PathBuf, result: Result<FinishedRecording, RecordError>) {
        match result {
            Ok(recording) => self.finished.push(recording.path),
            Err(error) => {
                if matches!(error, RecordError::Empty(_)) {
                    // The file has a header and no frame: there is nothing to recover.
                    let _ = std::fs::remove_file(partial_path(&path));
                }
                self.failed.push((path, error.into()));
            }
        }
    }

    fn add_log(&mut self, result: FinishedLog) {
        match result {
            Ok((path, true)) => self.finished.push(path),
            Ok((path, false)) => self.cut.push(path),
            Err((path, error)) => self.failed.push((path, error.into())),
        }
    }

    /// The partial file of a recording that could not be finished, if it has any frames.
    pub fn rest_of(path: &Path) -> Option<PathBuf> {
        let partial = partial_path(path);
        partial.is_file().then_some(partial)
    }
}

impl Scene {
    /// The files that a run may write into `directory`, whichever of them it records: `<body>.seq`, `<body>.joints.csv`,
    /// `<body>.contacts.csv` and `<body>.balance.csv` of each body that can move, tables and indices of sensors below `sensors/<body>`, and
    /// `run.mcap`.
    pub fn recorded_files(&self, directory: &Path) -> Vec<PathBuf> {
        let of_body = |body: &SceneBody| {
            let mut files = Vec::new();
            if body.is_recorded() {
                files.extend([body.motion_path(directory), body.joints_path(directory)]);
            }
            files.extend([body.contacts_path(directory), body.balance_path(directory)]);
            files.extend(body.sensor_paths(directory));
            files
        };
        self.bodies.iter().flat_map(of_body).chain([directory.join(MCAP_NAME)]).collect()
    }

    /// Refuses a directory in which a result, or a folder on the way to it, is a link: nothing outside of the directory is
    /// written or removed. The directory itself may be a link.
    ///
    /// # Errors
    /// [`RecordingError::Link`] with the first link.
    pub fn refuse_links(&self, directory: &Path) -> Result<(), RecordingError> {
        let results = self.recorded_files(directory);
        // Each once, and folders before what is in them.
        let parts: BTreeSet<&Path> =
            results.iter().flat_map(|path| path.ancestors().take_while(|part| *part != directory)).collect();
        let link = parts.into_iter().find(|part| part.is_symlink());
        link.map_or(Ok(()), |link| Err(RecordingError::Link(link.to_owned())))
    }

    /// The partial files of the recordings in `directory`. They exist during a run and after one that was killed.
    pub fn partial_files(&self, directory: &Path) -> Vec<PathBuf> {
        let recorded = self.bodies.iter().filter(|body| body.is_recorded());
        let paths = recorded.flat_map(|body| [body.motion_path(directory), body.joints_path(directory)]);
        paths.map(|path| partial_path(&path)).collect()
    }

    /// The sensor samples that an earlier run left in `directory`: files named like samples under the names of this
    /// scene's devices, and those of other devices that have an index of ours.
    pub fn older_samples(&self, directory: &Path) -> Vec<PathBuf> {
        let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
        // Links are not followed: what they lead to may belong to somebody else.
        let folders = |folder: &Path| {
            let folders = entries(folder).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            folders.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let bodies = folders(&directory.join(SENSORS_FOLDER));
        let others = bodies.iter().flat_map(|body| folders(body)).filter(|folder| SensorLog::is_folder(folder));
        let indices = self.bodies.iter().flat_map(|body| body.sensor_paths(directory));
        let own = indices.filter(|path| path.ends_with("index.csv")).filter_map(|path| Some(path.parent()?.to_owned()));
        let all: BTreeSet<PathBuf> = own.chain(others).collect();
        let samples = |folder: &PathBuf| {
            let samples = entries(folder).filter(|entry| entry.file_name().to_str().is_some_and(SensorLog::is_sample));
            samples.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        all.iter().flat_map(samples).collect()
    }

    /// Starts to record everything in one file, `run.mcap` in `directory`, as messages of a profile.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn record_mcap(
        &self,
        world: &mut World,
        entities: &[Entity],
        directory: &Path,
        profile: McapProfile,
    ) -> Result<(), RecordingError> {
        let path = directory.join(MCAP_NAME);
        let mut recorder = McapRecorder::create(&path, self.record.steps_per_frame, profile)?;
        let base = self.ros2.base.as_ref().filter(|_| profile == McapProfile::Ros2);
        if let Some(&body) = base.and_then(|base| entities.get(base.body)) {
            world.entity_mut(body).insert_if_new(LinkMotions::default());
            recorder = recorder.with_odometry(body, "/odom", "odom");
        }
        world.insert_resource(recorder);
        Ok(())
    }

    fn has_table(&self, body: &SceneBody) -> bool {
        self.record.joints.any() && !self.record.joints.columns(&body.body).is_empty()
    }

    /// Starts recording the bodies that can move: one `<body>.seq` each in `directory`, and beside it
    /// `<body>.joints.csv` if velocities or efforts are recorded and it has joints. Partial files of an earlier run in
    /// their place are kept under other names; their paths are returned.
    ///
    /// # Errors
    /// If a file cannot be created, or [is a link](Self::refuse_links).
    pub fn record(
        &self,
        world: &mut World,
        entities: &[Entity],
        directory: &Path,
    ) -> Result<Vec<PathBuf>, RecordingError> {
        self.refuse_links(directory)?;
        #[allow(clippy::cast_precision_loss)]
        let frame_rate = round_rate(1.0 / (self.time_step * self.record.steps_per_frame as f64));
        let options = RecordOptions { recording: self.record.recording, ..RecordOptions::default() };
        let mut kept = Vec::new();
        for (body, &entity) in self.bodies.iter().zip(entities) {
            self.record_logs(body, world, entity, directory)?;
        }
        for (body, &entity) in self.bodies.iter().zip(entities).filter(|(body, _)| body.is_recorded()) {
            // A body may have been removed by hand.
            if world.get_entity(entity).is_err() {
                continue;
            }
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
            if channels.efforts || channels.forces {
                entity.insert_if_new(JointReadings::default());
            }
        }
        Ok(kept)
    }

    /// Starts the logs of a body's sensors, contacts and balance.
    fn record_logs(
        &self,
        body: &SceneBody,
        world: &mut World,
        entity: Entity,
        directory: &Path,
    ) -> Result<(), LogError> {
        if body.records_contacts && world.get_entity(entity).is_ok() {
            let path = body.contacts_path(directory);
            let log = ContactLog::create(&path, self.record.steps_per_frame)?;
            world.entity_mut(entity).insert(log);
        }
        if body.records_balance && world.get_entity(entity).is_ok() {
            let log = BalanceLog::create(&body.balance_path(directory), self.record.steps_per_frame)?;
            world.entity_mut(entity).insert(log);
        }
        let folder = body.sensors_folder(directory);
        let sensors = world.get::<SensorEntities>(entity).map(|sensors| sensors.iter().collect::<Vec<_>>());
        for sensor in sensors.unwrap_or_default() {
            let Some(model) = world.get::<SensorModel>(sensor) else { continue };
            let Some(device) = body.body.devices.get(model.sensor().device) else { continue };
            if let Some(log) = SensorLog::create(&folder, &body.name, device, model)? {
                world.entity_mut(sensor).insert(log);
            }
        }
        Ok(())
    }

    /// Finishes the recordings started by [`record`](Self::record), each one independent of errors in the others.
    pub fn finish_recordings(&self, world: &mut World, entities: &[Entity], directory: &Path) -> FinishedFiles {
        let mut files = FinishedFiles::default();
        // Logs first: their files are open all the time, and finishing a motion takes two file handles.
        let logs: Vec<_> = entities.iter().map(|&entity| finish_logs(world, entity)).collect();
        let mcap = world.remove_resource::<McapRecorder>().map(McapRecorder::finish);
        for ((body, &entity), logs) in self.bodies.iter().zip(entities).zip(logs) {
            let Ok(mut entity) = world.get_entity_mut(entity) else { continue };
            if let Some(file) = entity.take::<StateRecorder>().and_then(|recorder| recorder.finish().transpose()) {
                files.add(body.motion_path(directory), file);
            }
            if let Some(file) = entity.take::<JointLog>().and_then(|log| log.finish().transpose()) {
                files.add(body.joints_path(directory), file);
            }
            for log in logs {
                files.add_log(log);
            }
        }
        if let Some(mcap) = mcap {
            files.add_log(mcap);
        }
        files
    }
}

/// The outcome of a log: its path and whether it is complete, or the error.
type FinishedLog = Result<(PathBuf, bool), (PathBuf, LogError)>;

/// Finishes the logs of a body's contacts and sensors.
fn finish_logs(world: &mut World, entity: Entity) -> Vec<FinishedLog> {
    let Ok(mut entity) = world.get_entity_mut(entity) else { return Vec::new() };
    let mut finished: Vec<FinishedLog> = entity.take::<ContactLog>().into_iter().map(ContactLog::finish).collect();
    finished.extend(entity.take::<BalanceLog>().map(BalanceLog::finish));
    let sensors = entity.get::<SensorEntities>().map(|sensors| sensors.iter().collect::<Vec<_>>());
    for sensor in sensors.unwrap_or_default() {
        if let Some(log) = world.get_entity_mut(sensor).ok().and_then(|mut sensor| sensor.take::<SensorLog>()) {
            finished.push(log.finish());
        }
    }
    finished
}

/// Frame rates are written as decimal numbers: 500 rather than 499.99999999999994.
fn round_rate(rate: f64) -> f64 {
    let rounded = rate.round();
    if (rate - rounded).abs() < 1e-9 * rate { rounded } else { rate }
}
