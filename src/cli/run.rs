//! `bunraku run`: runs a scene, in a window or without one, and records it.

mod frame_args;
#[cfg(feature = "viewer")]
mod frames;
mod hands;
mod hash;
mod repeat;
mod summary;
mod task_summary;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bevy::prelude::*;
use bunraku::StartReport;
use bunraku::body::BodyState;
use bunraku::control::{HandNote, HandNotes};
use bunraku::describe;
use bunraku::document::{Diagnostic, Severity};
use bunraku::motion::RecordError;
use bunraku::physics::{RapierPoses, WidestGap, in_digits};
use bunraku::scene::{FinishedFiles, RecordingError, Scene, SceneBody, SceneOptions};
use bunraku::simulation::{
    Pace, SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings, StepTimes, StepTimesPlugin,
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use self::frame_args::FrameArgs;
pub use self::hash::{Hashes, of_file};
pub use self::repeat::{Repeat, RepeatedTask};
use self::summary::{BeyondSummary, EndState, ErrorSummary, GapSummary, SolverSummary, Stepping, Summary};
pub use self::task_summary::{ModelSummary, TaskSummary};
use super::common::{CommonArgs, Failure};
use super::directory::{OutDirectory, default_out, replaced_source};
use super::interrupts::{self, INTERRUPTED, Interrupts};
use super::messages;
use super::output::{document, line};
use super::panics::{caught, guard};

#[derive(Args)]
pub struct RunArgs {
    /// The scene file (.scene.yaml), or a Choreonoid project (.cnoid)
    scene: PathBuf,
    /// Where results go [default: out/<scene>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Length of the run in seconds, instead of the scene's
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    duration: Option<f64>,
    /// Change a value of the scene, as in `simulation.time_step=0.001` or `bodies.SR1.controller.kp=100`
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Also write poses, joints and sensors as one file, run.mcap, for Foxglove
    #[arg(long)]
    mcap: bool,
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Print nothing but warnings and errors
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Repeat the interactions of another run, from its summary.json
    #[arg(long, value_name = "SUMMARY")]
    hands: Option<PathBuf>,
    /// Also print the time of the parts of a step: control, detection, solver, sensing, recording, the rest
    #[arg(long, conflicts_with = "view")]
    profile: bool,
    #[command(flatten)]
    pictures: FrameArgs,
    /// Show the run in a window, which can pause it and go back in time; it ends when the window is closed
    #[arg(long)]
    view: bool,
    #[command(flatten)]
    window: super::view::WindowArgs,
}

pub fn run(arguments: &RunArgs, common: &CommonArgs) -> Result<(), Failure> {
    if arguments.window.are_given() && !arguments.view {
        return Err(Failure::Usage("options of the window go with `--view`".to_owned()));
    }
    if arguments.pictures.are_given() && arguments.view {
        return Err(Failure::Usage("`--frames` and `--gif` are of runs without `--view`".to_owned()));
    }
    #[cfg(not(feature = "viewer"))]
    if arguments.view {
        return Err(super::view::no_window());
    }
    let (scene, findings) = load(arguments, common)?;
    let job = Job {
        scene: &scene,
        file: &arguments.scene,
        out: arguments.out.clone().unwrap_or_else(|| default_out(&arguments.scene)),
        mcap: arguments.mcap,
        format: OutputFormat::new(arguments.json, arguments.quiet),
        hands: arguments.hands.as_deref(),
        profiles: arguments.profile,
        pictures: Some(&arguments.pictures),
        window: arguments.view.then_some(&arguments.window),
        findings,
        repeat: arguments.repeat(common),
        share: common.share.as_deref(),
        strict: common.strict,
    };
    carry_out(job, |_, _| {}, |_| None)
}

/// Reads `--duration`.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .filter(|seconds| *seconds > 0.0 && seconds.is_finite())
        .ok_or_else(|| "write a positive number of seconds, such as 2.5".to_owned())
}

