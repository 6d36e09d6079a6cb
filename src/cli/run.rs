//! `bunraku run`: a scene without a window, recorded.

mod directory;
pub(super) mod interrupts;
mod summary;
mod task_summary;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bevy::prelude::*;
use bunraku::describe;
use bunraku::document::Severity;
use bunraku::motion::RecordError;
use bunraku::physics::{UnsolvedSteps, WidestGap};
use bunraku::scene::{FinishedFiles, RecordingError, Scene, SceneOptions};
use bunraku::simulation::{
    Pace, SimulationClock, SimulationFault, SimulationStatus, SimulationStep, SimulationSystems, SimulationWarnings,
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use self::directory::{OutDirectory, replaced_source};
use self::interrupts::{INTERRUPTED, Interrupts};
use self::summary::{GapSummary, Summary};
pub use self::task_summary::{ModelSummary, TaskSummary};
use super::common::{CommonArgs, Failure};
use super::messages;
use super::output::document;
use super::panics::{caught, guard};

#[derive(Args)]
pub struct RunArgs {
    /// The scene file (.scene.yaml), or a Choreonoid project (.cnoid)
    scene: PathBuf,
    /// Where results go [default: out/<scene>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Length of the run in seconds, instead of the scene's
    #[arg(long, value_name = "S")]
    duration: Option<f64>,
    /// Change a value of the scene, as in `simulation.time_step=0.001` or `bodies.SR1.controller.kp=100`
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Also write poses, joints and sensors as one file, run.mcap, for Foxglove or Rerun
    #[arg(long)]
    mcap: bool,
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

pub fn run(arguments: &RunArgs, common: &CommonArgs) -> Result<(), Failure> {
    let scene = load(arguments, common)?;
    let out = arguments.out.clone().unwrap_or_else(|| default_out(&arguments.scene));
    let job = Job { scene: &scene, file: &arguments.scene, out, mcap: arguments.mcap, json: arguments.json };
    carry_out(&job, |_, _| {}, |_| None)
}

/// A run of a scene without a window.
pub struct Job<'a> {
    pub scene: &'a Scene,
    /// The scene file, as the user has named it.
    pub file: &'a Path,
    /// Where results go.
    pub out: PathBuf,
    /// Whether everything is written as one file, too.
    pub mcap: bool,
    /// Whether the summary is printed as a JSON document.
    pub json: bool,
}

/// Runs and records a scene. `begin` is called when its bodies are spawned, with their entities; `end` gives what came of a task, if there
/// was one.
pub fn carry_out(
    job: &Job<'_>,
    begin: impl FnOnce(&mut App, &[Entity]),
    end: impl FnOnce(&World) -> Option<TaskSummary>,
) -> Result<(), Failure> {
    let Job { scene, file, out: path, mcap, json } = job;
    let results = scene.recorded_files(path);
    let sources = [vec![scene.file.clone()], scene.sources.clone()].concat();
    if let Some((result, source)) = replaced_source(&results, &sources) {
        let message = format!(
            "the recording {} would replace {}, which the scene uses: choose another directory with `--out`",
            result.display(),
            source.display()
        );
        return Err(Failure::Message(message));
    }
    let mut out = OutDirectory::take(path)?;

    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, bunraku::SandboxPlugins));
    app.insert_resource(Pace::Unpaced);
    let interrupts = Interrupts::watch();
    app.insert_resource(interrupts.clone());
    app.add_systems(SimulationStep, interrupts::stop.after(SimulationSystems::Record));
    let entities = scene.spawn(app.world_mut());
    begin(&mut app, &entities);
    out.remove_older(&results)?;
    out.remove_older(&scene.older_samples(out.path()))?;
    let kept = scene.record(app.world_mut(), &entities, out.path());
    let kept = kept.map_err(|error| Failure::Message(error.to_string()))?;
    for partial in &kept {
        messages::warning(&format!(
            "a run that did not finish has left its recording; it is kept as {}{}",
            partial.display(),
            way_to_finish(partial)
        ));
    }
    if *mcap {
        let started = scene.record_mcap(app.world_mut(), out.path());
        started.map_err(|error| Failure::Message(error.to_string()))?;
    }

    let start = Instant::now();
    let fault = simulate(&mut app, scene.num_steps());
    let wall = start.elapsed();

    out.release_reserve();
    let FinishedFiles { finished, cut, failed } = scene.finish_recordings(app.world_mut(), &entities, out.path());
    let world = app.world();
    let clock = world.resource::<SimulationClock>();
    let warnings = world.resource::<SimulationWarnings>().as_slice().iter();
    let gap = world.resource::<WidestGap>().0.map(|gap| GapSummary::new(&gap, world));
    let summary = Summary {
        scene: file.to_path_buf(),
        steps: clock.step(),
        simulated_time: clock.time(),
        failure: failure(fault.as_ref(), &failed),
        largest_joint_gap: gap,
        unsolved_steps: world.resource::<UnsolvedSteps>().0,
        warnings: warnings.map(|warning| warning.message.clone()).collect(),
        files: finished,
        unfinished: failed.iter().filter_map(|(path, _)| FinishedFiles::rest_of(path)).chain(cut).collect(),
        speed: None,
        task: end(world),
    };
    let written = summary.write(&out);
    let summary = summary.with_speed(wall);
    for warning in &summary.warnings {
        messages::warning(warning);
    }
    if let Some(gap) = &summary.largest_joint_gap {
        gap.warn();
    }
    if *json {
        summary.print_json()?;
    } else {
        summary.print(out.path())?;
    }
    for (path, error) in &failed {
        tell_unfinished(path, error);
    }
    written?;
    let told = summary.task.and_then(|task| task.failure);
    if let Some(told) = &told {
        messages::diagnostics(std::slice::from_ref(&**told), Severity::Error);
    }
    match (summary.failure, interrupts.exit_code()) {
        (Some(failure), Some(code)) if failure == INTERRUPTED => {
            messages::error(&format!(
                "interrupted at t = {:.4} s; what was recorded until then is written",
                summary.simulated_time
            ));
            Err(Failure::Exit(code))
        }
        (Some(_), _) if told.is_some() => Err(Failure::Reported),
        (Some(failure), _) => Err(Failure::Message(failure)),
        (None, _) => Ok(()),
    }
}

