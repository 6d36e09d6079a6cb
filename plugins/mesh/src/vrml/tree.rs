//! The tree of a file.
//!
//! Nodes have values, a value may be a node, and field types are those of values: this file, `value` and `node_type`
//! depend on each other.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bunraku_document::{Diagnostic, Place};

use super::source::{Problem, Source, number};
use super::{FieldType, Location, NodeType, Value};

/// A VRML97 file as a tree of nodes. `USE` makes it a graph: a node may have several parents.
#[derive(Debug)]
pub struct Document {
    pub(super) source: Arc<Source>,
    pub(super) nodes: Vec<Arc<Node>>,
    pub(super) definitions: HashMap<Arc<str>, Definition>,
    pub(super) prototypes: HashMap<Arc<str>, Arc<Prototype>>,
    pub(super) node_count: usize,
}

/// Definition of a `DEF` name.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    /// The last node of this name so far. `None` if it gave no node, as an instance of an `EXTERNPROTO` does.
    pub node: Option<Arc<Node>>,
    /// Location of the definition.
    pub at: Location,
    /// Whether there is an earlier definition.
    pub repeated: bool,
}

/// A node: one of a standard type, or an instance of a `PROTO`.
#[derive(Debug)]
pub struct Node {
    pub(super) name: Option<Arc<str>>,
    pub(super) location: Location,
    pub(super) height: u32,
    pub(super) kind: NodeKind,
}

/// Kind of a node.
#[derive(Debug)]
pub enum NodeKind {
    /// A node of a type that VRML97 defines.
    Standard(StandardNode),
    /// An instance of a `PROTO`.
    Instance(Instance),
}

/// A node of a type that VRML97 defines.
#[derive(Debug)]
pub struct StandardNode {
    pub(super) node_type: NodeType,
    pub(super) fields: Vec<StandardField>,
}

#[derive(Debug)]
pub(super) struct StandardField {
    pub name: &'static str,
    pub location: Location,
    pub value: Value,
}

/// An instance of a `PROTO`.
#[derive(Debug)]
pub struct Instance {
    pub(super) prototype: Arc<Prototype>,
    pub(super) given: Vec<GivenField>,
    pub(super) actual: Option<Arc<Node>>,
}

/// A field that an instance sets. The fields of an instance are in the order of the declarations.
#[derive(Debug)]
pub(super) struct GivenField {
    /// Index of the declaration.
    pub index: u32,
    pub location: Location,
    pub value: Value,
}

/// A `PROTO` declaration.
#[derive(Debug)]
pub struct Prototype {
    pub(super) name: Arc<str>,
    pub(super) location: Location,
    pub(super) fields: Vec<Declaration>,
    pub(super) index: HashMap<Arc<str>, u32>,
    pub(super) events: HashSet<Arc<str>>,
    pub(super) body: Range<usize>,
    pub(super) height: u32,
    /// The actual node of all instances if the body has no `IS`.
    pub(super) constant: OnceLock<Option<Arc<Node>>>,
}

/// A field in the interface of a [`Prototype`].
#[derive(Debug)]
pub struct Declaration {
    /// Name.
    pub name: Arc<str>,
    /// Default value; its type is that of the field.
    pub default: Value,
    /// Location of the declaration; for an undeclared field, that of the `PROTO`.
    pub location: Location,
    /// Whether the file declares it. OpenHRP's prototypes have some fields without declaration.
    pub declared: bool,
}

/// A field of a node.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Name.
    pub name: &'a str,
    /// Value.
    pub value: &'a Value,
    /// Location of its name: in the node, or in the `PROTO` declaration if the node does not set it.
    pub location: Location,
    /// Whether the node itself sets it.
    pub given: bool,
}

impl Document {
    /// Root nodes, in file order.
    pub fn nodes(&self) -> &[Arc<Node>] {
        &self.nodes
    }

    /// The last node with this `DEF` name.
    pub fn definition(&self, name: &str) -> Option<&Arc<Node>> {
        self.definitions.get(name)?.node.as_ref()
    }

    /// The `PROTO` with this name.
    pub fn prototype(&self, name: &str) -> Option<&Arc<Prototype>> {
        self.prototypes.get(name)
    }

    /// Number of nodes created, including those in prototypes; shared nodes count once.
    pub fn node_count(&self) -> usize {
        self.node_count
    }

    /// Path given to the parser.
    pub fn path(&self) -> &Path {
        self.source.path()
    }