impl RunArgs {
    /// The arguments that affect the results.
    fn repeat(&self, common: &CommonArgs) -> Repeat {
        let Self { scene, duration, set, mcap, .. } = self;
        let simulator = common.simulator.clone();
        Repeat { scene: name_of(scene), set: set.clone(), duration: *duration, simulator, mcap: *mcap, task: None }
    }

    /// Repeats a run into another directory, without output.
    pub fn again(repeat: Repeat, out: PathBuf, hands: Option<PathBuf>) -> Self {
        let Repeat { scene, set, duration, mcap, .. } = repeat;
        Self {
            scene,
            out: Some(out),
            duration,
            set,
            mcap,
            json: false,
            quiet: true,
            hands,
            profile: false,
            pictures: FrameArgs::default(),
            view: false,
            window: super::view::WindowArgs::default(),
        }
    }
}

/// The name of a file without its directory.
pub fn name_of(file: &Path) -> PathBuf {
    file.file_name().map_or_else(|| file.to_owned(), PathBuf::from)
}

/// How a run prints its summary on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// As text, with a progress bar on a terminal.
    Text,
    /// As a JSON document.
    Json,
    /// No output.
    Quiet,
}

impl OutputFormat {
    pub fn new(json: bool, quiet: bool) -> Self {
        match (json, quiet) {
            (true, _) => Self::Json,
            (false, true) => Self::Quiet,
            (false, false) => Self::Text,
        }
    }
}

/// A run of a scene.
pub struct Job<'a> {
    pub scene: &'a Scene,
    /// The scene file, as named by the user.
    pub file: &'a Path,
    /// The output directory.
    pub out: PathBuf,
    /// Whether an MCAP file of everything is written, too.
    pub mcap: bool,
    /// How the summary is printed.
    pub format: OutputFormat,
    /// The summary file of a run whose interactions are repeated.
    pub hands: Option<&'a Path>,
    /// Whether the time of the parts of a step is measured and printed.
    pub profiles: bool,
    /// The pictures to draw of it.
    pub pictures: Option<&'a FrameArgs>,
    /// The options of the window, if it runs in one.
    pub window: Option<&'a super::view::WindowArgs>,
    /// The findings in its files.
    pub findings: Vec<Diagnostic>,
    /// The arguments to repeat it with.
    pub repeat: Repeat,
    /// The directory for `${SHARE}`.
    pub share: Option<&'a Path>,
    /// Whether warnings of the run make it fail at its end.
    pub strict: bool,
}

