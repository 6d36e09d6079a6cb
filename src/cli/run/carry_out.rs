//! Running a scene: output directory, app, recordings, simulation, summary.

use std::path::{Path, PathBuf};
use std::time::Instant;

use bevy::prelude::*;
use bunraku::document::Severity;
use bunraku::physics::RapierPoses;
use bunraku::scene::{FinishedFiles, Hashes, RecordingError};
use bunraku::simulation::{Pace, SimulationClock, StepTimes, StepTimesPlugin, run_steps};

use super::ended::Ended;
use super::frame_args::FrameArgs;
use super::hash::{of_file, of_inputs};
use super::in_window::{in_window, window_app};
#[cfg(feature = "ros2")]
use super::live;
use super::progress::{long_run, simulate};
use super::summary::{SolverSummary, Stepping, Summary};
use super::task_summary::TaskSummary;
use super::unfinished::{self, way_to_finish};
use super::{Job, OutputFormat, hands};
use crate::cli::common::Failure;
use crate::cli::directory::{OutDirectory, replaced_source};
use crate::cli::interrupts::{self, INTERRUPTED, Interrupts};
use crate::cli::messages;
use crate::cli::output::line;
use crate::cli::panics::guard;

/// Runs and records a scene. `begin` is called with the entities of its bodies once they are spawned; `end` returns the
/// summary of its task, if it has one.
pub fn carry_out(
    job: Job<'_>,
    begin: impl FnOnce(&mut App, &[Entity]),
    end: impl FnOnce(&World) -> Option<TaskSummary> + Send + Sync + 'static,
) -> Result<(), Failure> {
    report_not_utf8([job.file, &job.out])?;
    report_replaced_source(&job)?;
    let mut out = OutDirectory::take(&job.out)?;
    // Calculated before the files can change.
    let hashes = of_inputs(job.scene, &job.shares, |file| of_file(file).ok());
    let hands = job.hands.map(hands::read).transpose()?;
    let mut app = new_app(&job)?;
    let interrupts = Interrupts::watch();
    app.insert_resource(interrupts.clone());
    // In `Update`, so that it works while the simulation is paused.
    app.add_systems(Update, interrupts::stop);
    if job.profiles {
        app.add_plugins(StepTimesPlugin);
    }
    let entities = job.scene.spawn(app.world_mut());
    begin(&mut app, &entities);
    if let (Some(pictures), None) = (job.pictures, job.window) {
        pictures.watch(&mut app, &entities)?;
    }
    if let Some(hands) = hands {
        app.insert_resource(hands);
    }
    #[cfg(feature = "ros2")]
    if let Some((ros2, options)) = &job.ros2 {
        ros2.connect(&mut app, job.scene, &entities, options, job.repeat.duration.is_some())?;
        live::print_warnings(&mut app);
    }
    if job.repeat.record_from > 0 {
        run_up(&mut app, job.repeat.record_from)?;
    }
    record(&job, &mut app, &entities, &mut out)?;
    let (ended, task, drawn) = match job.window {
        Some(window) => {
            // A window provides no access to the reserve at the end of its run.
            out.release_reserve();
            let findings = job.findings.clone();
            let (ended, task) = in_window(app, job.scene, &entities, out.path(), findings, window, end)?;
            (ended, task, Ok(Vec::new()))
        }
        None => {
            let (ended, drawn) = without_window(&job, &mut app, &entities, &mut out);
            (ended, end(app.world()), drawn)
        }
    };
    report(job, ended, task, drawn, hashes, &out, &interrupts)
}

/// Refuses a directory of results in which files would replace those that the scene uses.
fn report_replaced_source(job: &Job<'_>) -> Result<(), Failure> {
    let scene = job.scene;
    let results = scene.recorded_files(&job.out);
    let samples = scene.older_samples(&job.out);
    let drawn = job.pictures.map(FrameArgs::files_in_the_way).unwrap_or_default();
    let own = OutDirectory::own_files(&job.out).into();
    let written = [results.clone(), scene.partial_files(&job.out), samples, drawn, own].concat();
    let sources = [vec![scene.file.clone()], scene.sources.clone()].concat();
    let Some((result, source)) = replaced_source(&written, &sources) else { return Ok(()) };
    let what = if results.contains(&result) { "recording" } else { "file" };
    Err(Failure::Message(format!(
        "the {what} {} would replace {}, which the scene uses: choose another directory with `--out`",
        result.display(),
        source.display()
    )))
}

