use libyaml_safer::Mark;

use crate::{Position, SourceFile, Span};

/// From one mark to another, in lines of the file that `source` is or is taken from.
pub(super) fn span(source: &SourceFile, start: Mark, end: Mark) -> Span {
    let position = |mark: Mark| Position {
        line: source.line_number(u32::try_from(mark.line).unwrap_or(u32::MAX)),
        column: u32::try_from(mark.column + 1).unwrap_or(u32::MAX),
    };
    Span { start: position(start), end: position(end) }
}
