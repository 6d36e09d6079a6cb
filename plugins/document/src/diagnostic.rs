use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::SourceFile;
use crate::shorten::shortened;
use crate::visible::visible;

/// How serious a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing was changed or lost.
    Note,
    /// Something was ignored or interpreted; an error under `--strict`.
    Warning,
    /// The file cannot be used as it stands.
    Error,
}

impl Severity {
    /// The lower-case word used in messages and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A position in a text: line and column, both counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A stretch of text from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// First character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
}

impl Span {
    /// The span of one character (or of a point at the end of a line).
    pub fn at(line: u32, column: u32) -> Self {
        let start = Position { line, column };
        let end = Position { line, column: column + 1 };
        Self { start, end }
    }

    /// The whole of one line, from its first column on.
    pub fn line(line: u32) -> Self {
        Self::at(line, 1)
    }
}

/// A span in a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub source: Arc<SourceFile>,
    /// Where in the file; `None` when the whole file is meant.
    pub span: Option<Span>,
}

/// One finding about a file: what, where, and what to do.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// A stable word for the kind of finding, such as `unknown-key`; scripts may match on it.
    pub code: &'static str,
    /// What is the matter, in one sentence without a full stop.
    pub message: String,
    /// Where, if a place is known.
    pub place: Option<Place>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding without a place. Long texts of files in the message are cut: see [`shortened`](crate::shortened).
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity, code, message: short(message.into()), place: None, help: None }
    }

    /// An error without a place.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning without a place.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note without a place.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// The same finding, at a span of a file.
    #[must_use]
    pub fn at(mut self, source: &Arc<SourceFile>, span: Span) -> Self {
        self.place = Some(Place { source: Arc::clone(source), span: Some(span) });
        self
    }

    /// The same finding, about a file as a whole.
    #[must_use]
    pub fn in_file(mut self, source: &Arc<SourceFile>) -> Self {
        self.place = Some(Place { source: Arc::clone(source), span: None });
        self
    }

    /// The same, no worse than a warning: what it is about can be done without.
    #[must_use]
    pub fn into_warning(mut self) -> Self {
        self.severity = self.severity.min(Severity::Warning);
        self
    }

    /// The same finding with advice, cut as the message is.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(short(help.into()));
        self
    }

    /// The file it is about.
    pub fn file(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| place.source.path())
    }

    /// Where it starts.
    pub fn position(&self) -> Option<Position> {
        self.place.as_ref().and_then(|place| place.span).map(|span| span.start)
    }
}

fn short(text: String) -> String {
    match shortened(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(short) => short,
    }
}

/// One line: `FILE:LINE:COLUMN: severity[code]: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = self.file() {
            f.write_str(&visible(&file.display().to_string()))?;
            if let Some(Position { line, column }) = self.position() {
                write!(f, ":{line}:{column}")?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.code, visible(&self.message))?;
        if let Some(help) = &self.help {
            write!(f, " ({})", visible(help))?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