/// Refuses paths that the summary cannot contain, before the run starts.
fn report_not_utf8<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    match paths.into_iter().find(|path| path.to_str().is_none()) {
        Some(path) => {
            Err(Failure::Usage(format!("{path:?} is not UTF-8, and summary.json, which is, cannot name it: rename it")))
        }
        None => Ok(()),
    }
}

/// An app with all plugins that a run needs.
fn new_app(job: &Job<'_>) -> Result<App, Failure> {
    let mut app = match job.window {
        Some(arguments) => window_app(job.scene, arguments)?,
        None => App::new(),
    };
    if job.window.is_none() {
        app.add_plugins((MinimalPlugins, TransformPlugin));
        app.insert_resource(Pace::Unpaced);
    }
    app.add_plugins(bunraku::SandboxPlugins);
    // No system queries rapier within a step, and without a window none queries it at all.
    app.insert_resource(if job.window.is_some() { RapierPoses::EveryUpdate } else { RapierPoses::Never });
    Ok(app)
}

/// Makes the steps before the recording begins.
fn run_up(app: &mut App, steps: u64) -> Result<(), Failure> {
    guard(|| run_steps(app.world_mut(), steps))
        .map_err(|panic| Failure::Message(format!("the simulation broke down, which is a bug: {panic}")))
}

/// Starts the recordings, in place of those of an earlier run.
fn record(job: &Job<'_>, app: &mut App, entities: &[Entity], out: &mut OutDirectory) -> Result<(), Failure> {
    job.scene.refuse_links(out.path()).map_err(|error| Failure::Message(error.to_string()))?;
    // Samples first: their indices, which are results, tell them apart from other files.
    out.remove_older(&job.scene.older_samples(out.path()))?;
    out.remove_older(&job.scene.recorded_files(&job.out))?;
    let kept = job.scene.record(app.world_mut(), entities, out.path());
    let kept = kept.map_err(|error| Failure::Message(error.to_string()))?;
    for partial in &kept {
        messages::warning(&format!(
            "a run that did not finish has left its recording; it is kept as {}{}",
            partial.display(),
            way_to_finish(partial)
        ));
    }
    if let Some(profile) = job.mcap {
        let started = job.scene.record_mcap(app.world_mut(), entities, out.path(), profile);
        started.map_err(|error| Failure::Message(error.to_string()))?;
    }
    Ok(())
}

/// The pictures that were drawn, or why they could not be.
type Drawn = Result<Vec<PathBuf>, Failure>;

/// Runs to the end without a window.
fn without_window(job: &Job<'_>, app: &mut App, entities: &[Entity], out: &mut OutDirectory) -> (Ended, Drawn) {
    let scene = job.scene;
    let start = Instant::now();
    if let Some(mut times) = app.world_mut().get_resource_mut::<StepTimes>() {
        *times = StepTimes::default();
    }
    if let Some(note) =
        scene.duration.filter(|_| job.ros2.is_none()).and_then(|duration| long_run(duration, scene.time_step))
    {
        messages::warning(&note);
    }
    let has_bar = job.format == OutputFormat::Text && job.ros2.is_none();
    let fault = simulate(app, scene.num_steps().filter(|_| has_bar));
    let steps = app.world().resource::<SimulationClock>().step();
    let parts = app.world().get_resource::<StepTimes>().copied();
    let pace = Stepping { wall: start.elapsed(), steps, parts, ..Stepping::default() };
    out.release_reserve();
    let drawn = job.pictures.map_or(Ok(Vec::new()), |pictures| pictures.draw(app.world_mut(), scene));
    (Ended::of(app.world_mut(), fault, pace, scene, entities, out.path()), drawn)
}

