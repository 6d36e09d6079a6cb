//! Motions from files and to them.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SourceFile};

use crate::seq::limits::LIMITS;
use crate::{BodyMotion, WriteError, recording, seq};

impl BodyMotion {
    /// Reads a `.seq` file of any version, or the `.partial` file of a recording that was broken off.
    ///
    /// Oddities go to `reporter`, as do further errors beside the one returned.
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

    /// The same for a text in memory.
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
    /// If the motion has no frames, holds numbers that are not finite, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), WriteError> {
        seq::write_seq(self, path)
    }
}
