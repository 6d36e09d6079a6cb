use std::fmt;
use std::ops::Range;

/// What is wrong with an expression, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// A stable word for the kind of mistake.
    pub code: &'static str,
    /// What is the matter, without a full stop.
    pub message: String,
    /// The letters in question, counted from 0.
    pub letters: Range<usize>,
    /// What to do about it.
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

    /// The column of the first letter in question, counted from 1.
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
