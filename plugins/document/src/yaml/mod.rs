//! A YAML tree in which every node has a line and column, in the dialect of Choreonoid.
//!
//! Differences from plain YAML: of several equal keys the last one is used (with a warning), an anchor name may be
//! defined only once, and `<<` merges mappings without overriding explicit keys. Aliases share the node they refer to,
//! so that a document with aliases of aliases stays as small as its text.

mod extent;
mod input;
mod mapping;
mod mark;
mod nodes;
mod number;
mod overrides;
mod parse;
mod scalar;
mod syntax;
mod tree;
mod written;

pub use extent::up_to_end_of_value;
pub use mapping::Mapping;
pub use number::NumberFormat;
pub use tree::{Document, NodeIdentity, Value, ValueKind};
pub use written::{as_written, quoted, text};
