use bunraku_document::{Reporter, Value};

use super::inherited::Inherited;
use crate::{Device, Link};

/// A link as the file gives it, before the tree is built.
pub(super) struct LinkEntry<'a> {
    pub(super) link: Link,
    /// Its devices; their link is set when the tree is built.
    pub(super) devices: Vec<Device>,
    /// What else the model it came from holds, if it is the root of a sub-body.
    pub(super) inherited: Option<Box<Inherited>>,
    /// The link it hangs on.
    pub(super) parent: Option<Parent<'a>>,
    /// Where the name, or else the link, stands.
    pub(super) name_node: Value<'a>,
    /// The link itself, if it is in this file.
    pub(super) own_node: Option<Value<'a>>,
    /// Whether it has a mass and no inertia.
    pub(super) has_guessed_inertia: bool,
    /// Where the joint ID stands.
    pub(super) joint_id_node: Option<Value<'a>>,
}

/// The name of a parent link and where it stands.
pub(super) struct Parent<'a> {
    pub(super) name: String,
    pub(super) node: Value<'a>,
}

impl<'a> Parent<'a> {
    pub(super) fn read(node: Value<'a>, reporter: &Reporter) -> Option<Self> {
        Some(Self { name: reporter.keep(node.as_text())?.to_owned(), node })
    }
}
