//! Nodes of a document and the texts they come from, by the indices that the document gives them.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::tree::Node;
use crate::SourceFile;

/// Index of a node in [`Nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(u32);

/// Nodes of one document. Only [`Nodes::push`] and [`Nodes::append`] make indices, and no node is ever removed.
#[derive(Debug, Default)]
pub(super) struct Nodes(Vec<Node>);

impl Nodes {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, node: Node) -> NodeId {
        self.0.push(node);
        NodeId(u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX))
    }

    /// Appends the nodes of another document after `adapt` has changed them; its second argument converts the indices
    /// that the nodes contain. Returns the new index of `root`.
    pub(super) fn append(
        &mut self,
        others: Self,
        root: NodeId,
        adapt: impl Fn(Node, &dyn Fn(NodeId) -> NodeId) -> Node,
    ) -> NodeId {
        let first = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let moved = |id: NodeId| NodeId(id.0.saturating_add(first));
        self.0.extend(others.0.into_iter().map(|node| adapt(node, &moved)));
        moved(root)
    }
}

impl Index<NodeId> for Nodes {
    type Output = Node;

    #[expect(clippy::indexing_slicing, reason = "an index is that of a node of the same document")]
    fn index(&self, id: NodeId) -> &Node {
        &self.0[id.0 as usize]
    }
}

impl IndexMut<NodeId> for Nodes {
    #[expect(clippy::indexing_slicing, reason = "an index is that of a node of the same document")]
    fn index_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.0[id.0 as usize]
    }
}

/// Texts from which a document was read.
#[derive(Debug)]
pub(super) struct Sources {
    /// Text from which the document was parsed; it has index 0.
    first: Arc<SourceFile>,
    /// Texts with indices from 1: those of the outer document, then those of later overrides.
    others: Vec<Arc<SourceFile>>,
}

impl Sources {
    pub(super) fn new(first: &Arc<SourceFile>) -> Self {
        Self { first: Arc::clone(first), others: Vec::new() }
    }

    pub(super) fn first(&self) -> &Arc<SourceFile> {
        &self.first
    }

    pub(super) fn get(&self, index: u32) -> &Arc<SourceFile> {
        let other = index.checked_sub(1).and_then(|index| self.others.get(index as usize));
        other.unwrap_or(&self.first)
    }

    /// Appends the texts of another document and returns the index that its first text has here.
    pub(super) fn append(&mut self, others: &Self) -> u32 {
        let first = u32::try_from(self.others.len() + 1).unwrap_or(u32::MAX);
        self.others.extend([&others.first].into_iter().chain(&others.others).map(Arc::clone));
        first
    }
}
