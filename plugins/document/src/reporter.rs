use std::cell::RefCell;
use std::collections::HashSet;
use std::path::PathBuf;

use crate::{Diagnostic, Severity, Span};

/// What makes two findings the same: code, file, place, message.
type Finding = (&'static str, PathBuf, Option<Span>, String);

/// Collects findings while a load goes on, so that one bad line does not hide the next.
///
/// A reader that cannot make sense of a value reports it here and carries on with a default; whoever started
/// the load asks [`Reporter::has_errors`] at the end.
#[derive(Debug, Default)]
pub struct Reporter {
    diagnostics: RefCell<Vec<Diagnostic>>,
    /// Findings that were made already: a node that is aliased is read more than once.
    seen: RefCell<HashSet<Finding>>,
    strict: bool,
}

impl Reporter {
    /// A reporter that keeps severities as they are reported.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reporter that turns every warning into an error.
    pub fn strict() -> Self {
        Self { strict: true, ..Self::default() }
    }

    /// Adds a finding, unless the very same was made before.
    pub fn report(&self, mut diagnostic: Diagnostic) {
        let place = diagnostic.place.as_ref();
        let path = place.map(|place| place.source.path().to_owned()).unwrap_or_default();
        let key = (diagnostic.code, path, place.and_then(|place| place.span), diagnostic.message.clone());
        if !self.seen.borrow_mut().insert(key) {
            return;
        }
        if self.strict && diagnostic.severity == Severity::Warning {
            diagnostic.severity = Severity::Error;
        }
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    /// The value of an `Ok`; an `Err` is reported and gives `None`.
    pub fn keep<T>(&self, result: crate::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                self.report(*diagnostic);
                None
            }
        }
    }

    /// Whether an error was reported.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// How many findings of one severity were reported.
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics.borrow().iter().filter(|d| d.severity == severity).count()
    }

    /// The findings so far, in the order they were made.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.borrow().clone()
    }

    /// The findings, in the order they were made.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics.into_inner()
    }
}
