//! YAML in a readable layout: block style, two spaces, flow style for short lists.

use std::collections::HashMap;
use std::rc::Rc;

pub(super) use bunraku_document::yaml::{as_written, text};

/// Column limit of lines of flow lists.
const WIDTH: usize = 100;
/// Longer keys are written after a `?`: parsers search at most 1024 characters for the colon.
const LONGEST_SIMPLE_KEY: usize = 500;

/// A node of a document.
pub(super) enum Node {
    /// A scalar, including quotes.
    Scalar(String),
    /// A list in brackets. Lines are broken only between groups of this many items.
    Flow(Vec<String>, usize),
    /// A list of items with dashes.
    Sequence(Vec<Self>),
    /// A list of items with dashes, separated by empty lines.
    Paragraphs(Vec<Self>),
    /// Keys with values.
    Mapping(Map),
    /// Written once, with an anchor and aliases if it occurs more than once. The word is the prefix of the anchor name.
    /// It must not contain other shared nodes.
    Shared(&'static str, Rc<Self>),
}

/// Keys with values, in order.
#[derive(Default)]
pub(super) struct Map(Vec<(String, Node)>);

impl Map {
    /// A mapping with the key `type`.
    pub(super) fn of_type(kind: &str) -> Self {
        let mut map = Self::default();
        map.scalar("type", text(kind));
        map
    }

    pub(super) fn set(&mut self, key: impl Into<String>, node: Node) {
        self.0.push((key.into(), node));
    }

    /// Adds a value given as text including quotes.
    pub(super) fn scalar(&mut self, key: &str, text: impl Into<String>) {
        self.set(key, Node::Scalar(text.into()));
    }

