//! Documents with places: what every file reader of Bunraku stands on.
//!
//! - [`SourceFile`]: the text of a file and where it came from;
//! - [`yaml`]: a YAML tree in which every node knows its line and column, with a [`Mapping`] reader that
//!   notices keys nobody asked for;
//! - [`Diagnostic`] and [`Reporter`]: what is wrong, where, and what to do about it; collected, never printed;
//! - [`render`]: diagnostics as text with an excerpt of the source;
//! - [`Limits`]: how much a document may cost;
//! - [`SearchRoots`]: how a path written in a file becomes a path on disk.

mod diagnostic;
mod encoding;
mod limits;
mod packages;
pub mod render;
mod reporter;
mod search_roots;
mod source;
mod suggest;
pub mod yaml;

pub use diagnostic::{Diagnostic, Place, Position, Severity, Span};
pub use limits::Limits;
pub use reporter::{MOST_OF_A_KIND, Reporter};
pub use search_roots::{PathError, SearchRoots};
pub use source::{ReadError, SourceFile, read_bytes};
pub use suggest::closest;
pub use yaml::{Mapping, NodeIdentity, Value, ValueKind};

/// Result of a step that fails with a located message.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;
