//! `bunraku run`: runs a scene, in a window or without one, and records it.

mod carry_out;
mod ended;
#[cfg(feature = "viewer")]
mod film;
mod frame_args;
#[cfg(feature = "viewer")]
mod frames;
mod hands;
mod hash;
mod in_window;
#[cfg_attr(not(feature = "ros2"), allow(dead_code, reason = "without ROS 2 all runs end"))]
mod live;
mod progress;
mod ros2_args;
#[cfg(feature = "ros2")]
mod spawner;
mod summary;
mod task_summary;
mod unfinished;

use std::path::{Path, PathBuf};

use bunraku::body::LoadOptions;
use bunraku::describe;
use bunraku::document::{Diagnostic, Severity};
use bunraku::scene::{Repeat, Scene, SceneOptions, is_project};
use bunraku::sensors::log::McapProfile;
use clap::Args;

pub use self::carry_out::carry_out;
#[cfg(feature = "viewer")]
pub use self::carry_out::summarize;
#[cfg(feature = "viewer")]
pub use self::ended::Ended;
use self::frame_args::FrameArgs;
pub use self::hash::{of_file, of_inputs};
pub use self::ros2_args::Ros2Args;
#[cfg(feature = "viewer")]
pub use self::summary::Stepping;
pub use self::task_summary::{ModelSummary, TaskSummary};
use super::common::{CommonArgs, Failure};
use super::directory::default_out;
use super::mcap::McapArgs;
use super::messages;
use super::missing;
use super::output::document;
use super::panics::caught;

#[derive(Args)]
pub struct RunArgs {
    /// The scene file (.scene.yaml), a Choreonoid project (.cnoid), or a model (.body, .urdf, .wrl), around which a
    /// scene is made
    scene: PathBuf,
    /// Further Choreonoid projects: their items are added to those of the first, as by Choreonoid's command line
    #[arg(value_name = "PROJECT")]
    merged: Vec<PathBuf>,
    /// Where results go [default: out/<scene>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Length of the run in seconds, instead of the scene's
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    duration: Option<f64>,
    /// Change a value of the scene, as in `simulation.time_step=0.001` or `bodies.SR1.controller.kp=100`
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    mcap: McapArgs,
    /// Run a Choreonoid project without its missing models, or without a world
    #[arg(long)]
    allow_missing: bool,
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Print nothing but warnings and errors, and the document of `--json`
    #[arg(long)]
    quiet: bool,
    /// Repeat the interactions of another run, from its summary.json
    #[arg(long, value_name = "SUMMARY")]
    hands: Option<PathBuf>,
    /// Also print the time of the parts of a step: control, detection, solver, sensing, recording, the rest
    #[arg(long, conflicts_with = "view")]
    profile: bool,
    /// Steps before the recording begins, of a run that is repeated.
    #[arg(skip)]
    record_from: u64,
    #[command(flatten)]
    ros2: Ros2Args,
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
        return Err(Failure::Usage("`--frames` and `--film` are of runs without `--view`".to_owned()));
    }
    #[cfg(not(feature = "viewer"))]
    if arguments.view {
        return Err(super::view::no_window());
    }
    #[cfg(not(feature = "ros2"))]
    if arguments.ros2.are_given() {
        return Err(ros2_args::no_ros2());
    }
    let (scene, findings) = load(arguments, common)?;
    if Scene::is_around_model(&arguments.scene) && !arguments.quiet {
        messages::note(&format!(
            "{} is a model: it runs in a scene made around it, with a ground and servos that hold its joints; a scene file (.scene.yaml) chooses others",
            arguments.scene.display()
        ));
    }
    let job = Job {
        scene: &scene,
        file: &arguments.scene,
        out: arguments.out.clone().unwrap_or_else(|| default_out(&arguments.scene)),
        mcap: arguments.mcap.profile(),
        format: OutputFormat::new(arguments.json, arguments.quiet),
        hands: arguments.hands.as_deref(),
        profiles: arguments.profile,
        pictures: Some(&arguments.pictures),
        window: arguments.view.then_some(&arguments.window),
        findings,
        ros2: arguments.ros2.are_given().then(|| (&arguments.ros2, common.load_options())),
        repeat: arguments.repeat(common),
        shares: common.shares(),
        strict: common.strict,
    };
    carry_out(job, |_, _| {}, |_| None)
}

