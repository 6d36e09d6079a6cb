//! The places from which the lines of a generated text come.

use std::sync::Arc;

use crate::{Diagnostic, Place, SourceFile};

/// For each part of a generated text: its first line and the place from which it comes.
#[derive(Clone, Debug, Default)]
pub struct Origins(Vec<(u32, Place)>);

impl Origins {
    /// Lines from this one on, which is not before those that were added earlier, come from `place`.
    pub fn add(&mut self, line: u32, place: Place) {
        self.0.push((line, place));
    }

    /// Moves a finding in the generated text to the place from which its line comes. Findings in other files stay.
    pub fn relocated(&self, text: &Arc<SourceFile>, mut diagnostic: Diagnostic) -> Diagnostic {
        if let Some(place) = &diagnostic.place
            && Arc::ptr_eq(&place.source, text)
        {
            let line = place.span.map_or(1, |span| span.start.line);
            let after = self.0.partition_point(|(first, _)| *first <= line);
            let origin = after.checked_sub(1).and_then(|last| self.0.get(last));
            diagnostic.place = origin.map(|(_, origin)| origin.clone());
        }
        diagnostic
    }
}
