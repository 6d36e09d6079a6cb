use libyaml_safer::Mark;

use crate::{Position, SourceFile, Span};

/// Span between two marks, in lines of the file, also if `source` is an excerpt of it.
pub(super) fn span(source: &SourceFile, start: Mark, end: Mark) -> Span {
    let position = |mark: Mark| Position {
        line: source.line_number(u32::try_from(mark.line).unwrap_or(u32::MAX)),
        column: u32::try_from(mark.column + 1).unwrap_or(u32::MAX),
    };
    Span { start: position(start), end: position(end) }
}
