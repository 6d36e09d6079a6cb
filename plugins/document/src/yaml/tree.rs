use std::collections::HashMap;
use std::sync::Arc;

use super::nodes::{NodeId, Nodes, Sources};
use crate::{Diagnostic, SourceFile, Span};

#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Index in [`Document::sources`].
    pub(super) source: u32,
    pub(super) span: Span,
    /// Whether the node carries an anchor.
    pub(super) anchored: bool,
    pub(super) content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Scalar { text: Box<str>, plain: bool },
    Sequence(Vec<NodeId>),
    Mapping(Vec<Entry>),
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Box<str>,
    pub(super) key_span: Span,
    pub(super) value: NodeId,
}

/// A parsed YAML document.
#[derive(Debug)]
pub struct Document {
    pub(super) sources: Sources,
    pub(super) nodes: Nodes,
    pub(super) root: NodeId,
    /// Nodes by the names of their anchors.
    pub(super) anchors: HashMap<String, NodeId>,
    /// Whether an unknown key is an error.
    pub(super) requires_known_keys: bool,
}

impl Document {
    /// Node with an anchor of this name.
    pub fn anchor(&self, name: &str) -> Option<Value<'_>> {
        self.anchors.get(name).map(|&id| Value { document: self, id })
    }

    /// Names of all anchors, sorted.
    pub fn anchor_names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.anchors.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Root node.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, id: self.root }
    }

    /// Makes unknown keys errors, unless the reporter is [lenient](crate::Reporter::lenient); by default they are warnings.
    /// For formats of which no other program keeps data in the same file.
    pub fn require_known_keys(&mut self) {
        self.requires_known_keys = true;
    }

    /// The text this was parsed from.
    pub fn source(&self) -> &Arc<SourceFile> {
        self.sources.first()
    }
}

/// Node of a [`Document`], with access to its location for messages.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    document: &'a Document,
    id: NodeId,
}

/// Identity of a node; see [`Value::identity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeIdentity(usize, NodeId);

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Null: an empty plain scalar, `~` or `null`.
    Null,
    /// Text or number.
    Scalar,
    /// List.
    Sequence,
    /// Mapping of keys to values.
    Mapping,
}

impl ValueKind {
    /// Name in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Scalar => "a single value",
            Self::Sequence => "a list",
            Self::Mapping => "a mapping",
        }
    }
}

impl<'a> Value<'a> {
    /// Kind of the node.
    pub fn kind(self) -> ValueKind {
        match &self.node().content {
            Content::Scalar { text, plain: true } if matches!(&**text, "" | "~" | "null" | "Null" | "NULL") => {
                ValueKind::Null
            }
            Content::Scalar { .. } => ValueKind::Scalar,
            Content::Sequence(_) => ValueKind::Sequence,
            Content::Mapping(_) => ValueKind::Mapping,
        }
    }

    /// Whether the value was set by [`Document::set`] instead of being read from the file.
    pub fn is_set(self) -> bool {
        self.node().source != 0
    }

    /// Text of a scalar; `None` for lists, mappings and null.
    pub fn text(self) -> Option<&'a str> {
        match &self.node().content {
            Content::Scalar { text, .. } if self.kind() == ValueKind::Scalar => Some(text),
            _ => None,
        }
    }

    /// Whether it is a scalar without quotes, so that text in the form of a number is a number.
    pub fn is_plain(self) -> bool {
        matches!(self.node().content, Content::Scalar { plain: true, .. })
    }

    /// Items of a list; `None` for other kinds.
    pub fn items(self) -> Option<impl ExactSizeIterator<Item = Value<'a>>> {
        match &self.node().content {
            Content::Sequence(items) => Some(items.iter().map(move |&id| Value { id, ..self })),
            _ => None,
        }
    }

    /// Keys and values of a mapping in document order, merged ones last; `None` for other kinds.
    pub fn entries(self) -> Option<impl ExactSizeIterator<Item = (&'a str, Span, Value<'a>)>> {
        match &self.node().content {
            Content::Mapping(entries) => {
                Some(entries.iter().map(move |entry| (&*entry.key, entry.key_span, Value { id: entry.value, ..self })))
            }
            _ => None,
        }
    }

    /// Value of a key of a mapping.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.entries()?.find(|(name, ..)| *name == key).map(|(_, _, value)| value)
    }

    /// Location in the source.
    pub fn span(self) -> Span {
        self.node().span
    }

    /// File that contains the node.
    pub fn source(self) -> &'a Arc<SourceFile> {
        self.document.sources.get(self.node().source)
    }

    /// Document that contains the node.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// Whether this node or a descendant carries an anchor, so that other parts of the file may refer to it.
    pub fn has_anchor(self) -> bool {
        // An alias refers to an anchor, so no node is visited twice.
        self.node().anchored
            || match &self.node().content {
                Content::Scalar { .. } => false,
                Content::Sequence(_) => self.items().into_iter().flatten().any(Self::has_anchor),
                Content::Mapping(_) => self.entries().into_iter().flatten().any(|(_, _, value)| value.has_anchor()),
            }
    }

    /// Identity of the node, unique while its document is alive. An alias has the identity of its anchor.
    pub fn identity(self) -> NodeIdentity {
        NodeIdentity(std::ptr::from_ref(self.document) as usize, self.id)
    }

    /// An error about this node.
    pub fn error(self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, message).at(self.source(), self.span())
    }

    /// A warning about this node.
    pub fn warning(self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(code, message).at(self.source(), self.span())
    }

    /// A note about this node.
    pub fn note(self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::note(code, message).at(self.source(), self.span())
    }

    fn node(self) -> &'a Node {
        &self.document.nodes[self.id]
    }
}
