//! The interactions of another run.

use std::path::Path;

use bunraku::document::{Limits, read_bytes};
use bunraku::scene::{HandNote, HandScript};
use serde::Deserialize;

use super::super::common::Failure;

/// The part of a summary that is read.
#[derive(Deserialize)]
struct Summary {
    #[serde(default)]
    hands: Vec<HandNote>,
}

/// Reads the interactions from a `summary.json`.
///
/// # Errors
/// If there is no such file, or it is no summary.
pub fn read(path: &Path) -> Result<HandScript, Failure> {
    let failed =
        |reason: String| Failure::Message(format!("cannot read the interactions: {reason}: {}", path.display()));
    let bytes = read_bytes(path, &Limits::default()).map_err(|error| failed(error.to_string()))?;
    let Summary { mut hands } = serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
    hands.sort_by_key(|note| note.step);
    Ok(HandScript(hands.into()))
}
