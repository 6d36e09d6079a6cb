//! The item tree of a project.

use bunraku_document::{Place, Value};

use super::settings::Settings;

/// An item of a project.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    node: Value<'a>,
}

impl<'a> Item<'a> {
    pub(super) fn new(node: Value<'a>) -> Self {
        Self { node }
    }

    pub(super) fn name(self) -> &'a str {
        self.text("name")
    }

    pub(super) fn class(self) -> &'a str {
        self.text("class")
    }

    fn text(self, key: &str) -> &'a str {
        self.node.get(key).and_then(Value::text).unwrap_or_default()
    }

    pub(super) fn settings(self) -> Settings<'a> {
        Settings::new(self.node.get("data"))
    }

    pub(super) fn is_checked(self) -> bool {
        ["is_checked", "isChecked"].iter().any(|key| self.node.get(key).and_then(Value::text) == Some("true"))
    }

    pub(super) fn children(self) -> impl Iterator<Item = Item<'a>> {
        self.node.get("children").and_then(Value::items).into_iter().flatten().map(Item::new)
    }

    /// The value at which findings about the item are shown: its name, or the item itself if it has none.
    pub(super) fn value(self) -> Value<'a> {
        self.node.get("name").unwrap_or(self.node)
    }

    pub(super) fn place(self) -> Place {
        place(self.value())
    }
}

/// The location of a value.
pub(super) fn place(value: Value<'_>) -> Place {
    Place { source: std::sync::Arc::clone(value.source()), span: Some(value.span()) }
}
