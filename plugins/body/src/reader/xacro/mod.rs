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

use bunraku_document::{Origins, SourceFile};
use roxmltree::{Document, Node};

use super::Reading;
use expand::Expander;

/// An expanded file.
pub(super) struct Expanded {
    /// The text of a URDF file.
    pub(super) source: Arc<SourceFile>,
    /// The location of each element in a xacro file.
    pub(super) origins: Origins,
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
