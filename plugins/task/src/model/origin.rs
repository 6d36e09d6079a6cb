use bunraku_document::{Diagnostic, Place, Position, Severity, Span, Value};

/// Where something stands in the file it was read from; nowhere if it was made in a program.
///
/// It takes no part in comparisons: two tasks are equal if they say the same.
#[derive(Clone, Debug, Default)]
pub struct Origin(pub Option<Place>);

impl Origin {
    /// The place of a node.
    pub fn of(value: Value<'_>) -> Self {
        let mut span = value.span();
        // Of a block of lines the first is marked, not the first letter of the next block.
        if span.end.line > span.start.line && span.end.column == 1 {
            span.end = Position { line: span.start.line, column: span.start.column + 1 };
        }
        Self(Some(Place { source: value.source().clone(), span: Some(span) }))
    }

    /// The same file at another span.
    pub fn narrowed(&self, span: Span) -> Self {
        Self(self.0.as_ref().map(|place| Place { source: place.source.clone(), span: Some(span) }))
    }

    /// A finding at this place.
    pub fn finding(&self, severity: Severity, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(severity, code, message);
        diagnostic.place.clone_from(&self.0);
        diagnostic
    }

    /// An error at this place.
    pub fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.finding(Severity::Error, code, message)
    }

    /// A warning at this place.
    pub fn warning(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.finding(Severity::Warning, code, message)
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
