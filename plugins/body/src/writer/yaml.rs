//! YAML in a readable layout: block style, two spaces, flow style for short lists.

use std::collections::HashMap;
use std::rc::Rc;

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

/// A text, in quotes if it would otherwise be read as another type: number, boolean or null.
pub(super) fn text(text: &str) -> String {
    const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", ".nan", ".inf"];
    let is_number = text.trim_start_matches(['+', '-', '.']).starts_with(|first: char| first.is_ascii_digit());
    if is_number || WORDS.contains(&text.to_lowercase().as_str()) { quoted(text) } else { as_written(text) }
}

/// A text, in quotes only if it could not be read back otherwise: a number stays a number.
pub(super) fn as_written(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    /// Empty text and words with a special meaning for some reader.
    const SPECIAL: &[&str] = &["", "~", "null", "Null", "NULL", "<<", "=", "-"];
    let begins_badly = |text: &str| {
        text.starts_with(|first: char| "!&*|>%@`?\"'".contains(first) || first.is_whitespace())
            || (text.starts_with('-') && !text[1..].starts_with(|next: char| next.is_alphanumeric() || next == '.'))
            || text.starts_with("...")
    };
    let harmless = |letter: char| {
        !letter.is_control() && !",[]{}:#".contains(letter) && !('\u{7f}'..='\u{a0}').contains(&letter) && {
            // Line and paragraph separators, the byte order mark, and noncharacters.
            !matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        }
    };
    !SPECIAL.contains(&text)
        && !begins_badly(text)
        && !text.ends_with(char::is_whitespace)
        && text.chars().all(harmless)
}

fn quoted(text: &str) -> String {
    use std::fmt::Write;
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ if letter.is_control()
                || ('\u{7f}'..='\u{a0}').contains(&letter)
                || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                // Writing to a `String` cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
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
                self.shared[index].uses += 1;
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
    fn texts_are_quoted_where_they_would_change_their_type() {
        for plain in ["ARM", "joint_1", "-Y", "a b", "naïve", "手", "x.stl", "../a/b.png", "a'b", "a\"b", "a&b"] {
            assert_eq!(text(plain), plain);
        }
        for (word, expected) in [
            ("", "\"\""),
            ("yes", "\"yes\""),
            ("Off", "\"Off\""),
            ("1.0", "\"1.0\""),
            ("-3", "\"-3\""),
            ("a: b", "\"a: b\""),
            ("#", "\"#\""),
            ("- a", "\"- a\""),
            ("--- a", "\"--- a\""),
            ("a\nb", "\"a\\nb\""),
            ("\"", "\"\\\"\""),
            (" a", "\" a\""),
            ("a\\ ", "\"a\\\\ \""),
            ("null", "\"null\""),
            ("\u{2028}", "\"\\u2028\""),
        ] {
            assert_eq!(text(word), expected);
        }
        assert_eq!((as_written("1.0"), as_written("yes")), ("1.0".to_owned(), "yes".to_owned()));
    }

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
