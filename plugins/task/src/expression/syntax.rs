use std::ops::Range;

use super::{BinaryOperator, ExpressionError, Function, UnaryOperator};

/// An expression that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub(super) root: Node,
    /// Whether `rotFromRpy` is written as in the manual.
    pub(super) misspelt: Option<Range<usize>>,
}

/// A part of an [`Expression`].
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Its letters in the text, counted from 0.
    pub letters: Range<usize>,
}

/// What a [`Node`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A number.
    Number(f64),
    /// A 3-vector or 6-vector, by the number of its elements.
    Vector(Vec<Node>),
    /// A name of a model or a parameter.
    Variable(String),
    /// A function of one argument.
    Call(Function, Box<Node>),
    /// An operator before a value.
    Unary(UnaryOperator, Box<Node>),
    /// An operator between values.
    Binary(BinaryOperator, Box<Node>, Box<Node>),
}

impl Expression {
    /// The whole of it.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The name, if that is all there is to it.
    pub fn as_variable(&self) -> Option<&str> {
        match &self.root.kind {
            NodeKind::Variable(name) => Some(name),
            _ => None,
        }
    }

    /// Where `rotFromRpy` is misspelt as in the manual, which is understood.
    pub fn misspelling(&self) -> Option<ExpressionError> {
        let letters = self.misspelt.as_ref()?;
        let message = format!("`{}` is the manual's misspelling of `rotFromRpy`", Function::MISSPELT);
        Some(ExpressionError::new("misspelt-function", message, letters).help("it is understood; write `rotFromRpy`"))
    }

    /// The names it depends on, in the order of the text, each as often as it stands there.
    pub fn variables(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut pending = vec![&self.root];
        while let Some(node) = pending.pop() {
            match &node.kind {
                NodeKind::Number(_) => {}
                NodeKind::Variable(name) => names.push(name.as_str()),
                NodeKind::Vector(elements) => pending.extend(elements.iter().rev()),
                NodeKind::Call(_, operand) | NodeKind::Unary(_, operand) => pending.push(operand),
                NodeKind::Binary(_, left, right) => pending.extend([&**right, &**left]),
            }
        }
        names
    }
}
