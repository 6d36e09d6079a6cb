//! `bunraku sweep`: many runs of a scene with different values.

mod emit;
mod manifest;
mod plan;
mod runs;
mod vary;

use std::io::IsTerminal;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use self::emit::Engine;
use self::manifest::Common;
pub use self::manifest::{Outcome, Row, Sweep};
use self::runs::{Tally, run_all};
use self::vary::{Values, Vary};
use super::common::{CommonArgs, Failure};
use super::directory::default_out;
use super::interrupts::Interrupts;
use super::messages;
use super::output::{document, line};
use super::run::{overrides, seconds};

/// Run a scene many times with different values, here or by Slurm, GNU parallel or Ray
///
/// All combinations of the varied values are run, each in a process of its own, and recorded below DIR/runs.
/// DIR/manifest.csv has a row for each run. Runs that have ended are not run again: the same command, or `bunraku sweep
/// DIR`, continues a sweep that was stopped. `bunraku gather DIR` makes a table of the summaries. Exit code 1 if a run
/// failed.
#[derive(Args)]
pub struct SweepArgs {
    /// The scene file (.scene.yaml), a Choreonoid project (.cnoid), or the directory of a sweep to continue
    #[arg(value_name = "SCENE|DIR")]
    scene: PathBuf,
    /// Values of the scene: FROM:TO:COUNT, a list V1,V2, choice(…) or range(START,STOP,STEP), all of them combined; or
    /// normal(MEAN,DEVIATION), uniform(LOW,HIGH), drawn for each seed. May be given several times
    #[arg(long, value_name = "PATH=VALUES", value_parser = Vary::parse)]
    vary: Vec<Vary>,
    /// Runs of each combination, with the seeds 0, 1, …: of the noise of sensors (`sensors.seed`) and of drawn values
    #[arg(long, value_name = "N")]
    seeds: Option<NonZeroU64>,
    /// Change a value of the scene in all runs, as in `bunraku run`
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Length of each run in seconds, instead of the scene's
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    duration: Option<f64>,
    /// Where the manifest and the results go [default: out/<scene>_sweep]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Runs at a time [default: one for each processor core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Only these runs of DIR: a number, or the first and the last
    #[arg(long, value_name = "FIRST-LAST", value_parser = Rows::parse)]
    rows: Option<Rows>,
    /// Run nothing, and write a script with which another engine runs the sweep
    #[arg(long, value_name = "ENGINE", conflicts_with = "rows")]
    emit: Option<Engine>,
    /// Print what came of it as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

/// Numbers of runs, both included.
#[derive(Clone, Copy, Debug)]
struct Rows {
    first: usize,
    last: usize,
}

impl Rows {
    fn parse(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Self { first, last }),
            _ => Err("write the number of a run, from 0, or the first and the last, as in 10-19".to_owned()),
        }
    }
}

pub fn sweep(arguments: &SweepArgs, common: &CommonArgs) -> Result<(), Failure> {
    let sweep = match arguments.scene.is_dir() {
        true => continued(arguments)?,
        false => planned(arguments, common)?,
    };
    if let Some(engine) = arguments.emit {
        return emit(&sweep, engine, arguments.json);
    }
    let count = sweep.rows.len();
    let Rows { first, last } = arguments.rows.unwrap_or(Rows { first: 0, last: usize::MAX });
    if first >= count {
        let message = format!("there is no run {first}: the sweep has {}", messages::count(count, "run"));
        return Err(Failure::Usage(message));
    }
    // The last task of an array may have fewer runs than the others.
    let rows = sweep.rows.get(first..=last.min(count - 1)).unwrap_or_default();
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let interrupts = Interrupts::watch();
    let progress = progress_bar(rows.len(), arguments.json);
    let tally = run_all(&sweep, rows, jobs, &interrupts, &progress);
    progress.finish_and_clear();
    report(&sweep, rows, &tally, &interrupts, arguments.json)
}

/// The sweep of a directory.
fn continued(arguments: &SweepArgs) -> Result<Sweep, Failure> {
    let SweepArgs { scene: directory, vary, seeds, set, duration, out, .. } = arguments;
    let is_changed = !vary.is_empty() || seeds.is_some() || !set.is_empty() || duration.is_some() || out.is_some();
    if is_changed {
        let message = "a sweep is continued as it was planned: `--vary`, `--seeds`, `--set`, `--duration` and `--out` go with a scene";
        return Err(Failure::Usage(message.to_owned()));
    }
    Sweep::read(directory)
}

