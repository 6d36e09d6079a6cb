//! Expressions in `${…}`: arithmetic, comparisons, conditions, lists, dictionaries and functions of Python.

mod functions;
mod lexer;
mod operators;
mod syntax;
mod value;

use std::rc::Rc;

use bunraku_document::closest;

use functions::Function;
use syntax::{Binary, Comparison, Expression, Unary, parse};
pub(super) use value::Value;

/// Values and files that an expression may use.
pub(super) trait Context {
    /// The value of the property or parameter of this name, if there is one.
    fn variable(&mut self, name: &str) -> Result<Option<Value>, String>;

    /// Names of all variables, for suggestions.
    fn names(&self) -> Vec<String>;

    /// The content of a YAML file.
    fn yaml(&mut self, file: &str) -> Result<Value, String>;

    /// The value of an argument of the file, as in `$(arg name)`.
    fn argument(&mut self, name: &str) -> Result<String, String>;
}

/// Maximum length of a text or a list that an expression makes.
const LONGEST: usize = 1 << 20;

/// The value of an expression.
pub(super) fn evaluate(text: &str, context: &mut dyn Context) -> Result<Value, String> {
    value_of(&parse(text)?, context)
}

fn value_of(expression: &Expression, context: &mut dyn Context) -> Result<Value, String> {
    match expression {
        Expression::Constant(value) => Ok(value.clone()),
        Expression::Name(name) => variable(name, context),
        Expression::List(items) => {
            let items = items.iter().map(|item| value_of(item, context)).collect::<Result<_, _>>()?;
            Ok(Value::List(Rc::new(items)))
        }
        Expression::Unary(Unary::Not, operand) => Ok(Value::Bool(!value_of(operand, context)?.is_true())),
        Expression::Unary(sign, operand) => {
            let operand = value_of(operand, context)?;
            let zero = Value::Int(0);
            match sign {
                // −0.0 keeps its sign.
                Unary::Minus if matches!(operand, Value::Float(_)) => {
                    Ok(Value::Float(-operand.number().unwrap_or(f64::NAN)))
                }
                Unary::Minus => operators::binary(Binary::Subtract, &zero, &operand),
                _ => operators::binary(Binary::Add, &zero, &operand),
            }
        }
        Expression::Binary(operator, operands) => {
            let [left, right] = both(operands, context)?;
            let result = operators::binary(*operator, &left, &right)?;
            check_size(result)
        }
        Expression::Compare(first, others) => {
            let mut left = value_of(first, context)?;
            for (comparison, right) in others {
                let right = value_of(right, context)?;
                if !compare(*comparison, &left, &right)? {
                    return Ok(Value::Bool(false));
                }
                left = right;
            }
            Ok(Value::Bool(true))
        }
        Expression::And(operands) => {
            let [left, right] = &**operands;
            let left = value_of(left, context)?;
            if left.is_true() { value_of(right, context) } else { Ok(left) }
        }
        Expression::Or(operands) => {
            let [left, right] = &**operands;
            let left = value_of(left, context)?;
            if left.is_true() { Ok(left) } else { value_of(right, context) }
        }
        Expression::Choice(parts) => {
            let [value, condition, other] = &**parts;
            let is_true = value_of(condition, context)?.is_true();
            value_of(if is_true { value } else { other }, context)
        }
        Expression::Index(operands) => {
            let [value, index] = both(operands, context)?;
            element(&value, &index)
        }
        Expression::Member(value, name) => member(value, name, context),
        Expression::Call(function, arguments) => call(function, arguments, context),
    }
}

fn both(operands: &[Expression; 2], context: &mut dyn Context) -> Result<[Value; 2], String> {
    Ok([value_of(&operands[0], context)?, value_of(&operands[1], context)?])
}

fn check_size(value: Value) -> Result<Value, String> {
    let length = match &value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.len(),
        _ => 0,
    };
    if length > LONGEST { Err(format!("the value is longer than {LONGEST}")) } else { Ok(value) }
}

fn variable(name: &str, context: &mut dyn Context) -> Result<Value, String> {
    if let Some(value) = context.variable(name)? {
        return Ok(value);
    }
    if let Some(value) = functions::constant(name) {
        return Ok(value);
    }
    let known: Vec<String> = context.names().into_iter().chain(functions::names().map(str::to_owned)).collect();
    Err(match closest(name, known.iter().map(String::as_str)) {
        Some(meant) => format!("`{name}` is not defined: did you mean `{meant}`?"),
        None => format!("`{name}` is not defined"),
    })
}

/// Whether a name is that of Python's modules whose functions are known without it.
fn is_module(expression: &Expression, context: &mut dyn Context) -> Result<bool, String> {
    let Expression::Name(name) = expression else { return Ok(false) };
    Ok(matches!(name.as_str(), "math" | "xacro" | "python") && context.variable(name)?.is_none())
}

