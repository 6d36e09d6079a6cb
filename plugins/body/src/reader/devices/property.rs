//! Keys nobody knows, kept as they are written.

use bunraku_document::{Reporter, Value, ValueKind};

use crate::Property;

/// Aliases of aliases can make a short text endless when it is copied; real devices have some dozen values.
/// Counted over the whole model, because a device may be an alias too.
pub(in crate::reader) const MOST_PROPERTIES: usize = 100_000;
/// Aliases of aliases can also nest deeper than a text can; real devices nest 2 deep.
const DEEPEST_PROPERTY: usize = 64;

/// Whether one more value may be kept; the first that may not is reported.
pub(super) fn admit(value: Value<'_>, reporter: &Reporter, budget: &mut usize, depth: usize) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    if *budget == 0 || depth > DEEPEST_PROPERTY {
        let message = format!(
            "the devices hold more than {MOST_PROPERTIES} values, or more than {DEEPEST_PROPERTY} inside each other"
        );
        reporter.report(value.error("limit-properties", message));
        *budget = 0;
        return false;
    }
    true
}

/// A value as written, `depth` levels inside its device.
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
