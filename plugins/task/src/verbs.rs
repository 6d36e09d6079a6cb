//! Implementation of `task check`, `task run` and `task new` without a command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_body::LoadOptions;
use bunraku_document::{Diagnostic, Reporter, Severity};

use crate::designer::{Pattern, new_task};
use crate::execution::{Event, Execution, Limits, Status};
use crate::model::{Frame, ModelName, Task};
use crate::robot::{KinematicRobot, Robot, RobotSetup, check_support, load_mapping};
use crate::variables::ModelPoses;
use crate::writer::save_text;
use crate::{adjust, check, reader};

/// Reads and checks a task file and the files it refers to.
///
/// Findings go to `reporter`. `None` if the file could not be read as tasks.
pub fn check_file(path: &Path, reporter: &Reporter) -> Option<Vec<Task>> {
    let tasks = reader::load(path, reporter)?;
    let directory = path.parent().unwrap_or(Path::new("."));
    for task in &tasks {
        check::check(task, reporter);
        check::check_files(task, directory, reporter);
    }
    Some(tasks)
}

/// One task of a file, by name or else the first, read and checked with all others of the file.
///
/// Findings go to `reporter`. `None` if there is no such task.
pub fn choose(path: &Path, name: Option<&str>, reporter: &Reporter) -> Option<Task> {
    let mut tasks = check_file(path, reporter)?;
    let Some(name) = name else { return (!tasks.is_empty()).then(|| tasks.remove(0)) };
    let found = tasks.iter().position(|task| task.name == name);
    if found.is_none() {
        let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
        let message = format!("{} has no task `{name}`", path.display());
        let help = format!("there are {}", names.join(", "));
        reporter.report(Diagnostic::error("unknown-task", message).help(help));
    }
    found.map(|index| tasks.swap_remove(index))
}

/// Arguments of [`run_file`].
#[derive(Clone, Debug)]
pub struct RunArguments {
    /// The task file.
    pub task: PathBuf,
    /// Name of the task, for a file with several; the first by default.
    pub name: Option<String>,
    /// Mapping file of the robot.
    pub robot: PathBuf,
    /// Changes of parameters and poses of models before the run: names and expressions, see
    /// [`adjust`](crate::adjust()).
    pub set: Vec<(String, String)>,
    /// Output directory of recordings; without it no file is written.
    pub out: Option<PathBuf>,
    /// Limits of the run.
    pub limits: Limits,
    /// Load options of models.
    pub load: LoadOptions,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Name of the task.
    pub task: String,
    /// Number of commands that began.
    pub commands: usize,
    /// Simulated time, s.
    pub time: f64,
    /// Error that ended the run early.
    pub failure: Option<Box<Diagnostic>>,
    /// Final poses of the models.
    pub models: Vec<(ModelName, Frame)>,
    /// Files written.
    pub written: Vec<PathBuf>,
}

/// Runs a task on a kinematic robot and records it: `<robot>.seq` and, for each model, `<model>.seq`.
///
/// `progress` is called for every event. Findings about the files go to `reporter`. `None` if at least one is an error;
/// nothing has moved then.
pub fn run_file(arguments: &RunArguments, reporter: &Reporter, progress: &mut dyn FnMut(&Event)) -> Option<RunReport> {
    let mut task = choose(&arguments.task, arguments.name.as_deref(), reporter)?;
    for (name, value) in &arguments.set {
        reporter.keep(adjust(&mut task, name, value));
    }
    let mapping = load_mapping(&arguments.robot, reporter)?;
    let body = mapping.body.load(&arguments.load, reporter)?;
    let name = body.name.clone();
    let setup = Arc::new(RobotSetup::new(Arc::new(body), &mapping, reporter)?);
    check_support(&task, &setup, reporter);
    if reporter.has_errors() {
        return None;
    }
    let mut robot = KinematicRobot::new(setup, &task);
    let mut execution = Execution::new(task.clone(), arguments.limits);
    let (mut events, mut commands) = (Vec::new(), 0);
    let failure = loop {
        let status = execution.advance(&mut robot, &mut events).clone();
        for event in events.drain(..) {
            commands += usize::from(matches!(event, Event::Started { .. }));
            progress(&event);
        }
        match status {
            Status::Running => {}
            Status::Finished => break None,
            Status::Failed(error) => break Some(error),
        }
    };
    let written = arguments.out.as_ref().map_or_else(Vec::new, |out| write_recording(&robot, &name, out, reporter));
    let pose = |name: &ModelName| Some((name.clone(), Frame::of_isometry(&robot.model_pose(name)?)));
    let models = task.models.iter().filter_map(|model| pose(&model.name)).collect();
    Some(RunReport { task: task.name, commands, time: robot.time(), failure, models, written })
}

/// Writes the recordings; failures are reported.
fn write_recording(robot: &KinematicRobot, name: &str, out: &Path, reporter: &Reporter) -> Vec<PathBuf> {
    let fail = |message: String| {
        reporter.report(Diagnostic::error("not-written", message).help("is there room and permission to write?"));
    };
    if let Err(error) = fs::create_dir_all(out) {
        fail(format!("cannot make the directory {}: {error}", out.display()));
        return Vec::new();
    }
    let recording = match robot.recording() {
        Ok(recording) => recording,
        Err(error) => {
            fail(error.to_string());
            return Vec::new();
        }
    };
    let mut written = Vec::new();
    let robot_motion = std::iter::once((name.to_owned(), &recording.robot));
    let objects = recording.objects.iter().map(|(name, motion)| (name.to_string(), motion));
    for (name, motion) in robot_motion.chain(objects) {
        let path = out.join(format!("{}.seq", file_name(&name)));
        match motion.save(&path) {
            Ok(()) => written.push(path),
            Err(error) => fail(format!("{}: {error}", path.display())),
        }
    }
    written
}

/// A name without parts that would lead to another directory.
fn file_name(name: &str) -> String {
    let name: String =
        name.chars().map(|letter| if matches!(letter, '/' | '\\' | ':') { '_' } else { letter }).collect();
    if matches!(name.as_str(), "" | "." | "..") { "_".to_owned() } else { name }
}

/// Writes a new task file. An existing file is only overwritten with `force`.
///
/// # Errors
/// If the file exists already or cannot be written.
pub fn new_file(pattern: Pattern, name: &str, models: &str, path: &Path, force: bool) -> Result<(), Box<Diagnostic>> {
    let fail =
        |message: String, help: &str| Box::new(Diagnostic::new(Severity::Error, "not-written", message).help(help));
    if path.exists() && !force {
        return Err(fail(format!("{} is there already", path.display()), "choose another name, or force it"));
    }
    save_text(&new_task(pattern, name, models), path)
        .map_err(|error| fail(format!("cannot write {}: {error}", path.display()), "is there permission to write?"))
}
