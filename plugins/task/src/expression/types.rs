//! Type check of expressions.

use super::{Expression, ExpressionError, Node, NodeKind, ValueType};

impl Expression {
    /// Type of the result; `variable` gives the types of names.
    ///
    /// # Errors
    /// If a name is unknown (with the reason from `variable`) or types do not match.
    pub fn check(&self, variable: &impl Fn(&str) -> Result<ValueType, Unknown>) -> Result<ValueType, ExpressionError> {
        check(&self.root, variable)
    }
}

/// Reason why a name is undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Description.
    pub message: String,
    /// Suggested remedy.
    pub help: String,
}

pub(super) fn unknown(why: Unknown, node: &Node) -> ExpressionError {
    ExpressionError::new("unknown-name", why.message, &node.letters).help(why.help)
}

fn check(node: &Node, variable: &impl Fn(&str) -> Result<ValueType, Unknown>) -> Result<ValueType, ExpressionError> {
    match &node.kind {
        NodeKind::Number(_) => Ok(ValueType::Scalar),
        NodeKind::Variable(name) => variable(name).map_err(|why| unknown(why, node)),
        NodeKind::Vector(elements) => {
            for element in elements {
                element_type(check(element, variable)?, element)?;
            }
            Ok(vector_type(elements))
        }
        NodeKind::Call(function, argument) => {
            let found = check(argument, variable)?;
            if found == function.argument() {
                Ok(function.result())
            } else {
                Err(wrong_argument(node, argument, found))
            }
        }
        NodeKind::Unary(operator, operand) => {
            let found = check(operand, variable)?;
            operator.result(found).ok_or_else(|| wrong_operand(node, found))
        }
        NodeKind::Binary(operator, left, right) => {
            let (left, right) = (check(left, variable)?, check(right, variable)?);
            operator.result(left, right).ok_or_else(|| wrong_operands(node, left, right))
        }
    }
}

pub(super) fn vector_type(elements: &[Node]) -> ValueType {
    if elements.len() == 3 { ValueType::Vector3 } else { ValueType::Vector6 }
}

/// Checks that an element of a vector is a number.
pub(super) fn element_type(found: ValueType, element: &Node) -> Result<(), ExpressionError> {
    if found == ValueType::Scalar {
        return Ok(());
    }
    let message = format!("an element of a vector must be a number, this is {}", found.as_str());
    Err(ExpressionError::new("wrong-type", message, &element.letters).help("vectors are made of numbers only"))
}

pub(super) fn wrong_argument(node: &Node, argument: &Node, found: ValueType) -> ExpressionError {
    let NodeKind::Call(function, _) = &node.kind else { return no_such_node(node) };
    let wanted = function.argument();
    let message = format!("`{}` takes {}, this is {}", function.name(), wanted.as_str(), found.as_str());
    let help = match (function.name(), found) {
        ("rotFromRpy", ValueType::Vector6) => "take its angles first: `rotFromRpy(rpy(…))`".to_owned(),
        ("rpyFromRot", ValueType::Vector6) => "the angles of a pose are `rpy(…)`".to_owned(),
        _ => format!("give it {}", wanted.as_str()),
    };
    ExpressionError::new("wrong-type", message, &argument.letters).help(help)
}

pub(super) fn wrong_operand(node: &Node, found: ValueType) -> ExpressionError {
    let NodeKind::Unary(operator, _) = &node.kind else { return no_such_node(node) };
    let message = format!("`{}` cannot stand before {}", operator.as_str(), found.as_str());
    ExpressionError::new("wrong-type", message, &node.letters).help("it is for numbers; `-` for vectors, too")
}

pub(super) fn wrong_operands(node: &Node, left: ValueType, right: ValueType) -> ExpressionError {
    let NodeKind::Binary(operator, ..) = &node.kind else { return no_such_node(node) };
    let message = format!("`{}` is not defined between {} and {}", operator.as_str(), left.as_str(), right.as_str());
    let help = match (operator.as_str(), left, right) {
        ("+" | "-", ValueType::Vector6, ValueType::Vector3) | ("+" | "-", ValueType::Vector3, ValueType::Vector6) => {
            "take the position or the angles of the pose: `xyz(…)` or `rpy(…)`"
        }
        ("+" | "-", ValueType::Rotation, ValueType::Vector3) => "to turn a vector, multiply: `rotation * vector`",
        ("*", ValueType::Vector3, ValueType::Rotation) => "the rotation stands first: `rotation * vector`",
        ("*", ValueType::Rotation, ValueType::Vector6) => "a rotation turns a 3-vector: `xyz(…)`",
        ("*", ValueType::Vector6, ValueType::Vector6) => {
            "poses are composed part by part: `xyz(a) + rotFromRpy(rpy(a)) * xyz(b)`"
        }
        ("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||", ..) => "only numbers are compared",
        _ => "both sides must be of the same type",
    };
    ExpressionError::new("wrong-type", message, &node.letters).help(help)
}

/// For branches that are never reached.
fn no_such_node(node: &Node) -> ExpressionError {
    ExpressionError::new("wrong-type", "these types do not go together", &node.letters)
}