/// Reads `--publish-rate` and `--speed`.
pub fn rate(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| (1e-3..=1e6).contains(value)).ok_or_else(|| "write a number from 0.001 to 1000000".to_owned())
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
        let Self { scene, duration, set, mcap, allow_missing, .. } = self;
        let directory = scene.parent().unwrap_or(Path::new(""));
        let shares = common.shares();
        let merged = self.merged.iter().map(|file| hash::input_name(file, directory, &shares).into()).collect();
        let simulator = common.simulator.clone();
        let record_from = self.record_from;
        let scene = name_of(scene);
        Repeat {
            scene,
            merged,
            set: set.clone(),
            duration: *duration,
            simulator,
            mcap: mcap.mcap,
            mcap_profile: mcap.mcap_profile,
            allow_missing: *allow_missing,
            record_from,
            task: None,
        }
    }

    /// Repeats a run into another directory, without output.
    pub fn again(repeat: Repeat, out: PathBuf, hands: Option<PathBuf>) -> Self {
        let mcap = McapArgs::again(&repeat);
        let Repeat { scene, merged, set, duration, allow_missing, record_from, .. } = repeat;
        Self {
            record_from,
            scene,
            merged,
            out: Some(out),
            duration,
            set,
            mcap,
            allow_missing,
            json: false,
            quiet: true,
            hands,
            profile: false,
            ros2: Ros2Args::default(),
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
    /// The messages of the MCAP file of everything, if one is written, too.
    pub mcap: Option<McapProfile>,
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
    /// The options of ROS 2, and those for the models of its clients, if it is used.
    pub ros2: Option<(&'a Ros2Args, LoadOptions)>,
    /// The findings in its files.
    pub findings: Vec<Diagnostic>,
    /// The arguments to repeat it with.
    pub repeat: Repeat,
    /// The directories for `${SHARE}`.
    pub shares: Vec<PathBuf>,
    /// Whether warnings of the run make it fail at its end.
    pub strict: bool,
}

/// Loads the scene of a run that is repeated.
///
/// # Errors
/// If it cannot be read; the user has been informed.
pub fn load_again(repeat: Repeat, common: &CommonArgs) -> Result<Scene, Failure> {
    load(&RunArgs::again(repeat, PathBuf::new(), None), common).map(|(scene, _)| scene)
}

fn load(arguments: &RunArgs, common: &CommonArgs) -> Result<(Scene, Vec<Diagnostic>), Failure> {
    let named: Vec<&PathBuf> = [&arguments.scene].into_iter().chain(&arguments.merged).collect();
    if let (Some(other), true) = (named.iter().find(|file| !is_project(file)), named.len() > 1) {
        return Err(Failure::Usage(format!(
            "several files are run together only if they are Choreonoid projects (.cnoid): {}",
            other.display()
        )));
    }
    let overrides = overrides(&arguments.set, arguments.duration)?;
    let reporter = common.reporter(named);
    let options = SceneOptions {
        load: common.load_options(),
        overrides,
        needs_end: !arguments.view && !arguments.ros2.are_given(),
        simulator: common.simulator.clone(),
        merged: arguments.merged.clone(),
        leaves_out_missing: arguments.allow_missing,
        shared: None,
    };
    let scene = caught(&arguments.scene, &reporter, || Scene::load(&arguments.scene, &options, &reporter));
    let diagnostics = reporter.into_diagnostics();
    messages::diagnostics(&diagnostics, Severity::Warning);
    if scene.is_none() && arguments.json {
        document(&describe::failure("the scene cannot be read", &diagnostics))?;
    }
    let scene = scene.ok_or(Failure::Reported)?;
    missing::print(&scene.missing);
    Ok((scene, diagnostics))
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
