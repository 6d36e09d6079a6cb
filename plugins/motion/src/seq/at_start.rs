use bunraku_document::{Diagnostic, Span, Value};

/// Locates a finding about a whole mapping at its first character.
pub(super) fn at_start(diagnostic: Diagnostic, node: Value<'_>) -> Diagnostic {
    let start = Span { end: node.span().start, ..node.span() };
    diagnostic.at(node.source(), start)
}
