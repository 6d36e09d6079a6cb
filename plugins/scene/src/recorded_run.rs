//! The parts of a `summary.json` from which its run is repeated.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bunraku_sensors::log::McapProfile;
use serde::{Deserialize, Serialize};

use crate::HandNote;

/// The part of a `summary.json` that is read to repeat the run. Other keys are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedRun {
    /// Name and version of the program; `None` if an old version wrote it.
    pub program: Option<String>,
    /// Why the run ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// s
    pub simulated_time: f64,
    /// The interactions of the user, sorted by their steps.
    pub hands: Vec<HandNote>,
    /// The arguments; `None` if an old version wrote it.
    pub repeat: Option<Repeat>,
    /// SHA-256 of the files.
    pub sha256: Hashes,
}

/// The arguments of a run that affect its results. The output directory is not one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repeat {
    /// The name of the scene file without its directory: results do not depend on that.
    pub scene: PathBuf,
    /// Further projects, named like the input files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<PathBuf>,
    /// `--set`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// `--duration`, s
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// `--simulator`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulator: Option<String>,
    /// `--mcap`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mcap: bool,
    /// `--mcap-profile`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcap_profile: Option<McapProfile>,
    /// `--allow-missing`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_missing: bool,
    /// Steps before the recording began, in a window.
    #[serde(skip_serializing_if = "is_zero")]
    pub record_from: u64,
    /// The arguments of `task run`, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<RepeatedTask>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(steps: &u64) -> bool {
    *steps == 0
}

/// The arguments of `task run`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatedTask {
    /// The name of the task file.
    pub file: PathBuf,
    /// `--name`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `--physics`
    pub physics: bool,
    /// `--max-time`, s
    pub max_time: f64,
    /// `--max-states`
    pub max_states: usize,
}

/// SHA-256 of files by name, as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashes {
    /// The scene, the files that it names and those that its models name, relative to its directory or to `${SHARE}`.
    pub inputs: BTreeMap<String, String>,
    /// Recordings, relative to the output directory.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// Place where a file is not a summary. The content is not quoted: `summary.json` may be a link to any other file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column} is not that of a summary")]
pub struct RecordedRunError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1; 0 at the end of the previous line.
    pub column: usize,
}

impl RecordedRun {
    /// Reads a `summary.json`.
    ///
    /// # Errors
    /// If it is not JSON, or not of this form.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordedRunError> {
        let mut run: Self = serde_json::from_slice(bytes)
            .map_err(|error| RecordedRunError { line: error.line(), column: error.column() })?;
        run.hands.sort_by_key(|note| note.step);
        Ok(run)
    }
}