/// Writes and prints the summary, and reports what went wrong.
fn report(
    job: Job<'_>,
    ended: Ended,
    task: Option<TaskSummary>,
    drawn: Drawn,
    hashes: Hashes,
    out: &OutDirectory,
    interrupts: &Interrupts,
) -> Result<(), Failure> {
    for warning in ended.warnings.iter().filter(|warning| !ended.printed.contains(*warning)) {
        messages::warning(warning);
    }
    let (format, scene, pace, is_interrupted) = (job.format, job.scene, ended.pace, ended.is_interrupted());
    let is_warned = job.strict && !ended.warnings.is_empty();
    let (summary, failed) = summarize(job, ended, task, hashes);
    let written = summary.write(out);
    let summary = summary.with_speed(pace);
    if let Some(gap) = &summary.largest_joint_gap {
        gap.warn(scene.parameters.joints);
    }
    match format {
        OutputFormat::Json => summary.print_json()?,
        OutputFormat::Text => summary.print(out.path())?,
        OutputFormat::Quiet => {}
    }
    // A recording without a frame is no failure of an interrupted run.
    for (path, error) in failed.iter().filter(|(_, error)| !unfinished::is_empty(error) || !is_interrupted) {
        unfinished::report(path, error);
    }
    written?;
    for picture in drawn?.iter().filter(|_| format == OutputFormat::Text) {
        line(format!("pictures   {}", picture.display()))?;
    }
    outcome(summary, is_warned, interrupts)
}

/// Recordings that could not be finished.
pub type Failed = Vec<(PathBuf, RecordingError)>;

/// The summary of a run, and its unfinished recordings.
pub fn summarize(job: Job<'_>, ended: Ended, task: Option<TaskSummary>, hashes: Hashes) -> (Summary, Failed) {
    let noted = job.findings.iter().filter(|finding| finding.severity == Severity::Warning);
    let noted: Vec<String> = noted.map(|finding| format!("{}: {}", finding.code, finding.message)).collect();
    let failure = ended.failure();
    let FinishedFiles { finished, cut, failed } = ended.files;
    let summary = Summary {
        program: concat!("bunraku ", env!("CARGO_PKG_VERSION")).to_owned(),
        scene: job.file.to_path_buf(),
        time_step: job.scene.time_step,
        solver: SolverSummary::of(&job.scene.parameters),
        steps: ended.steps,
        simulated_time: ended.time,
        failure,
        largest_joint_gap: ended.gap,
        largest_constraint_errors: ended.errors,
        joints_beyond_range: ended.beyond,
        warnings: [noted, ended.warnings].concat(),
        hands: ended.hands,
        end: ended.end,
        files: finished,
        unfinished: failed.iter().filter_map(|(path, _)| FinishedFiles::rest_of(path)).chain(cut).collect(),
        speed: None,
        task,
        repeat: job.repeat,
        sha256: hashes,
        resolved_scene: job.scene.resolved.clone(),
    };
    (summary, failed)
}

/// Whether the run, and its task, succeeded.
fn outcome(summary: Summary, is_warned: bool, interrupts: &Interrupts) -> Result<(), Failure> {
    let task_failure = summary.task.and_then(|task| task.failure);
    if let Some(failure) = &task_failure {
        messages::diagnostics(std::slice::from_ref(&**failure), Severity::Error);
    }
    match (summary.failure, interrupts.exit_code()) {
        (Some(failure), Some(code)) if failure == INTERRUPTED => {
            let recorded = match summary.steps {
                0 => "nothing was recorded",
                _ => "what was recorded until then is written",
            };
            messages::error(&format!("interrupted at t = {:.4} s; {recorded}", summary.simulated_time));
            Err(Failure::Exit(code))
        }
        (Some(_), _) if task_failure.is_some() => Err(Failure::Reported),
        (Some(failure), _) => Err(Failure::Message(failure)),
        (None, _) if is_warned => Err(Failure::Message(
            "the run has come to its end with a warning, which `--strict` makes an error".to_owned(),
        )),
        (None, _) => Ok(()),
    }
}
