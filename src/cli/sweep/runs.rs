//! Runs as processes of this program, some at a time.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::ProgressBar;

use super::super::directory::is_taken;
use super::super::interrupts::Interrupts;
use super::manifest::{Outcome, Row, Sweep};

/// Outcomes of the chosen runs of a sweep.
#[derive(Debug, Default)]
pub struct Tally {
    /// Number of runs that had ended before.
    pub before: usize,
    /// Number of runs that were started and came to an end.
    pub now: usize,
    /// The runs that failed, by number, with the reasons.
    pub failed: Vec<(usize, String)>,
}

/// How long to wait for runs that another process is recording.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs all `rows` that have not ended, `jobs` at a time, until a signal comes.
pub fn run_all(sweep: &Sweep, rows: &[Row], jobs: usize, interrupts: &Interrupts, progress: &ProgressBar) -> Tally {
    let queue: Mutex<VecDeque<&Row>> = Mutex::new(rows.iter().collect());
    let tally = Mutex::new(Tally::default());
    let work = || {
        while interrupts.exit_code().is_none() {
            let Some(row) = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front() else { break };
            // Another process, or what a killed sweep has left running, may be at it.
            if is_taken(&sweep.directory_of(row)) {
                queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(row);
                std::thread::sleep(PAUSE);
                continue;
            }
            let known = sweep.outcome(row);
            let was_run = !matches!(known, Outcome::Ended(_));
            let outcome = if was_run { run(sweep, row, interrupts) } else { known };
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            let failure = match outcome {
                Outcome::Ended(summary) => {
                    *(if was_run { &mut tally.now } else { &mut tally.before }) += 1;
                    summary["failure"].as_str().map(str::to_owned)
                }
                Outcome::Failed(reason) => Some(reason),
                // Interrupted: it is run again when the sweep goes on.
                Outcome::Missing => None,
            };
            tally.failed.extend(failure.map(|reason| (row.number, reason)));
            progress.inc(1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.min(rows.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.failed.sort();
    tally
}

/// Runs a row in a process of its own; `Missing` only after a signal.
fn run(sweep: &Sweep, row: &Row, interrupts: &Interrupts) -> Outcome {
    let (directory, log) = (sweep.directory_of(row), sweep.log_of(row));
    let ended = fs::create_dir_all(&directory).and_then(|()| {
        Command::new(std::env::current_exe()?)
            .args(&sweep.common.options)
            .args(["run", "--quiet", "--out"])
            .arg(&directory)
            .args(sweep.common.duration.iter().flat_map(|duration| ["--duration".to_owned(), duration.to_string()]))
            .args(sweep.overrides(row).into_iter().map(|text| format!("--set={text}")))
            .arg(&sweep.common.scene)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log)?)
            .status()
    });
    let status = match ended {
        Ok(status) => status,
        Err(error) => return Outcome::Failed(format!("it cannot be started: {error}")),
    };
    if fs::metadata(&log).is_ok_and(|log| log.len() == 0) {
        // If an empty log stays, it does no harm.
        let _ = fs::remove_file(&log);
    }
    match sweep.outcome(row) {
        Outcome::Missing if interrupts.exit_code().is_some() => Outcome::Missing,
        Outcome::Missing if status.success() => {
            let message = "its scene, or a file of it, has changed since the manifest was written: start the sweep \
                           again with the scene";
            Outcome::Failed(message.to_owned())
        }
        Outcome::Missing => Outcome::Failed(format!("it ended early: {status}")),
        outcome => outcome,
    }
}
