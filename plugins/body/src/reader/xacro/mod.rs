//! xacro: properties, macros, conditions and expressions in front of URDF, as ROS's `xacro` expands them.
//!
//! The result is the text of a plain URDF file, in which each element is on a line of its own. Findings in that text are
//! shown at the element of the xacro file that the line comes from.

mod expand;
mod expression;
mod files;
mod macros;
mod output;
mod parameters;
mod properties;
mod scopes;
mod segments;
mod texts;
mod tree;
mod yaml;

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Place, SourceFile};
use roxmltree::{Document, Node};

use super::Reading;
use expand::Expander;

/// An expanded file.
pub(super) struct Expanded {
    /// The text of a URDF file.
    pub(super) source: Arc<SourceFile>,
    /// The first line of each element, and its location in a xacro file, in order.
    origins: Vec<(u32, Place)>,
}

/// Whether a file has anything to expand.
pub(super) fn is_used(root: Node<'_, '_>, path: &Path) -> bool {
    let has_extension = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xacro"));
    has_extension || root.descendants().any(tree::is_xacro)
}

/// Expands a file. Reports to the reporter of `reading`; `None` after an error, which ends the expansion.
pub(super) fn expand(source: &Arc<SourceFile>, document: &Document<'_>, reading: &Reading<'_>) -> Option<Expanded> {
    let output = Expander::new(reading).file(source, document).ok()?;
    Some(Expanded { source: SourceFile::from_text(source.path(), output.text), origins: output.origins })
}

impl Expanded {
    /// Moves a finding in the text to the element that the line comes from.
    pub(super) fn relocated(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if let Some(place) = &diagnostic.place
            && Arc::ptr_eq(&place.source, &self.source)
        {
            let line = place.span.map_or(1, |span| span.start.line);
            let after = self.origins.partition_point(|(first, _)| *first <= line);
            let origin = after.checked_sub(1).and_then(|last| self.origins.get(last));
            diagnostic.place = origin.map(|(_, origin)| origin.clone());
        }
        diagnostic
    }
}
