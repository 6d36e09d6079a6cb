//! Arithmetic, with Python's types: integers stay integers, `/` gives a float.

use std::rc::Rc;

use super::LONGEST;
use super::syntax::Binary;
use super::value::Value;

/// Whether two values are equal; numbers of different types are equal if their values are.
pub(super) fn is_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| is_equal(left, right))
        }
        _ => match (left.number(), right.number()) {
            #[allow(clippy::float_cmp, reason = "Python's `==` is exact")]
            (Some(left), Some(right)) => left == right,
            _ => left == right,
        },
    }
}

pub(super) fn binary(operator: Binary, left: &Value, right: &Value) -> Result<Value, String> {
    match (operator, left, right) {
        (Binary::Add, Value::Text(left), Value::Text(right)) => return Ok(Value::text(format!("{left}{right}"))),
        (Binary::Add, Value::List(left), Value::List(right)) => {
            return Ok(Value::List(Rc::new([&left[..], &right[..]].concat())));
        }
        (Binary::Multiply, Value::Text(text), Value::Int(times))
        | (Binary::Multiply, Value::Int(times), Value::Text(text)) => {
            let times = usize::try_from(*times).unwrap_or(0);
            if text.len().saturating_mul(times) > LONGEST {
                return Err(format!("the value is longer than {LONGEST}"));
            }
            return Ok(Value::text(text.repeat(times)));
        }
        _ => {}
    }
    if let (Some(left), Some(right)) = (left.integer(), right.integer())
        && let Some(result) = integers(operator, left, right)?
    {
        return Ok(Value::Int(result));
    }
    match (left.number(), right.number()) {
        (Some(left), Some(right)) => floats(operator, left, right).map(Value::Float),
        _ => Err(format!("`{}` does not apply to {} and {}", symbol(operator), left.kind(), right.kind())),
    }
}

fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::FloorDivide => "//",
        Binary::Remainder => "%",
        Binary::Power => "**",
    }
}

/// The result if it is an integer that fits in 64 bits.
fn integers(operator: Binary, left: i64, right: i64) -> Result<Option<i64>, String> {
    if matches!(operator, Binary::FloorDivide | Binary::Remainder) && right == 0 {
        return Err("division by zero".to_owned());
    }
    Ok(match operator {
        Binary::Add => left.checked_add(right),
        Binary::Subtract => left.checked_sub(right),
        Binary::Multiply => left.checked_mul(right),
        Binary::Divide => None,
        // Python rounds down, and the remainder has the sign of the divisor.
        Binary::FloorDivide => {
            left.checked_div(right).map(|quotient| quotient - i64::from(left % right != 0 && (left < 0) != (right < 0)))
        }
        Binary::Remainder => {
            left.checked_rem(right).map(|rest| if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest })
        }
        Binary::Power => u32::try_from(right).ok().and_then(|right| left.checked_pow(right)),
    })
}

fn floats(operator: Binary, left: f64, right: f64) -> Result<f64, String> {
    if matches!(operator, Binary::Divide | Binary::FloorDivide | Binary::Remainder) && right == 0.0 {
        return Err("division by zero".to_owned());
    }
    let result = match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide => left / right,
        Binary::FloorDivide => (left / right).floor(),
        Binary::Remainder => {
            let rest = left % right;
            if rest != 0.0 && (rest < 0.0) != (right < 0.0) { rest + right } else { rest }
        }
        Binary::Power => libm::pow(left, right),
    };
    if result.is_nan() && !left.is_nan() && !right.is_nan() {
        return Err(format!("`{}` of {left} and {right} is not a number", symbol(operator)));
    }
    Ok(result)
}