fn member(value: &Expression, name: &str, context: &mut dyn Context) -> Result<Value, String> {
    if is_module(value, context)? {
        return functions::constant(name).ok_or_else(|| format!("`{name}` is not defined"));
    }
    let value = value_of(value, context)?;
    value.entry(name).ok_or_else(|| format!("{} has no `{name}`", value.kind()))
}

fn call(
    function: &Expression,
    arguments: &[(Option<String>, Expression)],
    context: &mut dyn Context,
) -> Result<Value, String> {
    let name = match function {
        Expression::Name(name) => name,
        Expression::Member(module, name) if is_module(module, context)? => name,
        Expression::Member(value, name) => {
            let value = value_of(value, context)?;
            let values = arguments.iter().map(|(_, argument)| value_of(argument, context));
            return functions::method(&value, name, &values.collect::<Result<Vec<_>, _>>()?);
        }
        _ => return Err("only functions can be called".to_owned()),
    };
    let values: Vec<(Option<&str>, Value)> = arguments
        .iter()
        .map(|(name, argument)| Ok((name.as_deref(), value_of(argument, context)?)))
        .collect::<Result<_, String>>()?;
    if name == "dict" {
        let entry = |(name, value): (Option<&str>, Value)| {
            name.map(|name| (name.to_owned(), value)).ok_or_else(|| "write `dict(name=value)`".to_owned())
        };
        return Ok(Value::Dict(Rc::new(values.into_iter().map(entry).collect::<Result<_, _>>()?)));
    }
    if let Some((Some(unknown), _)) = values.iter().find(|(name, _)| name.is_some()) {
        return Err(format!("`{name}` has no argument `{unknown}`"));
    }
    let values: Vec<Value> = values.into_iter().map(|(_, value)| value).collect();
    match (name.as_str(), values.as_slice()) {
        ("load_yaml", [Value::Text(file)]) => context.yaml(file),
        ("arg", [Value::Text(name)]) => context.argument(name).map(|text| Value::literal(&text)),
        _ => match Function::named(name) {
            Some(function) => function.apply(name, &values).and_then(check_size),
            None => Err(match closest(name, functions::names()) {
                Some(meant) => format!("there is no function `{name}`: did you mean `{meant}`?"),
                None => format!("there is no function `{name}`"),
            }),
        },
    }
}

/// The element of a list, the entry of a dictionary, or the letter of a text.
fn element(value: &Value, index: &Value) -> Result<Value, String> {
    let at = |length: usize| {
        let index = index.integer().ok_or_else(|| format!("an index is a whole number, not {}", index.kind()))?;
        let from_start = if index < 0 { index.checked_add_unsigned(length as u64) } else { Some(index) };
        let position = from_start.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < length);
        position.ok_or_else(|| format!("there is no element {index} of {length}"))
    };
    match value {
        Value::List(items) => {
            let position = at(items.len())?;
            Ok(items.get(position).cloned().unwrap_or(Value::None))
        }
        Value::Text(text) => {
            let position = at(text.chars().count())?;
            Ok(Value::text(text.chars().skip(position).take(1).collect::<String>()))
        }
        Value::Dict(_) => {
            let key = index.to_string();
            value.entry(&key).ok_or_else(|| format!("the dictionary has no `{key}`"))
        }
        other => Err(format!("{} has no elements", other.kind())),
    }
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Result<bool, String> {
    use std::cmp::Ordering;
    let order = || {
        let order = match (left, right) {
            (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
            _ => match (left.number(), right.number()) {
                (Some(left), Some(right)) => return Ok(left.partial_cmp(&right)),
                _ => None,
            },
        };
        order.map(Some).ok_or_else(|| format!("{} and {} cannot be compared", left.kind(), right.kind()))
    };
    let is_in = || match right {
        Value::List(items) => Ok(items.iter().any(|item| operators::is_equal(item, left))),
        Value::Dict(_) => Ok(right.entry(&left.to_string()).is_some()),
        Value::Text(text) => match left {
            Value::Text(part) => Ok(text.contains(&**part)),
            other => Err(format!("{} is not in a text", other.kind())),
        },
        other => Err(format!("{} has no elements", other.kind())),
    };
    Ok(match comparison {
        Comparison::Equal => operators::is_equal(left, right),
        Comparison::NotEqual => !operators::is_equal(left, right),
        Comparison::Less => order()? == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order()?, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order()? == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order()?, Some(Ordering::Greater | Ordering::Equal)),
        Comparison::In => is_in()?,
        Comparison::NotIn => !is_in()?,
    })
}

#[cfg(test)]
mod tests;
