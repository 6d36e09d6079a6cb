//! Lists, expressions and names, common to all readers of parts of a task.

use bunraku_document::{Mapping, Reporter, Value};

use crate::model::{ExpressionText, Origin};

/// Items of a list that may be absent; invalid items are reported and left out.
pub(super) fn list<T>(
    of: &Mapping<'_, '_>,
    value: Option<Value<'_>>,
    what: &str,
    read: &dyn Fn(Value<'_>, &Reporter) -> Option<T>,
) -> Vec<T> {
    let Some(value) = value else { return Vec::new() };
    match value.items() {
        Some(items) => items.filter_map(|item| read(item, of.reporter())).collect(),
        None => {
            of.reporter().report(value.expected(&format!("a list of {what}")));
            Vec::new()
        }
    }
}

/// Text of an expression, which may be a number. `None` if it is empty.
pub(super) fn expression(value: Value<'_>, reporter: &Reporter) -> Option<ExpressionText> {
    let text = reporter.keep(value.as_text())?;
    (!text.trim().is_empty()).then(|| ExpressionText { text: text.to_owned(), origin: Origin::of(value) })
}

/// A nonempty text.
pub(super) fn non_empty<'a>(entry: &Mapping<'a, '_>, names: &[&'static str]) -> Option<&'a str> {
    let value = entry.required(names)?;
    let text = entry.keep(value.as_text())?;
    if text.trim().is_empty() {
        let name = names.first().copied().unwrap_or_default();
        let diagnostic = value.error("empty-text", format!("the `{name}` of {} is empty", entry.what()));
        entry.reporter().report(diagnostic.help("write a name"));
        return None;
    }
    Some(text)
}