/// Runs and records a scene. `begin` is called with the entities of its bodies once they are spawned; `end` returns the
/// summary of its task, if it has one.
pub fn carry_out(
    job: Job<'_>,
    begin: impl FnOnce(&mut App, &[Entity]),
    end: impl FnOnce(&World) -> Option<TaskSummary> + Send + Sync + 'static,
) -> Result<(), Failure> {
    let Job {
        scene,
        file,
        out: path,
        mcap,
        format,
        hands,
        profiles,
        pictures,
        window,
        findings,
        repeat,
        share,
        strict,
    } = job;
    report_not_utf8([file, &path])?;
    let results = scene.recorded_files(&path);
    let samples = scene.older_samples(&path);
    let drawn = pictures.map(FrameArgs::files_in_the_way).unwrap_or_default();
    let own = OutDirectory::own_files(&path).into();
    let written = [results.clone(), scene.partial_files(&path), samples, drawn, own].concat();
    let sources = [vec![scene.file.clone()], scene.sources.clone()].concat();
    if let Some((result, source)) = replaced_source(&written, &sources) {
        let what = if results.contains(&result) { "recording" } else { "file" };
        let message = format!(
            "the {what} {} would replace {}, which the scene uses: choose another directory with `--out`",
            result.display(),
            source.display()
        );
        return Err(Failure::Message(message));
    }
    let mut out = OutDirectory::take(&path)?;
    // Calculated before the files can change.
    let hashes = Hashes::of_inputs(scene, share, |file| of_file(file).ok());
    let noted = findings.iter().filter(|finding| finding.severity == Severity::Warning);
    let noted: Vec<String> = noted.map(|finding| format!("{}: {}", finding.code, finding.message)).collect();

    let hands = hands.map(hands::read).transpose()?;
    let mut app = match window {
        Some(arguments) => window_app(scene, arguments)?,
        None => App::new(),
    };
    if window.is_none() {
        app.add_plugins((MinimalPlugins, TransformPlugin));
        app.insert_resource(Pace::Unpaced);
    }
    app.add_plugins(bunraku::SandboxPlugins);
    // No system queries rapier within a step, and without a window none queries it at all.
    app.insert_resource(if window.is_some() { RapierPoses::EveryUpdate } else { RapierPoses::Never });
    let interrupts = Interrupts::watch();
    app.insert_resource(interrupts.clone());
    // In `Update`, so that it works while the simulation is paused.
    app.add_systems(Update, interrupts::stop);
    if profiles {
        app.add_plugins(StepTimesPlugin);
    }
    let entities = scene.spawn(app.world_mut());
    begin(&mut app, &entities);
    if let (Some(pictures), None) = (pictures, &window) {
        pictures.watch(&mut app, &entities)?;
    }
    if let Some(hands) = hands {
        app.insert_resource(hands);
    }
    // Samples first: their indices, which are results, tell them apart from other files.
    out.remove_older(&scene.older_samples(out.path()))?;
    out.remove_older(&results)?;
    let kept = scene.record(app.world_mut(), &entities, out.path());
    let kept = kept.map_err(|error| Failure::Message(error.to_string()))?;
    for partial in &kept {
        messages::warning(&format!(
            "a run that did not finish has left its recording; it is kept as {}{}",
            partial.display(),
            way_to_finish(partial)
        ));
    }
    if mcap {
        let started = scene.record_mcap(app.world_mut(), out.path());
        started.map_err(|error| Failure::Message(error.to_string()))?;
    }

    let start = Instant::now();
    if let Some(mut times) = app.world_mut().get_resource_mut::<StepTimes>() {
        *times = StepTimes::default();
    }
    let mut drawn = Ok(Vec::new());
    let (ended, task) = match window {
        Some(window) => {
            // A window provides no access to the reserve at the end of its run.
            out.release_reserve();
            in_window(app, scene, &entities, out.path(), findings, window, end)?
        }
        None => {
            if let Some(note) = scene.duration.and_then(|duration| long_run(duration, scene.time_step)) {
                messages::warning(&note);
            }
            let fault = simulate(&mut app, scene.num_steps().filter(|_| format == OutputFormat::Text));
            let steps = app.world().resource::<SimulationClock>().step();
            let parts = app.world().get_resource::<StepTimes>().copied();
            let pace = Stepping { wall: start.elapsed(), steps, parts, ..Stepping::default() };
            out.release_reserve();
            if let Some(pictures) = pictures {
                drawn = pictures.draw(app.world_mut(), scene);
            }
            let ended = Ended::of(app.world_mut(), fault, pace, scene, &entities, out.path());
            (ended, end(app.world()))
        }
    };
    let Ended {
        fault,
        pace,
        files: FinishedFiles { finished, cut, failed },
        steps,
        time,
        gap,
        errors,
        beyond,
        warnings,
        hands,
        end: last,
        start,
    } = ended;
    for warning in &warnings {
        messages::warning(warning);
    }
    // A recording without a frame is no failure of an interrupted run.
    let is_interrupted = fault.as_ref().is_some_and(|fault| fault.message == INTERRUPTED);
    let is_warned = strict && !warnings.is_empty();
    let summary = Summary {
        program: concat!("bunraku ", env!("CARGO_PKG_VERSION")).to_owned(),
        scene: file.to_path_buf(),
        time_step: scene.time_step,
        solver: SolverSummary::of(&scene.parameters),
        steps,
        simulated_time: time,
        failure: failure(fault.as_ref(), &failed, start.as_deref()),
        largest_joint_gap: gap,
        largest_constraint_errors: errors,
        joints_beyond_range: beyond,
        warnings: [noted, warnings].concat(),
        hands,
        end: last,
        files: finished,
        unfinished: failed.iter().filter_map(|(path, _)| FinishedFiles::rest_of(path)).chain(cut).collect(),
        speed: None,
        task,
        repeat,
        sha256: hashes,
        resolved_scene: scene.resolved.clone(),
    };
    let written = summary.write(&out);
    let summary = summary.with_speed(pace);
    if let Some(gap) = &summary.largest_joint_gap {
        gap.warn(scene.parameters.joints);
    }
    match format {
        OutputFormat::Json => summary.print_json()?,
        OutputFormat::Text => summary.print(out.path())?,
        OutputFormat::Quiet => {}
    }
    for (path, error) in failed.iter().filter(|(_, error)| !is_empty(error) || !is_interrupted) {
        tell_unfinished(path, error);
    }
    written?;
    for picture in drawn?.iter().filter(|_| format == OutputFormat::Text) {
        line(format!("pictures   {}", picture.display()))?;
    }
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

/// Refuses paths that the summary cannot contain, before the run starts.
fn report_not_utf8<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    match paths.into_iter().find(|path| path.to_str().is_none()) {
        Some(path) => {
            Err(Failure::Usage(format!("{path:?} is not UTF-8, and summary.json, which is, cannot name it: rename it")))
        }
        None => Ok(()),
    }
}

