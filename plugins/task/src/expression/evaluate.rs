use nalgebra::{Vector3, Vector6};

use super::types::{element_type, unknown, wrong_argument, wrong_operand, wrong_operands};
use super::{Expression, ExpressionError, Node, NodeKind, Unknown, Value};

impl Expression {
    /// Evaluates the expression; `variable` gives the values of names. A division by zero gives an infinite number, not
    /// an error.
    ///
    /// # Errors
    /// As [`Expression::check`].
    pub fn evaluate(&self, variable: &impl Fn(&str) -> Result<Value, Unknown>) -> Result<Value, ExpressionError> {
        evaluate(&self.root, variable)
    }
}

fn evaluate(node: &Node, variable: &impl Fn(&str) -> Result<Value, Unknown>) -> Result<Value, ExpressionError> {
    match &node.kind {
        NodeKind::Number(number) => Ok(Value::Scalar(*number)),
        NodeKind::Variable(name) => variable(name).map_err(|why| unknown(why, node)),
        NodeKind::Vector(elements) => {
            let mut numbers = [0.0; 6];
            for (slot, element) in numbers.iter_mut().zip(elements) {
                let value = evaluate(element, variable)?;
                element_type(value.kind(), element)?;
                if let Value::Scalar(number) = value {
                    *slot = number;
                }
            }
            Ok(match elements.len() {
                3 => Value::Vector3(Vector3::new(numbers[0], numbers[1], numbers[2])),
                _ => Value::Vector6(Vector6::from(numbers)),
            })
        }
        NodeKind::Call(function, argument) => {
            let value = evaluate(argument, variable)?;
            function.apply(&value).ok_or_else(|| wrong_argument(node, argument, value.kind()))
        }
        NodeKind::Unary(operator, operand) => {
            let value = evaluate(operand, variable)?;
            operator.apply(&value).ok_or_else(|| wrong_operand(node, value.kind()))
        }
        NodeKind::Binary(operator, left, right) => {
            let (left, right) = (evaluate(left, variable)?, evaluate(right, variable)?);
            operator.apply(&left, &right).ok_or_else(|| wrong_operands(node, left.kind(), right.kind()))
        }
    }
}
