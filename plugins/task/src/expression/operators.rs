use super::{Value, ValueType};

/// Binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Unary operator; our extension of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOperator {
    Plus,
    Minus,
    Not,
}

/// Tolerance of `==`, as in the original.
const EQUAL: f64 = 1e-7;

impl BinaryOperator {
    /// Text of the operator.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::LessOrEqual => "<=",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::Greater => ">",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        }
    }

    /// Precedence: lowest for `||`, highest for `*` and `/`.
    pub(super) fn precedence(self) -> u8 {
        match self {
            Self::Or => 0,
            Self::And => 1,
            Self::Equal | Self::NotEqual => 2,
            Self::LessOrEqual | Self::GreaterOrEqual | Self::Less | Self::Greater => 3,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide => 5,
        }
    }

    /// Type of the result; `None` if the operand types do not match.
    pub fn result(self, left: ValueType, right: ValueType) -> Option<ValueType> {
        use ValueType::{Rotation, Scalar, Vector3, Vector6};
        match (self, left, right) {
            (_, Scalar, Scalar) => Some(Scalar),
            (Self::Add | Self::Subtract, Vector3, Vector3) => Some(Vector3),
            (Self::Add | Self::Subtract, Vector6, Vector6) => Some(Vector6),
            (Self::Multiply, Scalar, Vector3) | (Self::Multiply | Self::Divide, Vector3, Scalar) => Some(Vector3),
            (Self::Multiply, Scalar, Vector6) | (Self::Multiply | Self::Divide, Vector6, Scalar) => Some(Vector6),
            (Self::Multiply, Rotation, Vector3) => Some(Vector3),
            (Self::Multiply, Rotation, Rotation) => Some(Rotation),
            _ => None,
        }
    }

    /// The result; `None` if the types do not match. Both sides of `&&` and `||` are evaluated, without short circuit.
    pub(super) fn apply(self, left: &Value, right: &Value) -> Option<Value> {
        use Value::{Rotation, Scalar, Vector3, Vector6};
        Some(match (self, left, right) {
            (_, Scalar(left), Scalar(right)) => Scalar(self.apply_to_numbers(*left, *right)),
            (Self::Add, Vector3(left), Vector3(right)) => Vector3(left + right),
            (Self::Subtract, Vector3(left), Vector3(right)) => Vector3(left - right),
            // Element by element: poses are not composed.
            (Self::Add, Vector6(left), Vector6(right)) => Vector6(left + right),
            (Self::Subtract, Vector6(left), Vector6(right)) => Vector6(left - right),
            (Self::Multiply, Scalar(factor), Vector3(vector)) | (Self::Multiply, Vector3(vector), Scalar(factor)) => {
                Vector3(vector * *factor)
            }
            (Self::Multiply, Scalar(factor), Vector6(vector)) | (Self::Multiply, Vector6(vector), Scalar(factor)) => {
                Vector6(vector * *factor)
            }
            (Self::Divide, Vector3(vector), Scalar(divisor)) => Vector3(vector / *divisor),
            (Self::Divide, Vector6(vector), Scalar(divisor)) => Vector6(vector / *divisor),
            (Self::Multiply, Rotation(left), Vector3(right)) => Vector3(left * right),
            (Self::Multiply, Rotation(left), Rotation(right)) => Rotation(left * right),
            _ => return None,
        })
    }

    fn apply_to_numbers(self, left: f64, right: f64) -> f64 {
        let truth = |holds: bool| f64::from(u8::from(holds));
        match self {
            Self::Or => truth(left != 0.0 || right != 0.0),
            Self::And => truth(left != 0.0 && right != 0.0),
            Self::Equal => truth(is_equal(left, right)),
            Self::NotEqual => truth(!is_equal(left, right)),
            Self::LessOrEqual => truth(left <= right),
            Self::GreaterOrEqual => truth(left >= right),
            Self::Less => truth(left < right),
            Self::Greater => truth(left > right),
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
        }
    }
}

fn is_equal(left: f64, right: f64) -> bool {
    left == right || (left - right).abs() < EQUAL
}

impl UnaryOperator {
    /// Text of the operator.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Not => "!",
        }
    }

    /// Type of the result; `None` if the operator does not apply to this type.
    pub fn result(self, operand: ValueType) -> Option<ValueType> {
        match (self, operand) {
            (_, ValueType::Rotation) | (Self::Not, ValueType::Vector3 | ValueType::Vector6) => None,
            _ => Some(operand),
        }
    }

    pub(super) fn apply(self, operand: &Value) -> Option<Value> {
        Some(match (self, operand) {
            (Self::Plus, Value::Scalar(_) | Value::Vector3(_) | Value::Vector6(_)) => *operand,
            (Self::Minus, Value::Scalar(number)) => Value::Scalar(-number),
            (Self::Minus, Value::Vector3(vector)) => Value::Vector3(-vector),
            (Self::Minus, Value::Vector6(vector)) => Value::Vector6(-vector),
            (Self::Not, Value::Scalar(number)) => Value::Scalar(f64::from(u8::from(*number == 0.0))),
            _ => return None,
        })
    }
}
