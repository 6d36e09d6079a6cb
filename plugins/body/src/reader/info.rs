//! Keys that are kept as they are, for other programs and for writing them back.

use bunraku_document::{Mapping, Reporter, Value, ValueKind};

use crate::Property;

/// Aliases of aliases can make a short text endless when it is copied; real models have some thousand values.
const MOST_VALUES: usize = 100_000;
/// Aliases of aliases can also nest deeper than a text can; real keys nest 5 deep.
const DEEPEST: usize = 64;

/// How many values may still be kept. Counted over the whole model, because what holds them may be an alias.
pub(super) struct InfoBudget(usize);

impl InfoBudget {
    pub(super) fn new() -> Self {
        Self(MOST_VALUES)
    }

    /// The entries of a mapping that nobody read, as they are. Those there for aliases alone are left out.
    pub(super) fn unread(&mut self, mapping: &Mapping<'_, '_>) -> Vec<(String, Property)> {
        let entries = mapping.unread().into_iter().filter(|(_, _, value)| !value.has_anchor());
        entries.map(|(key, _, value)| (key.to_owned(), self.read(value, mapping.reporter()))).collect()
    }

    /// A value as it is.
    pub(super) fn read(&mut self, value: Value<'_>, reporter: &Reporter) -> Property {
        self.read_at(value, reporter, 1)
    }

    fn read_at(&mut self, value: Value<'_>, reporter: &Reporter, depth: usize) -> Property {
        if self.0 == 0 {
            return Property::Text(String::new());
        }
        self.0 -= 1;
        if self.0 == 0 || depth > DEEPEST {
            let message =
                format!("more than {MOST_VALUES} values are to be kept, or more than {DEEPEST} inside each other");
            reporter.report(value.error("limit-properties", message));
            self.0 = 0;
            return Property::Text(String::new());
        }
        match value.kind() {
            ValueKind::Null => Property::Text(String::new()),
            ValueKind::Scalar => Property::Text(value.text().unwrap_or_default().to_owned()),
            ValueKind::Sequence => {
                let items = value.items().into_iter().flatten();
                Property::List(items.map(|item| self.read_at(item, reporter, depth + 1)).collect())
            }
            ValueKind::Mapping => {
                let entries = value.entries().into_iter().flatten();
                let entry = |(key, _, value): (&str, _, _)| (key.to_owned(), self.read_at(value, reporter, depth + 1));
                Property::Mapping(entries.map(entry).collect())
            }
        }
    }
}