/// The outcome of a run, read from its world.
struct Ended {
    fault: Option<SimulationFault>,
    pace: Stepping,
    files: FinishedFiles,
    steps: u64,
    /// s
    time: f64,
    gap: Option<GapSummary>,
    errors: BTreeMap<&'static str, ErrorSummary>,
    beyond: Vec<BeyondSummary>,
    warnings: Vec<String>,
    hands: Vec<HandNote>,
    end: BTreeMap<String, EndState>,
    /// A problem at the start that may have caused the fault.
    start: Option<String>,
}

impl Ended {
    /// Finishes the recordings.
    fn of(
        world: &mut World,
        fault: Option<SimulationFault>,
        pace: Stepping,
        scene: &Scene,
        entities: &[Entity],
        out: &Path,
    ) -> Self {
        let files = scene.finish_recordings(world, entities, out);
        let clock = world.resource::<SimulationClock>();
        let warnings = world.resource::<SimulationWarnings>().as_slice().iter();
        let cause = fault.as_ref().and_then(|fault| world.get_resource::<StartReport>()?.cause_of_fault(fault.time));
        let start = cause.map(str::to_owned);
        Self {
            fault,
            pace,
            files,
            steps: clock.step(),
            time: clock.time(),
            gap: world.resource::<WidestGap>().0.map(|gap| GapSummary::new(&gap, world)),
            errors: ErrorSummary::all(world),
            beyond: BeyondSummary::all(world),
            warnings: warnings.map(|warning| warning.message.clone()).collect(),
            hands: world.get_resource::<HandNotes>().map(|notes| notes.0.clone()).unwrap_or_default(),
            end: end_states(world, scene, entities),
            start,
        }
    }
}

#[cfg(feature = "viewer")]
fn window_app(scene: &Scene, arguments: &super::view::WindowArgs) -> Result<App, Failure> {
    let name = scene.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    super::view::open(&name, arguments)
}

#[cfg(not(feature = "viewer"))]
fn window_app(_: &Scene, _: &super::view::WindowArgs) -> Result<App, Failure> {
    Err(super::view::no_window())
}

