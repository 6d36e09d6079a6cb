//! Properties, parameters and blocks by name, in scopes inside each other.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::expression::Value;
use super::tree::{Element, Node};

/// Index of a scope.
pub(super) type ScopeIndex = usize;

/// The scope of the file.
pub(super) const GLOBAL: ScopeIndex = 0;

/// A property or a parameter.
#[derive(Clone)]
pub(super) enum Property {
    Value(Value),
    /// A text that is evaluated when it is used, and the element that it belongs to.
    Text(Rc<str>, Rc<Element>),
    /// It is being evaluated.
    Pending,
}

/// Elements that `xacro:insert_block` inserts.
#[derive(Clone)]
pub(super) struct Block {
    pub(super) nodes: Rc<Vec<Node>>,
    /// The scope in which they are evaluated; `None`: where they are inserted.
    pub(super) scope: Option<ScopeIndex>,
}

#[derive(Default)]
struct Scope {
    parent: Option<ScopeIndex>,
    properties: BTreeMap<String, Property>,
    blocks: BTreeMap<String, Block>,
}

/// All scopes.
pub(super) struct Scopes(Vec<Scope>);

impl Scopes {
    /// The global scope alone.
    pub(super) fn new() -> Self {
        Self(vec![Scope::default()])
    }

    /// Adds a scope inside another one.
    pub(super) fn inside(&mut self, parent: ScopeIndex) -> ScopeIndex {
        self.0.push(Scope { parent: Some(parent), ..Scope::default() });
        self.0.len() - 1
    }

    pub(super) fn parent(&self, scope: ScopeIndex) -> Option<ScopeIndex> {
        self.0.get(scope)?.parent
    }

    /// The scope and the scopes around it, from the inside.
    fn outwards(&self, scope: ScopeIndex) -> impl Iterator<Item = ScopeIndex> {
        std::iter::successors(Some(scope), |scope| self.parent(*scope))
    }

    /// The scope that has a property, and the property.
    pub(super) fn find(&self, scope: ScopeIndex, name: &str) -> Option<(ScopeIndex, Property)> {
        self.outwards(scope).find_map(|scope| Some((scope, self.0.get(scope)?.properties.get(name)?.clone())))
    }

    pub(super) fn set(&mut self, scope: ScopeIndex, name: &str, property: Property) {
        if let Some(scope) = self.0.get_mut(scope) {
            scope.properties.insert(name.to_owned(), property);
        }
    }

    pub(super) fn remove(&mut self, scope: ScopeIndex, name: &str) {
        if let Some(scope) = self.0.get_mut(scope) {
            scope.properties.remove(name);
            scope.blocks.remove(name);
        }
    }

    pub(super) fn block(&self, scope: ScopeIndex, name: &str) -> Option<Block> {
        self.outwards(scope).find_map(|scope| self.0.get(scope)?.blocks.get(name).cloned())
    }

    pub(super) fn set_block(&mut self, scope: ScopeIndex, name: &str, block: Block) {
        if let Some(scope) = self.0.get_mut(scope) {
            scope.blocks.insert(name.to_owned(), block);
        }
    }

    /// Names of all properties that are known in a scope.
    pub(super) fn names(&self, scope: ScopeIndex) -> Vec<String> {
        self.outwards(scope)
            .filter_map(|scope| self.0.get(scope))
            .flat_map(|scope| scope.properties.keys().cloned())
            .collect()
    }
}
