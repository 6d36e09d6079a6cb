use std::io;
use std::path::Path;

use bunraku_document::{Diagnostic, ReadError};

/// Reason why reading stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// Error in the file.
    Error(Box<Diagnostic>),
    /// Error in the file that was reported already.
    Reported,
    /// The lines are valid, if at all, only in the context of the whole file.
    Unusual,
    /// There are bytes that are not UTF-8; their encoding must be detected from the whole file.
    Foreign,
}

pub(super) type Step<T> = Result<T, Stop>;

impl Stop {
    /// Error of the operating system.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Error(Box::new(ReadError::Io { path: path.to_owned(), source }.to_diagnostic()))
    }
}

impl From<Box<Diagnostic>> for Stop {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Error(diagnostic)
    }
}