/// Runs in the window until it is closed.
#[cfg(feature = "viewer")]
fn in_window(
    mut app: App,
    scene: &Scene,
    entities: &[Entity],
    out: &Path,
    findings: Vec<Diagnostic>,
    window: &super::view::WindowArgs,
    end: impl FnOnce(&World) -> Option<TaskSummary> + Send + Sync + 'static,
) -> Result<(Ended, Option<TaskSummary>), Failure> {
    use std::sync::mpsc::channel;

    use bunraku::viewer::window::{FirstPicture, Timings};

    let (sender, receiver) = channel();
    let (owned, bodies, folder) = (scene.clone(), entities.to_vec(), out.to_owned());
    // The world is dropped with the window, so the outcome is sent out through a channel.
    let sender = std::sync::Mutex::new(sender);
    app.insert_resource(bunraku::viewer::window::AtExit::new(move |world| {
        let fault = match world.resource::<SimulationStatus>() {
            SimulationStatus::Failed(fault) => Some(fault.clone()),
            _ => None,
        };
        let timings = world.resource::<Timings>();
        let pace = Stepping {
            wall: std::time::Duration::try_from_secs_f64(timings.total).unwrap_or_default(),
            steps: timings.made,
            first_picture: world.get_resource::<FirstPicture>().and_then(FirstPicture::seconds),
            parts: None,
        };
        let task = end(world);
        let ended = Ended::of(world, fault, pace, &owned, &bodies, &folder);
        if let Ok(sender) = sender.lock() {
            let _ = sender.send((ended, task));
        }
    }));
    let shown = super::view::Shown { findings, out, records: true, camera: scene.view };
    let closed = super::view::show(app, shown, window);
    match (receiver.try_recv(), closed) {
        (Ok(ended), _) => Ok(ended),
        (Err(_), Err(failure)) => Err(failure),
        (Err(_), Ok(())) => Err(Failure::Message("the window closed before the recordings were finished".to_owned())),
    }
}

#[cfg(not(feature = "viewer"))]
fn in_window(
    _: App,
    _: &Scene,
    _: &[Entity],
    _: &Path,
    _: Vec<Diagnostic>,
    _: &super::view::WindowArgs,
    _: impl FnOnce(&World) -> Option<TaskSummary>,
) -> Result<(Ended, Option<TaskSummary>), Failure> {
    Err(super::view::no_window())
}

/// The final states of the recorded bodies.
fn end_states(world: &World, scene: &Scene, entities: &[Entity]) -> BTreeMap<String, EndState> {
    let recorded = scene.bodies.iter().zip(entities).filter(|(body, _)| body.is_recorded());
    let state = |(body, entity): (&SceneBody, &Entity)| {
        Some((body.name.clone(), EndState::of(world.get::<BodyState>(*entity)?)?))
    };
    recorded.filter_map(state).collect()
}

/// Why the run or its task failed.
fn failure(
    fault: Option<&SimulationFault>,
    failed: &[(PathBuf, RecordingError)],
    start: Option<&str>,
) -> Option<String> {
    match (fault, failed.first()) {
        (Some(fault), _) if fault.message == INTERRUPTED => Some(INTERRUPTED.to_owned()),
        (Some(fault), _) if start.is_some() && !fault.message.contains("at the start") => {
            Some(format!("{fault}; at the start {}", start.unwrap_or_default()))
        }
        (Some(fault), _) => Some(fault.to_string()),
        (None, Some((_, error))) => Some(format!("the recording failed: {error}")),
        (None, None) => None,
    }
}

/// Whether a recording failed because it has no frame.
fn is_empty(error: &RecordingError) -> bool {
    matches!(error, RecordingError::Motion(RecordError::Empty(_)))
}

fn tell_unfinished(path: &Path, error: &RecordingError) {
    let Some(partial) = FinishedFiles::rest_of(path) else {
        messages::error(&error.to_string());
        return;
    };
    // A recording that broke off during the run has already been reported as the failure of the run.
    let reason = match error {
        RecordingError::Motion(RecordError::Broken(_)) => String::new(),
        _ => format!(": {error}"),
    };
    let (path, partial) = (path.display(), (partial.display(), way_to_finish(&partial)));
    messages::error(&format!("{path} is not finished{reason}; what was recorded is in {}{}", partial.0, partial.1));
}

/// A hint, as text, on how to make a finished file of a partial one.
fn way_to_finish(partial: &Path) -> String {
    let finished = partial.with_extension("");
    match finished.extension().is_some_and(|extension| extension == "csv") {
        true => ", a table up to its last whole line".to_owned(),
        false => format!(": `bunraku convert {} {}` makes a motion of it", partial.display(), finished.display()),
    }
}

