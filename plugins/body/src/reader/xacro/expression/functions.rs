//! Functions and constants of Python's `math` and of xacro.

use std::rc::Rc;

use super::LONGEST;
use super::value::Value;

/// Functions of one number, of two, and the others.
#[derive(Clone, Copy)]
pub(super) enum Function {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    /// The result is an integer.
    Whole(fn(f64) -> f64),
    Values(OfValues),
}

/// Functions by name.
type Named<F, const N: usize> = [(&'static str, F); N];

const ONE: Named<fn(f64) -> f64, 13> = [
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("asin", libm::asin),
    ("acos", libm::acos),
    ("atan", libm::atan),
    ("sqrt", f64::sqrt),
    ("exp", libm::exp),
    ("fabs", f64::abs),
    ("radians", f64::to_radians),
    ("degrees", f64::to_degrees),
    ("tanh", libm::tanh),
    ("log10", libm::log10),
];
const TWO: Named<fn(f64, f64) -> f64, 4> =
    [("atan2", libm::atan2), ("hypot", libm::hypot), ("pow", libm::pow), ("copysign", f64::copysign)];
const WHOLE: Named<fn(f64) -> f64, 3> = [("floor", f64::floor), ("ceil", f64::ceil), ("trunc", f64::trunc)];
type OfValues = fn(&[Value]) -> Option<Value>;
const VALUES: Named<OfValues, 13> = [
    ("abs", absolute),
    ("min", |values| extreme(values, |one, other| one < other)),
    ("max", |values| extreme(values, |one, other| one > other)),
    ("round", round),
    ("int", |values| whole(truncated(values)?)),
    ("float", |values| single(values)?.number().map(Value::Float).or_else(|| parsed(values))),
    ("str", |values| single(values).map(|value| Value::text(value.to_string()))),
    ("bool", |values| single(values).map(|value| Value::Bool(value.is_true()))),
    ("len", length),
    ("sum", sum),
    ("list", |values| Some(Value::List(Rc::new(items(single(values)?)?)))),
    ("range", range),
    ("log", logarithm),
];

/// The constant of this name, if there is one.
pub(super) fn constant(name: &str) -> Option<Value> {
    use std::f64::consts::{E, PI, TAU};
    let value = match name {
        "pi" | "M_PI" => PI,
        "tau" => TAU,
        "e" => E,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => return None,
    };
    Some(Value::Float(value))
}

/// Names of functions and constants, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let functions = ONE.iter().map(|(name, _)| *name).chain(TWO.iter().map(|(name, _)| *name));
    let others = WHOLE.iter().map(|(name, _)| *name).chain(VALUES.iter().map(|(name, _)| *name));
    functions.chain(others).chain(["pi", "load_yaml", "dict"])
}

impl Function {
    pub(super) fn named(name: &str) -> Option<Self> {
        fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
            table.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
        }
        find(&ONE, name)
            .map(Self::One)
            .or_else(|| find(&TWO, name).map(Self::Two))
            .or_else(|| find(&WHOLE, name).map(Self::Whole))
            .or_else(|| find(&VALUES, name).map(Self::Values))
    }

    pub(super) fn apply(self, name: &str, values: &[Value]) -> Result<Value, String> {
        let numbers: Vec<f64> = values.iter().filter_map(Value::number).collect();
        let result = match (self, numbers.as_slice()) {
            (Self::One(function), [number]) if values.len() == 1 => Some(Value::Float(function(*number))),
            (Self::Two(function), [one, other]) if values.len() == 2 => Some(Value::Float(function(*one, *other))),
            (Self::Whole(function), [number]) if values.len() == 1 => whole(function(*number)),
            (Self::Values(function), _) => function(values),
            _ => None,
        };
        let has_nan = numbers.iter().any(|number| number.is_nan());
        match result {
            Some(Value::Float(number)) if number.is_nan() && !has_nan => {
                Err(format!("`{name}` has no value for {numbers:?}"))
            }
            Some(value) => Ok(value),
            None => Err(format!("`{name}` does not apply to these arguments")),
        }
    }
}

