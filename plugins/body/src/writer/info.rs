//! Keys for other programs.

use super::Writer;
use super::yaml::{Map, Node, as_written};
use crate::Property;

impl Writer<'_> {
    /// Adds keys that were not read, except those in `known`, which would be interpreted when read again.
    pub(super) fn info(&self, map: &mut Map, info: &[(String, Property)], known: &[&str], what: &str) {
        for (key, value) in info {
            if map.has(key) || known.contains(&key.as_str()) {
                let message = format!("the key `{key}` of {what} is left out: it would mean something else here");
                self.warn("lost-key", message);
                continue;
            }
            map.set(key.as_str(), property(value));
        }
    }
}

fn property(value: &Property) -> Node {
    match value {
        Property::Text(text) => Node::Scalar(as_written(text)),
        Property::List(items) => {
            let texts = items.iter().map(|item| match item {
                Property::Text(text) => Some(as_written(text)),
                Property::List(_) | Property::Mapping(_) => None,
            });
            match texts.collect::<Option<Vec<_>>>() {
                Some(texts) => Node::Flow(texts, 1),
                None => Node::Sequence(items.iter().map(property).collect()),
            }
        }
        Property::Mapping(entries) => {
            let mut map = Map::default();
            for (key, value) in entries {
                map.set(key.as_str(), property(value));
            }
            map.into()
        }
    }
}