/// Loads the scene of a run that is repeated.
///
/// # Errors
/// If it cannot be read; the user has been informed.
pub fn load_again(repeat: Repeat, common: &CommonArgs) -> Result<Scene, Failure> {
    load(&RunArgs::again(repeat, PathBuf::new(), None), common).map(|(scene, _)| scene)
}

fn load(arguments: &RunArgs, common: &CommonArgs) -> Result<(Scene, Vec<Diagnostic>), Failure> {
    let overrides = overrides(&arguments.set, arguments.duration)?;
    let reporter = common.reporter([&arguments.scene]);
    let options = SceneOptions {
        load: common.load_options(),
        overrides,
        needs_end: !arguments.view,
        simulator: common.simulator.clone(),
        shared: None,
    };
    let scene = caught(&arguments.scene, &reporter, || Scene::load(&arguments.scene, &options, &reporter));
    let diagnostics = reporter.into_diagnostics();
    messages::diagnostics(&diagnostics, Severity::Warning);
    if scene.is_none() && arguments.json {
        document(&describe::failure("the scene cannot be read", &diagnostics))?;
    }
    Ok((scene.ok_or(Failure::Reported)?, diagnostics))
}

/// Pairs of path and YAML text of the arguments of `--set` and `--duration`.
///
/// # Errors
/// If an argument has no `=`.
pub fn overrides(set: &[String], duration: Option<f64>) -> Result<Vec<(String, String)>, Failure> {
    let pairs = set.iter().map(|text| match text.split_once('=') {
        Some((path, value)) => Ok((path.trim().to_owned(), value.trim().to_owned())),
        None => Err(Failure::Usage(format!("`--set {text}` has no `=`: write `--set PATH=VALUE`"))),
    });
    let duration = duration.map(|duration| Ok(("simulation.duration".to_owned(), duration.to_string())));
    pairs.chain(duration).collect()
}

fn simulate(app: &mut App, num_steps: Option<u64>) -> Option<SimulationFault> {
    let progress = progress_bar(num_steps);
    let outcome = guard(|| {
        app.finish();
        app.cleanup();
        loop {
            app.update();
            progress.set_position(app.world().resource::<SimulationClock>().step());
            match app.world().resource::<SimulationStatus>() {
                SimulationStatus::Ready | SimulationStatus::Running => {}
                SimulationStatus::Finished => return None,
                SimulationStatus::Failed(fault) => return Some(fault.clone()),
            }
        }
    });
    progress.finish_and_clear();
    outcome.unwrap_or_else(|panic| {
        let time = app.world().get_resource::<SimulationClock>().map_or(0.0, SimulationClock::time);
        Some(SimulationFault { time, message: format!("the simulation broke down, which is a bug: {panic}") })
    })
}

/// Runs with more steps than this are announced: at 0.1 ms a step they take a quarter of an hour.
const MANY_STEPS: f64 = 1e7;

/// The message on the expected time of a long run, printed before it starts: a typing error in a duration could cost
/// days.
fn long_run(duration: f64, time_step: f64) -> Option<String> {
    let steps = (duration / time_step).round();
    let hours = steps * 1e-4 / 3600.0;
    (steps > MANY_STEPS).then(|| {
        format!(
            "a run of {} s makes {} steps of {time_step} s: some {} hours at 0.1 ms a step",
            in_digits(duration, 0),
            in_digits(steps, 0),
            in_digits(hours, 1)
        )
    })
}

/// A progress bar on stderr; hidden unless stderr is a terminal and the number of steps is known.
fn progress_bar(num_steps: Option<u64>) -> ProgressBar {
    let Some(num_steps) = num_steps.filter(|_| std::io::stderr().is_terminal()) else { return ProgressBar::hidden() };
    let bar = ProgressBar::new(num_steps);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_million_steps_are_announced() {
        assert_eq!(
            long_run(1e6, 0.001).as_deref(),
            Some("a run of 1000000 s makes 1.00e+9 steps of 0.001 s: some 27.8 hours at 0.1 ms a step")
        );
        assert_eq!(long_run(100.0, 0.001), None);
    }
}
