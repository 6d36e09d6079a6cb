//! VRML97 files (`.wrl`), as meshes and as trees.
//!
//! - [`Document::parse`] reads a file into a tree of [`Node`]s. Each node and field has its [`Location`], and `USE`
//!   shares nodes. Instances of a `PROTO` have their fields ([`Node::field`], including defaults of the declaration)
//!   and the actual node given by the body ([`Instance::actual`]).
//! - [`Converter`] converts a tree or a part of it to scenes. An instance of a `PROTO` is shown through its actual
//!   node. [`Converter::visit_inlined`] visits the trees of the files that a node inlines.
//! - [`crate::load_scene`] does both for a file.
//!
//! The nodes of OpenHRP's body files (`Humanoid`, `Joint`, …) are not interpreted here. They are instances of
//! prototypes declared in a file.
//!
//! The dialect is that of Choreonoid: commas are white space, a backslash is an ordinary character, numbers with a
//! leading zero are octal, all URLs of an `Inline` and all choices of a `Switch` are shown. Valid VRML97 that only
//! Choreonoid refuses is accepted (such as `\"` within a string). `USE` refers to the last definition of a name before
//! it, as in VRML97.
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
