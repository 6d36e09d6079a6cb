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
    // The content is not quoted: `rerun` reads a file that may be a link to any other file.
    let place = |error: serde_json::Error| {
        failed(format!("line {}, column {} is not that of a summary", error.line(), error.column()))
    };
    let Summary { mut hands } = serde_json::from_slice(&bytes).map_err(place)?;
    hands.sort_by_key(|note| note.step);
    Ok(HandScript(hands.into()))
}
