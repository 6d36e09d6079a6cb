//! Values of expressions, as those of Python.

use std::rc::Rc;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Rc<str>),
    List(Rc<Vec<Value>>),
    Dict(Rc<Vec<(String, Value)>>),
}

impl Value {
    pub(in super::super) fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Rc::from(text.as_ref()))
    }

    /// The value of a text that is a literal: a text in quotes, a number, a truth value, or else the text itself.
    pub(in super::super) fn literal(text: &str) -> Self {
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            return Self::text(inner);
        }
        let trimmed = text.trim();
        let has_digit = trimmed.contains(|letter: char| letter.is_ascii_digit());
        match trimmed {
            "true" | "True" => Self::Bool(true),
            "false" | "False" => Self::Bool(false),
            // Python reads `1_000` as a number; xacro keeps names such as `1_2` as texts.
            number if has_digit && !number.contains('_') => {
                let number = number.strip_prefix('+').unwrap_or(number);
                let integer = number.parse().ok().map(Self::Int);
                integer.or_else(|| number.parse().ok().map(Self::Float)).unwrap_or_else(|| Self::text(text))
            }
            _ => Self::text(text),
        }
    }

    /// As Python's `bool(…)`.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Dict(entries) => !entries.is_empty(),
        }
    }

    /// The value of a condition of `xacro:if`; `None` if it is not a truth value.
    pub(in super::super) fn as_condition(&self) -> Option<bool> {
        match self {
            Self::Text(text) => match text.trim() {
                "true" | "True" => Some(true),
                "false" | "False" => Some(false),
                number => number.parse::<i64>().ok().map(|number| number != 0),
            },
            other => Some(other.is_true()),
        }
    }

    /// The number; truth values are 0 and 1.
    #[allow(clippy::cast_precision_loss, reason = "Python converts an integer to a float alike")]
    pub(in super::super) fn number(&self) -> Option<f64> {
        match self {
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn integer(&self) -> Option<i64> {
        match self {
            Self::Bool(value) => Some(i64::from(*value)),
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Name of the type, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a truth value",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Dict(_) => "a dictionary",
        }
    }

    /// The entry of a dictionary.
    pub(super) fn entry(&self, key: &str) -> Option<Value> {
        let Self::Dict(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
    }

    fn quoted(&self) -> String {
        match self {
            Self::Text(text) => format!("'{text}'"),
            other => other.to_string(),
        }
    }
}

impl std::fmt::Display for Value {
    /// As Python's `str(…)`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => formatter.write_str("None"),
            Self::Bool(true) => formatter.write_str("True"),
            Self::Bool(false) => formatter.write_str("False"),
            Self::Int(value) => write!(formatter, "{value}"),
            Self::Float(value) => formatter.write_str(&float(*value)),
            Self::Text(text) => formatter.write_str(text),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::quoted).collect();
                write!(formatter, "[{}]", items.join(", "))
            }
            Self::Dict(entries) => {
                let entries: Vec<String> =
                    entries.iter().map(|(key, value)| format!("'{key}': {}", value.quoted())).collect();
                write!(formatter, "{{{}}}", entries.join(", "))
            }
        }
    }
}

/// The shortest text that reads back to the same number, as Python writes it.
fn float(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "nan"
        } else if value > 0.0 {
            "inf"
        } else {
            "-inf"
        }
        .to_owned();
    }
    let size = value.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_python_does() {
        for (value, text) in [(1.0, "1.0"), (0.1, "0.1"), (1e-5, "1e-05"), (1.5e16, "1.5e+16"), (-0.0, "-0.0")] {
            assert_eq!(Value::Float(value).to_string(), text);
        }
        let list = Value::List(Rc::new(vec![Value::Int(1), Value::text("a"), Value::Bool(true)]));
        assert_eq!(list.to_string(), "[1, 'a', True]");
    }

    #[test]
    fn literals_have_the_types_of_xacro() {
        for (text, value) in [
            ("2", Value::Int(2)),
            (" 2.5", Value::Float(2.5)),
            ("-1e3", Value::Float(-1000.0)),
            ("1_2", Value::text("1_2")),
            ("'3'", Value::text("3")),
            ("True", Value::Bool(true)),
            ("0 0 1", Value::text("0 0 1")),
            ("nan", Value::text("nan")),
        ] {
            assert_eq!(Value::literal(text), value, "{text}");
        }
    }
}