/// The sweep of a scene, written to its directory.
fn planned(arguments: &SweepArgs, common: &CommonArgs) -> Result<Sweep, Failure> {
    let vary = &arguments.vary;
    if vary.is_empty() && arguments.seeds.is_none() {
        return Err(Failure::Usage("nothing varies: give `--vary PATH=VALUES` or `--seeds N`".to_owned()));
    }
    if arguments.rows.is_some() {
        return Err(Failure::Usage("`--rows` goes with the directory of a sweep".to_owned()));
    }
    overrides(&arguments.set, arguments.duration)?;
    let mut paths: Vec<&str> = vary.iter().map(|vary| vary.path.as_str()).collect();
    paths.extend(arguments.seeds.map(|_| "sensors.seed"));
    if let Some(twice) =
        paths.iter().enumerate().find_map(|(index, path)| paths[..index].contains(path).then_some(path))
    {
        return Err(Failure::Usage(format!("`{twice}` varies twice")));
    }
    let rows = plan::rows(vary, arguments.seeds.map(NonZeroU64::get))?;
    let directory = arguments.out.clone().unwrap_or_else(|| {
        let mut name = default_out(&arguments.scene).into_os_string();
        name.push("_sweep");
        PathBuf::from(name)
    });
    let common = whole(common)?;
    let scene = absolute(&arguments.scene)?;
    let seeds = arguments.seeds.map(NonZeroU64::get);
    let shared = Common::new(
        scene,
        arguments.set.clone(),
        arguments.duration,
        options(&common),
        vary.iter().map(|vary| vary.text.clone()).collect(),
        seeds,
    );
    if let Ok(there) = Sweep::read(&directory)
        && there.common != shared
    {
        let message = format!(
            "{} has another sweep: choose another directory with `--out`, or continue it with `bunraku sweep {0}`",
            directory.display()
        );
        return Err(Failure::Message(message));
    }
    let paths = vary.iter().map(|vary| vary.path.clone()).collect();
    let mut sweep = Sweep { directory, common: shared, paths, rows };
    let is_drawn = vary.iter().any(|vary| matches!(vary.values, Values::Drawn(_)));
    plan::fill_hashes(&mut sweep, &common, is_drawn)?;
    sweep.write()?;
    Ok(sweep)
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::Message(format!("{error}: {}", path.display())))
}

/// The options with absolute paths: another engine may start runs in another directory.
fn whole(common: &CommonArgs) -> Result<CommonArgs, Failure> {
    common.with_directories(absolute)
}

/// The options of every verb as arguments.
fn options(common: &CommonArgs) -> Vec<String> {
    let CommonArgs { program_top, project_dir, simulator, allow_outside, strict, lenient, .. } = common;
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
    let shares = common.shares().into_iter().map(|share| ("--share", path(&Some(share))));
    let valued = [
        ("--program-top", path(program_top)),
        ("--project-dir", path(project_dir)),
        ("--simulator", simulator.clone()),
    ];
    let flags = [("--allow-outside", allow_outside), ("--strict", strict), ("--lenient", lenient)];
    let valued = shares.chain(valued).filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    let flags = flags.into_iter().filter(|(_, is_given)| **is_given).map(|(name, _)| name.to_owned());
    valued.chain(flags).collect()
}

fn emit(sweep: &Sweep, engine: Engine, as_json: bool) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Message(format!("cannot find this program: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let script = engine.script(&program, &absolute(&sweep.directory)?, sweep.rows.len());
    sweep.write_file(engine.script_name(), script.as_bytes())?;
    let path = sweep.directory.join(engine.script_name());
    match as_json {
        true => document(&json!({ "runs": sweep.rows.len(), "script": path })),
        false => {
            line(format!("runs       {}", sweep.rows.len()))?;
            line(format!("written    {}", sweep.directory.join(manifest::MANIFEST_NAME).display()))?;
            line(format!("written    {}", path.display()))
        }
    }
}

/// A progress bar on stderr; hidden unless stderr is a terminal.
fn progress_bar(runs: usize, is_quiet: bool) -> ProgressBar {
    if is_quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(runs as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Failed runs that are listed on stderr; all of them are in the table of `bunraku gather`.
const MOST_LISTED: usize = 20;

fn report(sweep: &Sweep, rows: &[Row], tally: &Tally, interrupts: &Interrupts, as_json: bool) -> Result<(), Failure> {
    let Tally { before, now, failed } = tally;
    for (number, reason) in failed.iter().take(MOST_LISTED) {
        let name = sweep.rows.get(*number).map(|row| sweep.name_of(row)).unwrap_or_default();
        messages::warning(&format!("{name} failed: {reason}"));
    }
    if let Some(more) = failed.len().checked_sub(MOST_LISTED + 1) {
        messages::warning(&format!("so did {} more", more + 1));
    }
    if as_json {
        let failed: Vec<_> = failed.iter().map(|(run, reason)| json!({ "run": run, "failure": reason })).collect();
        let directory = &sweep.directory;
        document(
            &json!({ "directory": directory, "runs": rows.len(), "ended_now": now, "ended_before": before, "failed": failed }),
        )?;
    } else {
        line(format!("runs       {}: {now} ended now, {before} before; {} failed", rows.len(), failed.len()))?;
        line(format!("manifest   {}", sweep.directory.join(manifest::MANIFEST_NAME).display()))?;
        line(format!("results    {}", sweep.directory.join("runs").display()))?;
    }
    match (interrupts.exit_code(), failed.len()) {
        (Some(code), _) => {
            messages::error("interrupted; the same command continues the sweep");
            Err(Failure::Exit(code))
        }
        (None, 0) => Ok(()),
        (None, many) => Err(Failure::Message(format!("{} of {} failed", messages::count(many, "run"), rows.len()))),
    }
}