    pub(super) fn flag(&mut self, key: &str, flag: bool) {
        self.scalar(key, if flag { "true" } else { "false" });
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Map> for Node {
    fn from(map: Map) -> Self {
        Self::Mapping(map)
    }
}

/// The text of a document.
pub(super) fn document(top: &Map) -> String {
    let mut emitter = Emitter::default();
    for (_, node) in &top.0 {
        emitter.count(node);
    }
    emitter.name_anchors();
    emitter.entries(top, 0, false);
    emitter.text
}

#[derive(Default)]
struct Emitter {
    text: String,
    shared: Vec<SharedNode>,
    by_address: HashMap<*const Node, usize>,
    by_text: HashMap<(&'static str, String), usize>,
}

/// Equal shared nodes.
struct SharedNode {
    word: &'static str,
    uses: usize,
    /// Its anchor, if it is used more than once.
    anchor: Option<String>,
    written: bool,
}

impl Emitter {
    fn count(&mut self, node: &Node) {
        match node {
            Node::Scalar(_) | Node::Flow(..) => {}
            Node::Sequence(items) | Node::Paragraphs(items) => items.iter().for_each(|item| self.count(item)),
            Node::Mapping(map) => map.0.iter().for_each(|(_, value)| self.count(value)),
            Node::Shared(word, inner) => {
                let index = match self.by_address.get(&Rc::as_ptr(inner)) {
                    Some(&index) => index,
                    None => {
                        let mut alone = Self::default();
                        alone.value(inner, 0);
                        let next = self.shared.len();
                        let index = *self.by_text.entry((*word, alone.text)).or_insert(next);
                        if index == next {
                            self.shared.push(SharedNode { word, uses: 0, anchor: None, written: false });
                        }
                        self.by_address.insert(Rc::as_ptr(inner), index);
                        index
                    }
                };
                #[expect(clippy::indexing_slicing, reason = "the index is that of a known or of the new last node")]
                let shared = &mut self.shared[index];
                shared.uses += 1;
            }
        }
    }

    fn name_anchors(&mut self) {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for node in self.shared.iter_mut().filter(|node| node.uses > 1) {
            let number = numbers.entry(node.word).or_default();
            *number += 1;
            node.anchor = Some(format!("{}{number}", node.word));
        }
    }

    fn indent(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    /// Entries of a mapping; the first continues the current line if it has begun.
    fn entries(&mut self, map: &Map, indent: usize, mut begun: bool) {
        for (key, value) in &map.0 {
            if !std::mem::take(&mut begun) {
                self.indent(indent);
            }
            let key = as_written(key);
            if key.len() > LONGEST_SIMPLE_KEY {
                self.text.push_str("? ");
                self.text.push_str(&key);
                self.text.push('\n');
                self.indent(indent);
            } else {
                self.text.push_str(&key);
            }
            self.text.push(':');
            self.value(value, indent + 2);
        }
    }

    fn items(&mut self, items: &[Node], indent: usize, mut begun: bool, empty_lines: bool) {
        for (number, item) in items.iter().enumerate() {
            if empty_lines && number > 0 {
                self.text.push('\n');
            }
            if !std::mem::take(&mut begun) {
                self.indent(indent);
            }
            self.text.push('-');
            match item {
                Node::Mapping(map) if !map.is_empty() => {
                    self.text.push(' ');
                    self.entries(map, indent + 2, true);
                }
                Node::Sequence(inner) if !inner.is_empty() => {
                    self.text.push(' ');
                    self.items(inner, indent + 2, true, false);
                }
                _ => self.value(item, indent + 2),
            }
        }
    }

    /// Text after a colon or dash: the rest of the line and further, indented lines.
    fn value(&mut self, node: &Node, indent: usize) {
        match node {
            Node::Scalar(text) => {
                self.text.push(' ');
                self.text.push_str(text);
                self.text.push('\n');
            }
            Node::Flow(items, group) => self.flow(items, *group, indent),
            Node::Sequence(items) | Node::Paragraphs(items) if items.is_empty() => self.text.push_str(" []\n"),
            Node::Sequence(items) => {
                self.text.push('\n');
                self.items(items, indent, false, false);
            }
            Node::Paragraphs(items) => {
                self.text.push('\n');
                self.items(items, indent, false, true);
            }
            Node::Mapping(map) if map.is_empty() => self.text.push_str(" {}\n"),
            Node::Mapping(map) => {
                self.text.push('\n');
                self.entries(map, indent, false);
            }
            Node::Shared(_, inner) => {
                let known = self.by_address.get(&Rc::as_ptr(inner)).copied();
                if let Some(shared) = known.and_then(|index| self.shared.get_mut(index))
                    && let Some(anchor) = &shared.anchor
                {
                    self.text.push_str(if shared.written { " *" } else { " &" });
                    self.text.push_str(anchor);
                    if std::mem::replace(&mut shared.written, true) {
                        self.text.push('\n');
                        return;
                    }
                }
                self.value(inner, indent);
            }
        }
    }

    fn flow(&mut self, items: &[String], group: usize, indent: usize) {
        if items.is_empty() {
            self.text.push_str(" []\n");
            return;
        }
        let line_begin = self.text.rfind('\n').map_or(0, |newline| newline + 1);
        let length: usize = items.iter().map(|item| item.chars().count() + 2).sum();
        if self.text.len() - line_begin + length + 4 <= WIDTH {
            self.text.push_str(" [ ");
            self.text.push_str(&items.join(", "));
            self.text.push_str(" ]\n");
            return;
        }
        self.text.push_str(" [");
        let mut column = WIDTH;
        for (number, group) in items.chunks(group.max(1)).enumerate() {
            let group = group.join(", ");
            let length = group.chars().count();
            if number > 0 {
                self.text.push(',');
            }
            if column + length + 2 > WIDTH {
                self.text.push('\n');
                self.indent(indent);
                column = indent + length;
            } else {
                self.text.push(' ');
                column += length + 2;
            }
            self.text.push_str(&group);
        }
        self.text.push_str(" ]\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shared_nodes_are_written_once() {
        let shared = |value: &str| Node::Shared("look", Rc::new(Node::Scalar(value.to_owned())));
        let mut top = Map::default();
        for (key, value) in [("a", "1"), ("b", "2"), ("c", "1")] {
            top.set(key, shared(value));
        }
        assert_eq!(document(&top), "a: &look1 1\nb: 2\nc: *look1\n");
    }

    #[test]
    fn long_lists_are_broken_between_groups() {
        let mut top = Map::default();
        top.set("a", Node::Flow(vec!["1".repeat(30); 4], 2));
        let ones = "1".repeat(30);
        assert_eq!(document(&top), format!("a: [\n  {ones}, {ones},\n  {ones}, {ones} ]\n"));
    }
}