    /// Base directory of relative paths in the file.
    pub fn directory(&self) -> &Path {
        match self.source.path().parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    /// Location of the beginning of the file.
    pub fn start(&self) -> Location {
        Location::new(self.source.start())
    }

    /// File, line and column of a location in this file.
    pub fn place(&self, location: Location) -> Place {
        self.source.place(location)
    }

    /// An error at a location, with a remedy.
    pub fn error(
        &self,
        at: Location,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Box<Diagnostic> {
        self.source.error(Problem::new(at, code, message, help))
    }
}

impl Node {
    /// `DEF` name; may be empty.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Name of the type: a standard one or that of a `PROTO`.
    pub fn type_name(&self) -> &str {
        match &self.kind {
            NodeKind::Standard(node) => node.node_type.name(),
            NodeKind::Instance(instance) => &instance.prototype.name,
        }
    }

    /// Location of the type.
    pub fn location(&self) -> Location {
        self.location
    }

    /// Kind of the node.
    pub fn kind(&self) -> &NodeKind {
        &self.kind
    }

    /// Height of the subtree: number of nodes on the longest path down, including this one. It is at most
    /// [`super::MAX_HEIGHT`], so recursive functions are safe.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The instance, if the node is one of a `PROTO`.
    pub fn instance(&self) -> Option<&Instance> {
        match &self.kind {
            NodeKind::Instance(instance) => Some(instance),
            NodeKind::Standard(_) => None,
        }
    }

    /// The node of a standard type that this node represents: for a `PROTO` instance that of its actual node. `None`
    /// for instances of an empty `PROTO`.
    pub fn resolve(self: &Arc<Self>) -> Option<&Arc<Self>> {
        let mut node = self;
        loop {
            match &node.kind {
                NodeKind::Standard(_) => return Some(node),
                NodeKind::Instance(instance) => node = instance.actual.as_ref()?,
            }
        }
    }

    /// The node as one of a standard type, if it is one.
    pub fn standard(&self) -> Option<&StandardNode> {
        match &self.kind {
            NodeKind::Standard(node) => Some(node),
            NodeKind::Instance(_) => None,
        }
    }

    /// The field with this name. Standard nodes have only the fields given in the file; `PROTO` instances also have
    /// those with the default of the declaration.
    pub fn field(&self, name: &str) -> Option<Field<'_>> {
        match &self.kind {
            NodeKind::Standard(node) => {
                let field = node.fields.iter().find(|field| field.name == name)?;
                Some(Field { name: field.name, value: &field.value, location: field.location, given: true })
            }
            NodeKind::Instance(instance) => instance.field(*instance.prototype.index.get(name)?),
        }
    }

    /// All fields that [`Node::field`] finds.
    pub fn fields(&self) -> Box<dyn Iterator<Item = Field<'_>> + '_> {
        match &self.kind {
            NodeKind::Standard(node) => Box::new(node.fields.iter().map(|field| Field {
                name: field.name,
                value: &field.value,
                location: field.location,
                given: true,
            })),
            NodeKind::Instance(instance) => {
                let count = number(instance.prototype.fields.len());
                Box::new((0..count).filter_map(|index| instance.field(index)))
            }
        }
    }
}

impl StandardNode {
    /// Type of the node.
    pub fn node_type(&self) -> NodeType {
        self.node_type
    }

    /// Value of a field, if the file gives it.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.value)
    }

    /// Child nodes of a group: all choices of a `Switch`, as in the original, and the finest level of an `LOD`. `None`
    /// if the node is not a group; `Inline` counts as none.
    pub fn members(&self) -> Option<&[Arc<Node>]> {
        match self.node_type {
            NodeType::Anchor | NodeType::Billboard | NodeType::Collision | NodeType::Group | NodeType::Transform => {
                Some(self.nodes("children"))
            }
            NodeType::Switch => Some(self.nodes("choice")),
            NodeType::LOD => Some(self.nodes("level").get(..1).unwrap_or_default()),
            _ => None,
        }
    }

    pub(super) fn location(&self, name: &str) -> Option<Location> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.location)
    }
}

/// Typed getters: the value of the field, or the given default if it is absent.
macro_rules! getters {
    ($($getter:ident: $type:ty = $variant:ident;)*) => {
        impl StandardNode {
            $(pub(super) fn $getter(&self, name: &str, default: $type) -> $type {
                match self.value(name) {
                    Some(Value::$variant(value)) => *value,
                    _ => default,
                }
            })*
        }
    };
}

getters! {
    flag: bool = SFBool;
    number: f64 = SFFloat;
    integer: i32 = SFInt32;
    color: [f64; 3] = SFColor;
    rotation: [f64; 4] = SFRotation;
    vector: [f64; 3] = SFVec3f;
    pair: [f64; 2] = SFVec2f;
}

macro_rules! lists {
    ($($getter:ident: $type:ty = $variant:ident;)*) => {
        impl StandardNode {
            $(pub(super) fn $getter(&self, name: &str) -> &[$type] {
                match self.value(name) {
                    Some(Value::$variant(values)) => values,
                    _ => &[],
                }
            })*
        }
    };
}

lists! {
    integers: i32 = MFInt32;
    numbers: f64 = MFFloat;
    vectors: [f64; 3] = MFVec3f;
    pairs: [f64; 2] = MFVec2f;
    colors: [f64; 3] = MFColor;
    rotations: [f64; 4] = MFRotation;
    strings: Arc<str> = MFString;
}

impl StandardNode {
    pub(super) fn nodes(&self, name: &str) -> &[Arc<Node>] {
        self.value(name).map(Value::nodes).unwrap_or_default()
    }
}

impl Instance {
    /// The `PROTO` declaration.
    pub fn prototype(&self) -> &Arc<Prototype> {
        &self.prototype
    }

    /// The first node of the body, with the values of this instance; a renderer shows it. `None` if the body is empty.
    pub fn actual(&self) -> Option<&Arc<Node>> {
        self.actual.as_ref()
    }

    fn field(&self, index: u32) -> Option<Field<'_>> {
        let declaration = self.prototype.fields.get(index as usize)?;
        let name = &*declaration.name;
        Some(match find_given(&self.given, index) {
            Some(given) => Field { name, value: &given.value, location: given.location, given: true },
            None => Field { name, value: &declaration.default, location: declaration.location, given: false },
        })
    }
}

/// The field with this index, in a list sorted by index.
pub(super) fn find_given(given: &[GivenField], index: u32) -> Option<&GivenField> {
    given.binary_search_by_key(&index, |field| field.index).ok().and_then(|found| given.get(found))
}

impl Prototype {
    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Location of the name in the declaration.
    pub fn location(&self) -> Location {
        self.location
    }

    /// Fields in file order, then those that were added.
    pub fn fields(&self) -> &[Declaration] {
        &self.fields
    }
}

impl Declaration {
    /// Type of the field.
    pub fn field_type(&self) -> FieldType {
        self.default.field_type()
    }
}
