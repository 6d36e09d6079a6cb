//! Changing single values of a document from the outside, as `--set` on the command line does.

use std::sync::Arc;

use super::tree::{Content, Document, Entry, Node, NodeId};
use crate::{Diagnostic, Limits, Reporter, Result, SourceFile, Span, closest};

impl Document {
    /// Sets the value at `path` to `value`, a YAML text that is called `name` in messages.
    ///
    /// The path is keys with dots between them; an item of a list is its number from 0 or the `name` it contains:
    /// `bodies.SR1.controller.kp`. Mappings on the way that are missing are made.
    ///
    /// # Errors
    /// If the value is not YAML, or the path leads through something that has no such part.
    pub fn set(&mut self, path: &str, value: &str, name: &str, limits: &Limits, reporter: &Reporter) -> Result<()> {
        let source = SourceFile::from_text(name, if value.is_empty() { "''" } else { value });
        let other = Self::parse(&source, limits, reporter)?;
        let value = self.adopt(other);
        let fail = |message: String| Diagnostic::error("bad-path", message).at(&source, Span::line(1));

        let mut node = self.root;
        let mut walked = String::new();
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            if part.is_empty() {
                return Err(Box::new(fail(format!("`{path}` has an empty part"))));
            }
            let place = self.find(node, part).map_err(|problem| {
                let place = if walked.is_empty() { "the file".to_owned() } else { format!("`{walked}`") };
                Box::new(match problem {
                    Missing::Item(Some(meant)) => {
                        fail(format!("{place} has no item `{part}`")).help(format!("did you mean `{meant}`?"))
                    }
                    Missing::Item(None) => fail(format!("{place} has no item `{part}`"))
                        .help("an item of a list is its number from 0 or its `name`"),
                    Missing::Inside => fail(format!("{place} is a single value: it has no `{part}`")),
                })
            })?;
            let last = parts.peek().is_none();
            let target = match (place, last) {
                (Place::Node(found), false) => found,
                (place, last) => {
                    let new = if last { value } else { self.push_empty_mapping(value) };
                    self.put(node, part, place, new, value);
                    new
                }
            };
            node = target;
            walked = if walked.is_empty() { part.to_owned() } else { format!("{walked}.{part}") };
        }
        Ok(())
    }

    /// Takes over the nodes of another document and gives its root.
    fn adopt(&mut self, other: Self) -> NodeId {
        let first_node = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let first_source = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        let moved = |id: NodeId| NodeId(id.0 + first_node);
        self.sources.extend(other.sources.iter().map(Arc::clone));
        for node in other.nodes {
            let content = match node.content {
                Content::Sequence(items) => Content::Sequence(items.into_iter().map(moved).collect()),
                Content::Mapping(entries) => {
                    let entries = entries.into_iter().map(|entry| Entry { value: moved(entry.value), ..entry });
                    Content::Mapping(entries.collect())
                }
                scalar @ Content::Scalar { .. } => scalar,
            };
            self.nodes.push(Node { source: node.source + first_source, content, ..node });
        }
        moved(other.root)
    }

    fn find(&self, node: NodeId, part: &str) -> std::result::Result<Place, Missing> {
        match &self.nodes[node.0 as usize].content {
            Content::Mapping(entries) => {
                let found = entries.iter().find(|entry| &*entry.key == part);
                Ok(found.map_or(Place::NewKey, |entry| Place::Node(entry.value)))
            }
            Content::Sequence(items) => {
                if let Some(&item) = part.parse::<usize>().ok().and_then(|index| items.get(index)) {
                    return Ok(Place::Node(item));
                }
                let named = |item: &NodeId| match &self.nodes[item.0 as usize].content {
                    Content::Mapping(entries) => entries.iter().find(|entry| &*entry.key == "name").and_then(|entry| {
                        match &self.nodes[entry.value.0 as usize].content {
                            Content::Scalar { text, .. } => Some((*item, &**text)),
                            _ => None,
                        }
                    }),
                    _ => None,
                };
                let names: Vec<_> = items.iter().filter_map(named).collect();
                match names.iter().find(|(_, name)| *name == part) {
                    Some(&(item, _)) => Ok(Place::Node(item)),
                    None => Err(Missing::Item(closest(part, names.iter().map(|&(_, name)| name)).map(str::to_owned))),
                }
            }
            Content::Scalar { .. } => Err(Missing::Inside),
        }
    }

    fn push_empty_mapping(&mut self, like: NodeId) -> NodeId {
        let Node { source, span, .. } = self.nodes[like.0 as usize];
        self.nodes.push(Node { source, span, anchored: false, content: Content::Mapping(Vec::new()) });
        NodeId(u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX))
    }

    fn put(&mut self, parent: NodeId, part: &str, place: Place, new: NodeId, value: NodeId) {
        let key_span = self.nodes[value.0 as usize].span;
        match (&mut self.nodes[parent.0 as usize].content, place) {
            (Content::Mapping(entries), Place::NewKey) => {
                entries.push(Entry { key: part.into(), key_span, value: new })
            }
            (Content::Mapping(entries), Place::Node(_)) => {
                for entry in entries.iter_mut().filter(|entry| &*entry.key == part) {
                    entry.value = new;
                }
            }
            (Content::Sequence(items), Place::Node(old)) => {
                for item in items.iter_mut().filter(|item| **item == old) {
                    *item = new;
                }
            }
            _ => {}
        }
    }
}

/// Where a part of a path leads.
#[derive(Clone, Copy)]
enum Place {
    Node(NodeId),
    /// A key its mapping does not have yet.
    NewKey,
}

enum Missing {
    /// A list has no such item, but perhaps one with this name.
    Item(Option<String>),
    /// A single value has no parts.
    Inside,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(path: &str, value: &str) -> Result<Document> {
        let text = "simulation: { time_step: 0.001 }\nbodies:\n  - { name: SR1, kp: 1 }\n  - { name: Floor }\n";
        let reporter = Reporter::new();
        let mut document = Document::parse(&SourceFile::from_text("a.yaml", text), &Limits::default(), &reporter)?;
        document.set(path, value, "--set", &Limits::default(), &reporter)?;
        Ok(document)
    }

    #[test]
    fn values_are_replaced_and_added() {
        let document = set("simulation.time_step", "0.5").unwrap();
        let value = document.root().get("simulation").unwrap().get("time_step").unwrap();
        assert_eq!((value.text(), value.source().path().to_str()), (Some("0.5"), Some("--set")));

        let document = set("record.links", "all").unwrap();
        assert_eq!(document.root().get("record").unwrap().get("links").unwrap().text(), Some("all"));
    }

    #[test]
    fn list_items_go_by_number_or_name() {
        for path in ["bodies.SR1.kp", "bodies.0.kp"] {
            let document = set(path, "[ 1, 2 ]").unwrap();
            let first = document.root().get("bodies").unwrap().items().unwrap().next().unwrap();
            assert_eq!(first.get("kp").unwrap().items().unwrap().len(), 2, "{path}");
        }
    }

    #[test]
    fn wrong_paths_are_named() {
        let message = |path| set(path, "1").unwrap_err().to_string();
        assert!(message("bodies.SR2.kp").contains("did you mean `SR1`?"));
        assert!(message("simulation.time_step.x").contains("`simulation.time_step` is a single value"));
        assert!(message("bodies..kp").contains("empty part"));
        assert!(set("a", "[ 1").is_err());
    }
}
