//! The arguments of a run, recorded so that it can be repeated.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::cli::mcap::McapArgs;

/// The arguments of a run that affect its results. The output directory is not one of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    /// `--mcap` and `--mcap-profile`
    #[serde(flatten)]
    pub mcap: McapArgs,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