/// Why the run, or what it was for, failed.
fn failure(fault: Option<&SimulationFault>, failed: &[(PathBuf, RecordingError)]) -> Option<String> {
    match (fault, failed.first()) {
        (Some(fault), _) if fault.message == INTERRUPTED => Some(INTERRUPTED.to_owned()),
        (Some(fault), _) => Some(fault.to_string()),
        (None, Some((_, error))) => Some(format!("the recording failed: {error}")),
        (None, None) => None,
    }
}

fn tell_unfinished(path: &Path, error: &RecordingError) {
    let Some(partial) = FinishedFiles::rest_of(path) else {
        messages::error(&error.to_string());
        return;
    };
    // Of one that broke off during the run the reason is told as that of the run.
    let reason = match error {
        RecordingError::Motion(RecordError::Broken(_)) => String::new(),
        _ => format!(": {error}"),
    };
    let (path, partial) = (path.display(), (partial.display(), way_to_finish(&partial)));
    messages::error(&format!("{path} is not finished{reason}; what was recorded is in {}{}", partial.0, partial.1));
}

/// What makes a finished file of a partial one, in words.
fn way_to_finish(partial: &Path) -> String {
    let finished = partial.with_extension("");
    match finished.extension().is_some_and(|extension| extension == "csv") {
        true => ", a table up to its last whole line".to_owned(),
        false => format!(": `bunraku convert {} {}` makes a motion of it", partial.display(), finished.display()),
    }
}

fn load(arguments: &RunArgs, common: &CommonArgs) -> Result<Scene, Failure> {
    let overrides = arguments.set.iter().map(|text| match text.split_once('=') {
        Some((path, value)) => Ok((path.trim().to_owned(), value.trim().to_owned())),
        None => Err(Failure::Usage(format!("`--set {text}` has no `=`: write `--set PATH=VALUE`"))),
    });
    let mut overrides = overrides.collect::<Result<Vec<_>, _>>()?;
    if let Some(duration) = arguments.duration {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(Failure::Usage(format!("`--duration {duration}` is not a positive number of seconds")));
        }
        overrides.push(("simulation.duration".to_owned(), duration.to_string()));
    }
    let options =
        SceneOptions { load: common.load_options(), overrides, needs_end: true, simulator: common.simulator.clone() };
    let reporter = common.reporter();
    let scene = caught(&arguments.scene, &reporter, || Scene::load(&arguments.scene, &options, &reporter));
    let diagnostics = reporter.into_diagnostics();
    messages::diagnostics(&diagnostics, Severity::Warning);
    if scene.is_none() && arguments.json {
        document(&describe::failure("the scene cannot be read", &diagnostics))?;
    }
    scene.ok_or(Failure::Reported)
}

/// `out/` and the name of the scene file without its extensions.
pub fn default_out(scene: &Path) -> PathBuf {
    let name = scene.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.trim_end_matches(".yaml").trim_end_matches(".yml").trim_end_matches(".scene");
    let stem = stem.trim_end_matches(".cnoid");
    Path::new("out").join(stem)
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

/// On stderr, and only for a person to see.
fn progress_bar(num_steps: Option<u64>) -> ProgressBar {
    let Some(num_steps) = num_steps.filter(|_| std::io::stderr().is_terminal()) else { return ProgressBar::hidden() };
    let bar = ProgressBar::new(num_steps);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left") {
        bar.set_style(style);
    }
    bar
}
