//! Reading and writing of motions.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SourceFile};

use crate::seq::limits::LIMITS;
use crate::{BodyMotion, WriteError, recording, seq};

impl BodyMotion {
    /// Reads a `.seq` file of any version, or the `.partial` file of an interrupted recording.
    ///
    /// Irregularities, and errors beside the returned one, go to `reporter`.
    ///
    /// # Errors
    /// If the file cannot be read, is not a body motion, or is damaged; with the line and column where known.
    pub fn load(path: &Path, reporter: &Reporter) -> Result<Self, Box<Diagnostic>> {
        if recording::is_recording_file(path) {
            let source = SourceFile::read(path, &LIMITS, reporter).map_err(|error| error.to_diagnostic())?;
            return recording::read(&source, reporter);
        }
        seq::load(path, reporter)
    }

    /// As [`load`](Self::load); irregularities are dropped.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Box<Diagnostic>> {
        Self::load(path.as_ref(), &Reporter::new())
    }

    /// As [`load`](Self::load), for a text in memory.
    ///
    /// # Errors
    /// If the text is not a body motion or is damaged.
    pub fn read(source: &Arc<SourceFile>, reporter: &Reporter) -> Result<Self, Box<Diagnostic>> {
        if recording::is_recording(source.text()) {
            recording::read(source, reporter)
        } else {
            seq::read(source, reporter)
        }
    }

    /// Writes the motion as a `.seq` file; see [`write_seq`](crate::write_seq).
    ///
    /// # Errors
    /// If the motion has no frames, contains numbers that are not finite, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), WriteError> {
        seq::write_seq(self, path)
    }
}
