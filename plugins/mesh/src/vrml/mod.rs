//! VRML97 files (`.wrl`), as meshes and as trees.
//!
//! - [`Document::parse`] reads a file into a tree of [`Node`]s: each node and field knows its place ([`Location`]), `USE`
//!   shares nodes, and instances of a `PROTO` have their fields ([`Node::field`], defaults of the declaration included)
//!   and the node their body makes of them ([`Instance::actual`]).
//! - [`Converter`] makes scenes of a tree or a part of it. A node of a type nobody knows, an instance of a `PROTO`, is
//!   shown through its actual node. [`Converter::visit_inlined`] gives the trees of the files that a node inlines.
//! - [`crate::load_scene`] does both for a file.
//!
//! What OpenHRP's body files mean beyond that (`Humanoid`, `Joint`, …) is for others to say: here they are instances of
//! prototypes that a file declares.
//!
//! The dialect is that of Choreonoid: commas are white space, a backslash is a letter, numbers with a leading zero are
//! octal, each URL of an `Inline` is shown and each choice of a `Switch`. What only Choreonoid refuses and VRML97 allows is
//! read (such as `\"` within a string), and `USE` means the last definition of a name before it, as in VRML97.

mod appearance;
mod bytes;
mod convert;
mod environment;
mod fields;
mod geometry;
mod inline;
mod inlined_files;
mod lexer;
mod limits;
mod node_type;
mod openhrp;
mod parser;
mod prototype;
mod read;
mod source;
mod tree;
mod value;

pub use convert::Converter;
pub use limits::{MAX_DEPTH, MAX_HEIGHT, MIN_INSTANCE_NODES};
pub use node_type::NodeType;
pub(crate) use read::read;
pub use source::{Location, MAX_WARNINGS};
pub use tree::{Declaration, Document, Field, Instance, Node, NodeKind, Prototype, StandardNode};
pub use value::{FieldType, Image, NodeList, Value};
