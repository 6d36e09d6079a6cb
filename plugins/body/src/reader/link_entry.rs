use bunraku_document::{Reporter, Value};

use super::inherited::Inherited;
use crate::{Device, Link};

/// A link as given in the file, before the tree is built.
pub(super) struct LinkEntry<'a> {
    pub(super) link: Link,
    /// Its devices; their link is set when the tree is built.
    pub(super) devices: Vec<Device>,
    /// Other data of the model it came from, if it is the root of an included model.
    pub(super) inherited: Option<Box<Inherited>>,
    /// Parent link.
    pub(super) parent: Option<Parent<'a>>,
    /// Location of the name, or else of the link.
    pub(super) name_node: Value<'a>,
    /// Node of the link, if it is in this file.
    pub(super) own_node: Option<Value<'a>>,
    /// Whether it has a mass but no inertia.
    pub(super) has_guessed_inertia: bool,
    /// Location of the joint ID.
    pub(super) joint_id_node: Option<Value<'a>>,
}

/// Name of a parent link and its location.
pub(super) struct Parent<'a> {
    pub(super) name: String,
    pub(super) node: Value<'a>,
}

impl<'a> Parent<'a> {
    pub(super) fn read(node: Value<'a>, reporter: &Reporter) -> Option<Self> {
        Some(Self { name: reporter.keep(node.as_text())?.to_owned(), node })
    }
}
