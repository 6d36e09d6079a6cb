//! A YAML tree in which every node knows its line and column, in the dialect Choreonoid reads.
//!
//! Beyond plain YAML: the last of several equal keys wins (with a warning), an anchor name may be defined once
//! only, `<<` merges mappings without overriding explicit keys. Aliases share the node they name, so that a
//! document that repeats aliases of aliases stays as small as its text.

mod input;
mod mapping;
mod mark;
mod number;
mod overrides;
mod parse;
mod scalar;
mod syntax;
mod tree;

pub use mapping::Mapping;
pub use number::NumberFormat;
pub use tree::{Document, NodeIdentity, Value, ValueKind};
