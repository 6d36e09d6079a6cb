//! The files that describe a sweep: `sweep.json`, what all runs have in common, and `manifest.csv`, a row for each run.

use std::fs;
use std::path::{Path, PathBuf};

use bunraku::document::write_atomically;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::super::common::Failure;
use super::super::directory::SUMMARY_NAME;
use super::super::interrupts::INTERRUPTED;

const SWEEP_NAME: &str = "sweep.json";
pub const MANIFEST_NAME: &str = "manifest.csv";
const FORMAT: &str = "BunrakuSweep";

/// Settings that all runs of a sweep share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Common {
    format: String,
    format_version: u32,
    /// The scene file, as an absolute path.
    pub scene: PathBuf,
    /// `--set`
    pub set: Vec<String>,
    /// `--duration`, s
    pub duration: Option<f64>,
    /// Options of every verb, as arguments.
    pub options: Vec<String>,
    /// `--vary`
    pub vary: Vec<String>,
    /// `--seeds`
    pub seeds: Option<u64>,
}

impl Common {
    pub fn new(
        scene: PathBuf,
        set: Vec<String>,
        duration: Option<f64>,
        options: Vec<String>,
        vary: Vec<String>,
        seeds: Option<u64>,
    ) -> Self {
        Self { format: FORMAT.to_owned(), format_version: 1, scene, set, duration, options, vary, seeds }
    }
}

/// A run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its index, from 0.
    pub number: usize,
    pub seed: Option<u64>,
    /// The varied values, in the order of the manifest's paths.
    pub values: Vec<String>,
    /// Hash of the resolved scene and its inputs; empty if the scene could not be read.
    pub sha256: String,
}

/// A sweep in its directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    pub directory: PathBuf,
    pub common: Common,
    /// Paths of the varied values.
    pub paths: Vec<String>,
    pub rows: Vec<Row>,
}

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It has a summary of the scene that the manifest names, here as JSON.
    Ended(serde_json::Value),
    /// It ended without one, for this reason: its scene cannot be read, the disk is full, …
    Failed(String),
    /// It was not started, or was interrupted, or its results are of another scene.
    Missing,
}

