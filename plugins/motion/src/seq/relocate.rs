use std::sync::Arc;

use bunraku_document::{Diagnostic, Place, SourceFile, Span};

/// A finding about an excerpt of `source` that begins `lines` lines down, as a finding about `source`.
pub(crate) fn relocate(mut diagnostic: Diagnostic, source: &Arc<SourceFile>, lines: u32) -> Diagnostic {
    if let Some(Place { source: excerpt, span }) = &mut diagnostic.place
        && !Arc::ptr_eq(excerpt, source)
    {
        *excerpt = Arc::clone(source);
        if let Some(Span { start, end }) = span {
            start.line = start.line.saturating_add(lines);
            end.line = end.line.saturating_add(lines);
        }
    }
    diagnostic
}