/// A method of a value.
pub(super) fn method(value: &Value, name: &str, arguments: &[Value]) -> Result<Value, String> {
    let result = match (value, name, arguments) {
        (Value::Text(text), "lower", []) => Some(Value::text(text.to_lowercase())),
        (Value::Text(text), "upper", []) => Some(Value::text(text.to_uppercase())),
        (Value::Text(text), "strip", []) => Some(Value::text(text.trim())),
        (Value::Text(text), "startswith", [Value::Text(start)]) => Some(Value::Bool(text.starts_with(&**start))),
        (Value::Text(text), "endswith", [Value::Text(end)]) => Some(Value::Bool(text.ends_with(&**end))),
        (Value::Text(text), "split", []) => {
            Some(Value::List(Rc::new(text.split_whitespace().map(Value::text).collect())))
        }
        (Value::Text(text), "split", [Value::Text(at)]) if !at.is_empty() => {
            Some(Value::List(Rc::new(text.split(&**at).map(Value::text).collect())))
        }
        (Value::Dict(_), "get", [key]) => Some(value.entry(&key.to_string()).unwrap_or(Value::None)),
        (Value::Dict(_), "get", [key, default]) => {
            Some(value.entry(&key.to_string()).unwrap_or_else(|| default.clone()))
        }
        (Value::Dict(entries), "keys", []) => {
            Some(Value::List(Rc::new(entries.iter().map(|(key, _)| Value::text(key)).collect())))
        }
        (Value::Dict(entries), "values", []) => {
            Some(Value::List(Rc::new(entries.iter().map(|(_, value)| value.clone()).collect())))
        }
        _ => None,
    };
    result.ok_or_else(|| format!("{} has no function `{name}` with these arguments", value.kind()))
}

fn single(values: &[Value]) -> Option<&Value> {
    if let [value] = values { Some(value) } else { None }
}

fn parsed(values: &[Value]) -> Option<Value> {
    let Value::Text(text) = single(values)? else { return None };
    text.trim().parse().ok().map(Value::Float)
}

/// A float without digits behind the point, as an integer.
fn whole(number: f64) -> Option<Value> {
    /// 2⁶³
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[allow(clippy::cast_possible_truncation, reason = "the number is in range and has no fraction")]
    (number.abs() < LIMIT).then(|| Value::Int(number.trunc() as i64))
}

fn truncated(values: &[Value]) -> Option<f64> {
    match single(values)? {
        Value::Text(text) =>
        {
            #[allow(clippy::cast_precision_loss, reason = "indices and counts are small")]
            text.trim().parse::<i64>().ok().map(|number| number as f64)
        }
        value => value.number(),
    }
}

fn absolute(values: &[Value]) -> Option<Value> {
    match single(values)? {
        Value::Float(number) => Some(Value::Float(number.abs())),
        value => value.integer()?.checked_abs().map(Value::Int),
    }
}

/// The smallest or largest of several numbers or of a list.
fn extreme(values: &[Value], precedes: fn(f64, f64) -> bool) -> Option<Value> {
    let items = match values {
        [Value::List(items)] => items.as_slice(),
        values => values,
    };
    let mut best: Option<(f64, &Value)> = None;
    for item in items {
        let number = item.number()?;
        if best.is_none_or(|(so_far, _)| precedes(number, so_far)) {
            best = Some((number, item));
        }
    }
    best.map(|(_, value)| value.clone())
}

fn round(values: &[Value]) -> Option<Value> {
    match values {
        [number] => whole(number.number()?.round_ties_even()),
        [number, digits] => {
            let digits = usize::try_from(digits.integer()?).ok().filter(|digits| *digits <= 17)?;
            format!("{:.digits$}", number.number()?).parse().ok().map(Value::Float)
        }
        _ => None,
    }
}

fn length(values: &[Value]) -> Option<Value> {
    let length = match single(values)? {
        Value::Text(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Dict(entries) => entries.len(),
        _ => return None,
    };
    i64::try_from(length).ok().map(Value::Int)
}

fn items(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(items) => Some(items.to_vec()),
        Value::Text(text) => Some(text.chars().map(|letter| Value::text(letter.to_string())).collect()),
        Value::Dict(entries) => Some(entries.iter().map(|(key, _)| Value::text(key)).collect()),
        _ => None,
    }
}

fn sum(values: &[Value]) -> Option<Value> {
    let Value::List(items) = single(values)? else { return None };
    let integers: Option<Vec<i64>> = items.iter().map(Value::integer).collect();
    if let Some(sum) = integers.and_then(|integers| integers.into_iter().try_fold(0_i64, i64::checked_add)) {
        return Some(Value::Int(sum));
    }
    items.iter().map(Value::number).sum::<Option<f64>>().map(Value::Float)
}

fn range(values: &[Value]) -> Option<Value> {
    let bounds: Vec<i64> = values.iter().map(Value::integer).collect::<Option<_>>()?;
    let (start, end) = match bounds.as_slice() {
        [end] => (0, *end),
        [start, end] => (*start, *end),
        _ => return None,
    };
    let length = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
    (length <= LONGEST).then(|| Value::List(Rc::new((start..end).map(Value::Int).collect())))
}

fn logarithm(values: &[Value]) -> Option<Value> {
    match values {
        [number] => Some(Value::Float(libm::log(number.number()?))),
        [number, base] => Some(Value::Float(libm::log(number.number()?) / libm::log(base.number()?))),
        _ => None,
    }
}
