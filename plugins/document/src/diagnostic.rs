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
    /// For information; no data was changed or lost.
    Note,
    /// Something was ignored or interpreted; an error under `--strict`.
    Warning,
    /// The file cannot be used.
    Error,
}

impl Severity {
    /// Lower-case name for messages and JSON.
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

/// Position in a text: line and column, both counted from 1; columns are in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Range of text from `start` to `end`, exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// First character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
}

impl Span {
    /// Span of one character (or of a point at the end of a line).
    pub fn at(line: u32, column: u32) -> Self {
        let start = Position { line, column };
        let end = Position { line, column: column + 1 };
        Self { start, end }
    }

    /// Span that starts at the first column of a line and covers the whole line.
    pub fn line(line: u32) -> Self {
        Self::at(line, 1)
    }
}

/// Location in a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub source: Arc<SourceFile>,
    /// Range in the file; `None` for the whole file.
    pub span: Option<Span>,
}

/// Finding about a file: the fault, its location and a remedy.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// Stable identifier of the kind of finding, such as `unknown-key`; scripts may match on it.
    pub code: &'static str,
    /// Description of the fault, in one sentence without a full stop.
    pub message: String,
    /// Location, if known.
    pub place: Option<Place>,
    /// Suggested remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Finding without a location. Long quotations of file content in the message are cut: see
    /// [`shortened`](crate::shortened).
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity, code, message: short(message.into()), place: None, help: None }
    }

    /// Error without a location.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Warning without a location.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Note without a location.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Sets the location to a span of a file.
    #[must_use]
    pub fn at(mut self, source: &Arc<SourceFile>, span: Span) -> Self {
        self.place = Some(Place { source: Arc::clone(source), span: Some(span) });
        self
    }

    /// Sets the location to a whole file.
    #[must_use]
    pub fn in_file(mut self, source: &Arc<SourceFile>) -> Self {
        self.place = Some(Place { source: Arc::clone(source), span: None });
        self
    }

    /// Lowers an error to a warning, for optional data.
    #[must_use]
    pub fn into_warning(mut self) -> Self {
        self.severity = self.severity.min(Severity::Warning);
        self
    }

    /// Adds a suggested remedy, cut like the message.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(short(help.into()));
        self
    }

    /// File of the location.
    pub fn file(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| place.source.path())
    }

    /// Start of the location.
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

/// Writes one line: `FILE:LINE:COLUMN: severity[code]: message`.
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
