//! The interactions of another run.

use std::path::Path;

use bunraku::document::{Limits, read_bytes};
use bunraku::scene::{HandScript, RecordedRun};

use super::super::common::Failure;

/// Reads the interactions from a `summary.json`.
///
/// # Errors
/// If there is no such file, or it is no summary.
pub fn read(path: &Path) -> Result<HandScript, Failure> {
    let failed =
        |reason: String| Failure::Message(format!("cannot read the interactions: {reason}: {}", path.display()));
    let bytes = read_bytes(path, &Limits::default()).map_err(|error| failed(error.to_string()))?;
    let run = RecordedRun::parse(&bytes).map_err(|error| failed(error.to_string()))?;
    Ok(HandScript(run.hands.into()))
}