/// Hash of what determines the results of a run: its scene with all overrides, and the hashes of its input files.
pub fn hash_of_run(resolved_scene: &serde_json::Value, inputs: &serde_json::Value) -> String {
    let text = json!({ "inputs": inputs, "resolved_scene": resolved_scene }).to_string();
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Sweep {
    /// Reads the sweep of a directory.
    ///
    /// # Errors
    /// If it has none, or one that cannot be read.
    pub fn read(directory: &Path) -> Result<Self, Failure> {
        let failed = |name: &str, reason: String| {
            Failure::Message(format!("cannot read the sweep: {reason}: {}", directory.join(name).display()))
        };
        let text = fs::read_to_string(directory.join(SWEEP_NAME)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let message =
                    format!("{} has no {SWEEP_NAME}: it is not the directory of a sweep", directory.display());
                Failure::Message(message)
            }
            _ => failed(SWEEP_NAME, error.to_string()),
        })?;
        let common: Common = serde_json::from_str(&text).map_err(|error| failed(SWEEP_NAME, error.to_string()))?;
        if common.format != FORMAT || common.format_version != 1 {
            return Err(failed(SWEEP_NAME, format!("it is not `{FORMAT}` of version 1")));
        }
        let bad = |reason: String| failed(MANIFEST_NAME, reason);
        let mut table =
            csv::Reader::from_path(directory.join(MANIFEST_NAME)).map_err(|error| bad(error.to_string()))?;
        let titles = table.headers().map_err(|error| bad(error.to_string()))?.clone();
        let first = 1 + usize::from(common.seeds.is_some());
        let paths: Vec<String> =
            titles.iter().skip(first).take(titles.len().saturating_sub(first + 1)).map(str::to_owned).collect();
        let mut rows = Vec::new();
        for (number, record) in table.records().enumerate() {
            let record = record.map_err(|error| bad(error.to_string()))?;
            let cell = |index: usize| record.get(index).unwrap_or_default().to_owned();
            if cell(0) != number.to_string() {
                return Err(bad(format!("row {number} is called `{}`", cell(0))));
            }
            let seed = match common.seeds {
                Some(_) => Some(cell(1).parse().map_err(|_| bad(format!("row {number} has the seed `{}`", cell(1))))?),
                None => None,
            };
            let values = (first..first + paths.len()).map(cell).collect();
            rows.push(Row { number, seed, values, sha256: cell(first + paths.len()) });
        }
        Ok(Self { directory: directory.to_owned(), common, paths, rows })
    }

    /// Writes both files.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn write(&self) -> Result<(), Failure> {
        let failed = |name: &str, error: String| {
            Failure::Message(format!("cannot write the sweep: {error}: {}", self.directory.join(name).display()))
        };
        let text = serde_json::to_string_pretty(&self.common).map_err(|error| failed(SWEEP_NAME, error.to_string()))?;
        self.write_file(SWEEP_NAME, format!("{text}\n").as_bytes())?;
        let mut table = csv::Writer::from_writer(Vec::new());
        let seed = self.common.seeds.map(|_| "seed".to_owned());
        let titles = ["run".to_owned()].into_iter().chain(seed).chain(self.paths.clone()).chain(["sha256".to_owned()]);
        let mut written = table.write_record(titles);
        for row in &self.rows {
            let seed = row.seed.map(|seed| seed.to_string());
            let cells = [row.number.to_string()].into_iter().chain(seed).chain(row.values.clone());
            written = written.and_then(|()| table.write_record(cells.chain([row.sha256.clone()])));
        }
        let bytes = written
            .map_err(|error| error.to_string())
            .and_then(|()| table.into_inner().map_err(|error| error.to_string()));
        self.write_file(MANIFEST_NAME, &bytes.map_err(|error| failed(MANIFEST_NAME, error))?)
    }

    /// Writes a file of the sweep, completely or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        use std::io::Write;
        let path = self.directory.join(name);
        fs::create_dir_all(&self.directory)
            .and_then(|()| write_atomically(&path, |file| file.write_all(bytes)))
            .map_err(|error| Failure::Message(format!("cannot write the sweep: {error}: {}", path.display())))
    }

    /// The overrides of a run, as in `--set`; the last of two for the same path has effect.
    pub fn overrides(&self, row: &Row) -> Vec<String> {
        let seed = row.seed.map(|seed| format!("sensors.seed={seed}"));
        let varied = self.paths.iter().zip(&row.values).map(|(path, value)| format!("{path}={value}"));
        self.common.set.iter().cloned().chain(seed).chain(varied).collect()
    }

    /// The directory for the results of a run.
    pub fn directory_of(&self, row: &Row) -> PathBuf {
        let width = self.rows.len().saturating_sub(1).to_string().len().max(4);
        self.directory.join("runs").join(format!("{:0width$}", row.number))
    }

    /// The file with the messages of a run. It lies beside its results, which `bunraku rerun` compares.
    pub fn log_of(&self, row: &Row) -> PathBuf {
        self.directory_of(row).with_extension("log")
    }

    /// Outcome of a run so far, from its summary or its messages.
    pub fn outcome(&self, row: &Row) -> Outcome {
        let read = || {
            let bytes = fs::read(self.directory_of(row).join(SUMMARY_NAME)).ok()?;
            serde_json::from_slice::<serde_json::Value>(&bytes).ok()
        };
        let is_of_row = |summary: &serde_json::Value| {
            hash_of_run(&summary["resolved_scene"], &summary["sha256"]["inputs"]) == row.sha256
        };
        match read().filter(is_of_row) {
            Some(summary) if summary["failure"] == INTERRUPTED => Outcome::Missing,
            Some(summary) => Outcome::Ended(summary),
            None => {
                let messages = fs::read_to_string(self.log_of(row)).unwrap_or_default();
                last_error(&messages).map_or(Outcome::Missing, Outcome::Failed)
            }
        }
    }

    /// A run in messages: its number and what varies.
    pub fn name_of(&self, row: &Row) -> String {
        let seed = row.seed.map(|seed| format!("seed {seed}"));
        let varied = self.paths.iter().zip(&row.values).map(|(path, value)| format!("{path}={value}"));
        let what: Vec<String> = seed.into_iter().chain(varied).collect();
        format!("run {} ({})", row.number, what.join(", "))
    }
}

/// The last error among the messages of a run, on one line.
fn last_error(messages: &str) -> Option<String> {
    let mut errors = messages.lines().filter(|line| line.starts_with("error"));
    errors.next_back().map(|line| line.trim_start_matches("error: ").to_owned())
}

#[cfg(test)]
mod tests {
    use super::last_error;

    #[test]
    fn the_last_error_is_the_reason() {
        let log = "warning: a\nerror[bad-key]: b\n --> c:1:1\n\nerror: d\n";
        assert_eq!(last_error(log).as_deref(), Some("d"));
        assert_eq!(last_error("error[bad-key]: b\n --> c:1:1\n").as_deref(), Some("error[bad-key]: b"));
        assert_eq!(last_error("warning: a\n"), None);
    }
}
