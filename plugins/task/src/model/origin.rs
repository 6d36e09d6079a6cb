use bunraku_document::{Diagnostic, Place, Position, Severity, Span, Value};

/// Location in the file that an item was read from; `None` if it was created by a program.
///
/// It is ignored in comparisons: two tasks are equal if their data are.
#[derive(Clone, Debug, Default)]
pub struct Origin(pub Option<Place>);

impl Origin {
    /// Location of a node.
    pub fn of(value: Value<'_>) -> Self {
        let mut span = value.span();
        // For a multi-line block the first line is marked, not the first character of the next block.
        if span.end.line > span.start.line && span.end.column == 1 {
            span.end = Position { line: span.start.line, column: span.start.column + 1 };
        }
        Self(Some(Place { source: value.source().clone(), span: Some(span) }))
    }

    /// The same file with another span.
    pub fn narrowed(&self, span: Span) -> Self {
        Self(self.0.as_ref().map(|place| Place { source: place.source.clone(), span: Some(span) }))
    }

    /// A finding at this location.
    pub fn finding(&self, severity: Severity, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(severity, code, message);
        diagnostic.place.clone_from(&self.0);
        diagnostic
    }

    /// An error at this location.
    pub fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.finding(Severity::Error, code, message)
    }

    /// A warning at this location.
    pub fn warning(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.finding(Severity::Warning, code, message)
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
