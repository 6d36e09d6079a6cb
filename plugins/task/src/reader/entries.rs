//! Lists, expressions and names, as all readers of parts of a task meet them.

use bunraku_document::{Mapping, Reporter, Value};

use crate::model::{ExpressionText, Origin};

/// The items of a list that may be absent; those that cannot be read are reported and left out.
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

/// The text of an expression; a number will do. `None` if it is empty.
pub(super) fn expression(value: Value<'_>, reporter: &Reporter) -> Option<ExpressionText> {
    let text = reporter.keep(value.as_text())?;
    (!text.trim().is_empty()).then(|| ExpressionText { text: text.to_owned(), origin: Origin::of(value) })
}

/// A text that is not empty.
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
