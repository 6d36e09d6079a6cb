//! Replacement of single values of a document, as by `--set` on the command line.

use super::nodes::NodeId;
use super::tree::{Content, Document, Entry, Node};
use crate::{Diagnostic, Limits, Reporter, Result, SourceFile, Span, closest};

impl Document {
    /// Sets the value at `path` to `value`, a YAML text that is called `name` in messages.
    ///
    /// The path consists of keys with dots between them. A list item is given by its index from 0 or by its `name`:
    /// `bodies.SR1.controller.kp`. Missing mappings on the path are created. Aliases and merges (`<<`) of the changed
    /// node keep their values.
    ///
    /// # Errors
    /// If the value is not YAML, or a node on the path has no such part.
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
            let new = match (place, last) {
                // Aliases share a node. The node on the path is copied, so that the others keep their values.
                (Place::At { found, .. }, false) => self.push_copy(found),
                (Place::NewKey, false) => self.push_empty_mapping(value),
                (_, true) => value,
            };
            self.put(node, part, place, new, value);
            node = new;
            walked = if walked.is_empty() { part.to_owned() } else { format!("{walked}.{part}") };
        }
        Ok(())
    }

    /// Copies the nodes of another document into this one and returns the index of its root.
    fn adopt(&mut self, other: Self) -> NodeId {
        let first_source = self.sources.append(&other.sources);
        self.nodes.append(other.nodes, other.root, |node, moved| {
            let content = match node.content {
                Content::Sequence(items) => Content::Sequence(items.into_iter().map(moved).collect()),
                Content::Mapping(entries) => {
                    let entries = entries.into_iter().map(|entry| Entry { value: moved(entry.value), ..entry });
                    Content::Mapping(entries.collect())
                }
                scalar @ Content::Scalar { .. } => scalar,
            };
            Node { source: node.source + first_source, content, ..node }
        })
    }

    fn find(&self, node: NodeId, part: &str) -> std::result::Result<Place, Missing> {
        match &self.nodes[node].content {
            Content::Mapping(entries) => {
                let known = entries.iter().enumerate().find(|(_, entry)| &*entry.key == part);
                Ok(known.map_or(Place::NewKey, |(index, entry)| Place::At { index, found: entry.value }))
            }
            Content::Sequence(items) => {
                let at = |index: usize| Some(Place::At { index, found: *items.get(index)? });
                if let Some(place) = part.parse().ok().and_then(at) {
                    return Ok(place);
                }
                let named = |(index, item): (usize, &NodeId)| match &self.nodes[*item].content {
                    Content::Mapping(entries) => entries.iter().find(|entry| &*entry.key == "name").and_then(|entry| {
                        match &self.nodes[entry.value].content {
                            Content::Scalar { text, .. } => Some((Place::At { index, found: *item }, &**text)),
                            _ => None,
                        }
                    }),
                    _ => None,
                };
                let names: Vec<_> = items.iter().enumerate().filter_map(named).collect();
                match names.iter().find(|(_, name)| *name == part) {
                    Some(&(place, _)) => Ok(place),
                    None => Err(Missing::Item(closest(part, names.iter().map(|&(_, name)| name)).map(str::to_owned))),
                }
            }
            Content::Scalar { .. } => Err(Missing::Inside),
        }
    }

    fn push_empty_mapping(&mut self, like: NodeId) -> NodeId {
        let Node { source, span, .. } = self.nodes[like];
        self.nodes.push(Node { source, span, anchored: false, content: Content::Mapping(Vec::new()) })
    }

    /// Shallow copy of a node.
    fn push_copy(&mut self, id: NodeId) -> NodeId {
        let copy = self.nodes[id].clone();
        self.nodes.push(copy)
    }

    fn put(&mut self, parent: NodeId, part: &str, place: Place, new: NodeId, value: NodeId) {
        let key_span = self.nodes[value].span;
        match (&mut self.nodes[parent].content, place) {
            (Content::Mapping(entries), Place::NewKey) => {
                entries.push(Entry { key: part.into(), key_span, value: new })
            }
            (Content::Mapping(entries), Place::At { index, .. }) => {
                if let Some(entry) = entries.get_mut(index) {
                    entry.value = new;
                }
            }
            (Content::Sequence(items), Place::At { index, .. }) => {
                if let Some(item) = items.get_mut(index) {
                    *item = new;
                }
            }
            _ => {}
        }
    }
}

/// Result of following one step of a path.
#[derive(Clone, Copy)]
enum Place {
    At {
        /// Index of the entry or item in the mapping or list.
        index: usize,
        found: NodeId,
    },
    /// The mapping has no such key yet.
    NewKey,
}

enum Missing {
    /// The list has no such item; the most similar name in it, if any.
    Item(Option<String>),
    /// The value is a scalar.
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
    fn list_items_are_addressed_by_index_or_name() {
        for path in ["bodies.SR1.kp", "bodies.0.kp"] {
            let document = set(path, "[ 1, 2 ]").unwrap();
            let first = document.root().get("bodies").unwrap().items().unwrap().next().unwrap();
            assert_eq!(first.get("kp").unwrap().items().unwrap().len(), 2, "{path}");
        }
    }

    #[test]
    fn only_the_addressed_node_is_changed_and_no_alias_of_it() {
        let text = "\
base: &base { gains: { kp: 1 } }
bodies:
  - { name: A, controller: &c { kp: 10, more: { deep: 1 } } }
  - { name: B, controller: *c }
  - &d { name: C, kp: 5 }
  - *d
  - { name: E, <<: *base }
";
        let reporter = Reporter::new();
        let number = |path: &str, asked: &str| {
            let source = SourceFile::from_text("a.yaml", text);
            let mut document = Document::parse(&source, &Limits::default(), &reporter).unwrap();
            document.set(path, "77", "--set", &Limits::default(), &reporter).unwrap();
            let mut value = document.root();
            for part in asked.split('.') {
                value = match part.parse() {
                    Ok(index) => value.items().unwrap().nth(index).unwrap(),
                    Err(_) => value.get(part).unwrap(),
                };
            }
            value.text().unwrap().to_owned()
        };
        for (path, changed, kept) in [
            ("bodies.A.controller.kp", "bodies.0.controller.kp", "bodies.1.controller.kp"),
            ("bodies.B.controller.kp", "bodies.1.controller.kp", "bodies.0.controller.kp"),
            ("bodies.B.controller.more.deep", "bodies.1.controller.more.deep", "bodies.0.controller.more.deep"),
            ("bodies.2.kp", "bodies.2.kp", "bodies.3.kp"),
            ("bodies.3.kp", "bodies.3.kp", "bodies.2.kp"),
            ("bodies.E.gains.kp", "bodies.4.gains.kp", "base.gains.kp"),
            ("base.gains.kp", "base.gains.kp", "bodies.4.gains.kp"),
        ] {
            assert_eq!(number(path, changed), "77", "{path}");
            assert_ne!(number(path, kept), "77", "{path}");
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
