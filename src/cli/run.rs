//! `bunraku run`: a scene without a window, recorded.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bunraku::body::simulation::{Pace, SimulationClock, SimulationFault, SimulationStatus};
use bunraku::describe;
use bunraku::document::Severity;
use bunraku::motion::{RecordError, StateRecorder};
use bunraku::scene::{Scene, SceneOptions};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::output::{document, line};
use super::panics::caught;
use super::{CommonArgs, Failure, messages};

#[derive(Args)]
pub struct RunArgs {
    /// The scene file (.scene.yaml)
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
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

/// What a run came to; also written as `summary.json`, without the wall time, so that equal runs give equal files.
#[derive(Serialize)]
struct Summary {
    scene: PathBuf,
    steps: u64,
    /// s
    simulated_time: f64,
    /// Why it ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    files: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<Speed>,
}

#[derive(Clone, Copy, Serialize)]
struct Speed {
    /// s
    wall_time: f64,
    microseconds_per_step: f64,
    real_time_factor: f64,
}

/// Steps an update of the app makes; updates in between only move entities and the progress bar.
const STEPS_PER_UPDATE: u32 = 256;

pub fn run(arguments: &RunArgs, common: &CommonArgs) -> Result<(), Failure> {
    let scene = load(arguments, common)?;
    let out = arguments.out.clone().unwrap_or_else(|| default_out(&arguments.scene));
    fs::create_dir_all(&out).map_err(|error| {
        Failure::Message(format!("cannot make the directory for results: {error}: {}", out.display()))
    })?;

    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, bunraku::SandboxPlugins));
    app.insert_resource(Pace::Unpaced { steps_per_update: STEPS_PER_UPDATE });
    let entities = scene.spawn(app.world_mut());
    scene.record(app.world_mut(), &entities, &out).map_err(|error| record_failure(&error))?;

    let start = Instant::now();
    let fault = simulate(&mut app, scene.num_steps());
    let wall = start.elapsed();

    let files = finish_recordings(app.world_mut(), &entities)?;
    let clock = app.world().resource::<SimulationClock>();
    let mut summary = Summary {
        scene: arguments.scene.clone(),
        steps: clock.step(),
        simulated_time: clock.time(),
        failure: fault.as_ref().map(ToString::to_string),
        files,
        speed: None,
    };
    write_summary(&summary, &out)?;
    summary.speed = speed(&summary, wall);
    if arguments.json {
        document(&summary)?;
    } else {
        print(&summary, &out)?;
    }
    match fault {
        None => Ok(()),
        Some(fault) => Err(Failure::Message(fault.to_string())),
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
    let options = SceneOptions { load: common.load_options(), overrides, needs_end: true };
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
fn default_out(scene: &Path) -> PathBuf {
    let name = scene.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.trim_end_matches(".yaml").trim_end_matches(".yml").trim_end_matches(".scene");
    Path::new("out").join(stem)
}

fn simulate(app: &mut App, num_steps: Option<u64>) -> Option<SimulationFault> {
    let progress = progress_bar(num_steps);
    app.finish();
    app.cleanup();
    loop {
        app.update();
        progress.set_position(app.world().resource::<SimulationClock>().step());
        match app.world().resource::<SimulationStatus>() {
            SimulationStatus::Ready | SimulationStatus::Running => {}
            SimulationStatus::Finished => {
                progress.finish_and_clear();
                return None;
            }
            SimulationStatus::Failed(fault) => {
                progress.finish_and_clear();
                return Some(fault.clone());
            }
        }
    }
}

/// On stderr, and only for a person to see.
fn progress_bar(num_steps: Option<u64>) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(num_steps.unwrap_or(0));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn finish_recordings(world: &mut World, entities: &[Entity]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for &entity in entities {
        if let Some(recorder) = world.entity_mut(entity).take::<StateRecorder>() {
            files.push(recorder.finish().map_err(|error| record_failure(&error))?.path);
        }
    }
    Ok(files)
}

fn record_failure(error: &RecordError) -> Failure {
    Failure::Message(error.to_string())
}

#[allow(clippy::cast_precision_loss)]
fn speed(summary: &Summary, wall: Duration) -> Option<Speed> {
    let wall_time = wall.as_secs_f64();
    (summary.steps > 0 && wall_time > 0.0).then(|| Speed {
        wall_time,
        microseconds_per_step: wall_time * 1e6 / summary.steps as f64,
        real_time_factor: summary.simulated_time / wall_time,
    })
}

fn write_summary(summary: &Summary, out: &Path) -> Result<(), Failure> {
    let path = out.join("summary.json");
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(out)?;
        serde_json::to_writer_pretty(&mut file, summary)?;
        std::io::Write::write_all(&mut file, b"\n")?;
        file.persist(&path)?;
        Ok(())
    };
    write().map_err(|error| Failure::Message(format!("cannot write the summary: {error}: {}", path.display())))
}

fn print(summary: &Summary, out: &Path) -> Result<(), Failure> {
    line(format!("steps      {}", summary.steps))?;
    line(format!("simulated  {:.4} s", summary.simulated_time))?;
    if let Some(speed) = summary.speed {
        line(format!(
            "wall time  {:.3} s: {:.1} µs per step, {:.1} × real time",
            speed.wall_time, speed.microseconds_per_step, speed.real_time_factor
        ))?;
    }
    for file in &summary.files {
        line(format!("written    {}", file.display()))?;
    }
    line(format!("written    {}", out.join("summary.json").display()))
}
