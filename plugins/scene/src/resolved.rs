//! The content of a scene file with all overrides of the command line, as JSON.

use bunraku_document::{Value, ValueKind};
use serde_json::{Map, Number};

/// Maximum number of values that are written: YAML aliases may expand to far more than the file contains.
const MOST: usize = 100_000;

/// A document as JSON, with aliases expanded; `null` if that would be too large.
pub(super) fn json(root: Value<'_>) -> serde_json::Value {
    let mut left = MOST;
    value(root, &mut left).unwrap_or_default()
}

fn value(node: Value<'_>, left: &mut usize) -> Option<serde_json::Value> {
    *left = left.checked_sub(1)?;
    Some(match node.kind() {
        ValueKind::Null => serde_json::Value::Null,
        ValueKind::Sequence => {
            node.items().into_iter().flatten().map(|item| value(item, left)).collect::<Option<Vec<_>>>()?.into()
        }
        ValueKind::Mapping => {
            let entries = node.entries().into_iter().flatten();
            let entries = entries.map(|(key, _, entry)| Some((key.to_owned(), value(entry, left)?)));
            serde_json::Value::Object(entries.collect::<Option<Map<_, _>>>()?)
        }
        ValueKind::Scalar => scalar(node),
    })
}

/// A string, a boolean or a number; quoted text is a string.
fn scalar(node: Value<'_>) -> serde_json::Value {
    let text = node.text().unwrap_or_default();
    if !node.is_plain() {
        return text.into();
    }
    if let Ok(whole) = text.parse::<i64>() {
        return whole.into();
    }
    if let Ok(truth) = text.parse::<bool>() {
        return truth.into();
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number.map_or_else(|| text.into(), serde_json::Value::Number)
}
