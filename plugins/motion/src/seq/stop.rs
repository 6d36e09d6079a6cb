use std::io;
use std::path::Path;

use bunraku_document::{Diagnostic, ReadError};

/// Why reading stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The file is at fault.
    Error(Box<Diagnostic>),
    /// The file is at fault, and the reporter knows.
    Reported,
    /// These lines make sense, if at all, only to a YAML parser that sees the whole file.
    Unusual,
    /// There are bytes that are not UTF-8; which encoding they are in shows in the whole file.
    Foreign,
}

pub(super) type Step<T> = Result<T, Stop>;

impl Stop {
    /// The operating system refused.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Error(Box::new(ReadError::Io { path: path.to_owned(), source }.to_diagnostic()))
    }
}

impl From<Box<Diagnostic>> for Stop {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Error(diagnostic)
    }
}
