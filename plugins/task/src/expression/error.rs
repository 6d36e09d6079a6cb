use std::fmt;
use std::ops::Range;

/// Error in an expression, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// Stable identifier of the kind of error.
    pub code: &'static str,
    /// Description, without a full stop.
    pub message: String,
    /// Range of the characters concerned, from 0.
    pub letters: Range<usize>,
    /// Suggested remedy.
    pub help: String,
}

impl ExpressionError {
    pub(super) fn new(code: &'static str, message: impl Into<String>, letters: &Range<usize>) -> Self {
        Self { code, message: message.into(), letters: letters.clone(), help: String::new() }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Column of the first character concerned, from 1.
    pub fn column(&self) -> usize {
        self.letters.start + 1
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (column {} of the expression)", self.message, self.column())
    }
}

impl std::error::Error for ExpressionError {}
