//! Messages on recordings that are not finished.

use std::path::Path;

use bunraku::motion::RecordError;
use bunraku::scene::{FinishedFiles, RecordingError};

use crate::cli::messages;

/// Whether a recording failed because it has no frame.
pub fn is_empty(error: &RecordingError) -> bool {
    matches!(error, RecordingError::Motion(RecordError::Empty(_)))
}

/// Reports a recording that could not be finished, and where its rest is.
pub fn report(path: &Path, error: &RecordingError) {
    let Some(partial) = FinishedFiles::rest_of(path) else {
        messages::error(&error.to_string());
        return;
    };
    // A recording that broke off during the run has already been reported as the failure of the run.
    let reason = match error {
        RecordingError::Motion(RecordError::Broken(_)) => String::new(),
        _ => format!(": {error}"),
    };
    let (path, partial) = (path.display(), (partial.display(), way_to_finish(&partial)));
    messages::error(&format!("{path} is not finished{reason}; what was recorded is in {}{}", partial.0, partial.1));
}

/// A hint, as text, on how to make a finished file of a partial one.
pub fn way_to_finish(partial: &Path) -> String {
    let finished = partial.with_extension("");
    match finished.extension().is_some_and(|extension| extension == "csv") {
        true => ", a table up to its last whole line".to_owned(),
        false => format!(": `bunraku convert {} {}` makes a motion of it", partial.display(), finished.display()),
    }
}
