//! Unknown keys, stored as written.

use bunraku_document::{Mapping, Reporter, Value, ValueKind};

use super::allowance::{DEEPEST_PROPERTY, own_text, too_many_properties, weight};
use crate::Property;

/// Whether one more value may be stored; reports the first that exceeds the limit.
pub(super) fn admit(value: Value<'_>, reporter: &Reporter, budget: &mut usize, depth: usize) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget = budget.saturating_sub(weight(own_text(value)));
    if *budget == 0 || depth > DEEPEST_PROPERTY {
        reporter.report(too_many_properties(value));
        *budget = 0;
        return false;
    }
    true
}

/// Entries of a mapping that were not read, as written, without those that only define aliases.
pub(super) fn read_unread(mapping: &Mapping<'_, '_>, budget: &mut usize) -> Vec<(String, Property)> {
    let entries = mapping.unread().into_iter().filter(|(_, _, value)| !value.has_anchor());
    entries.map(|(key, _, value)| (key.to_owned(), read_property(value, mapping.reporter(), budget, 1))).collect()
}

/// A value as written; `depth` is its nesting level.
pub(super) fn read_property(value: Value<'_>, reporter: &Reporter, budget: &mut usize, depth: usize) -> Property {
    if !admit(value, reporter, budget, depth) {
        return Property::Text(String::new());
    }
    match value.kind() {
        ValueKind::Null => Property::Text(String::new()),
        ValueKind::Scalar => Property::Text(value.text().unwrap_or_default().to_owned()),
        ValueKind::Sequence => Property::List(
            value.items().into_iter().flatten().map(|item| read_property(item, reporter, budget, depth + 1)).collect(),
        ),
        ValueKind::Mapping => {
            let entries = value.entries().into_iter().flatten();
            Property::Mapping(
                entries
                    .map(|(key, _, value)| (key.to_owned(), read_property(value, reporter, budget, depth + 1)))
                    .collect(),
            )
        }
    }
}
