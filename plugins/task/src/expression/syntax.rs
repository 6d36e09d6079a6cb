use std::ops::Range;

use super::{BinaryOperator, ExpressionError, Function, UnaryOperator};

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub(super) root: Node,
    /// Location of `rotFromRpy` in the manual's misspelling.
    pub(super) misspelt: Option<Range<usize>>,
}

/// A part of an [`Expression`].
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Kind.
    pub kind: NodeKind,
    /// Range of its characters in the text, from 0.
    pub letters: Range<usize>,
}

/// Kind of a [`Node`].
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A number.
    Number(f64),
    /// A 3-vector or 6-vector, depending on the number of elements.
    Vector(Vec<Node>),
    /// Name of a model or a parameter.
    Variable(String),
    /// Call of a function with one argument.
    Call(Function, Box<Node>),
    /// Unary operator.
    Unary(UnaryOperator, Box<Node>),
    /// Binary operator.
    Binary(BinaryOperator, Box<Node>, Box<Node>),
}

impl Expression {
    /// Root of the tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The name, if the expression is only a name.
    pub fn as_variable(&self) -> Option<&str> {
        match &self.root.kind {
            NodeKind::Variable(name) => Some(name),
            _ => None,
        }
    }

    /// A warning about the manual's misspelling of `rotFromRpy`, which is accepted.
    pub fn misspelling(&self) -> Option<ExpressionError> {
        let letters = self.misspelt.as_ref()?;
        let message = format!("`{}` is the manual's misspelling of `rotFromRpy`", Function::MISSPELT);
        Some(ExpressionError::new("misspelt-function", message, letters).help("it is understood; write `rotFromRpy`"))
    }

    /// Names in the expression, in the order of the text, with repetitions.
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
