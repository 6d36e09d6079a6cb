use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use libyaml_safer::{Encoding, Event, EventData, Parser, ScalarStyle};

use super::input::{Bytes, Input};
use super::mark::span;
use super::nodes::{NodeId, Nodes, Sources};
use super::syntax::{syntax_error, trailing_error};
use super::tree::{Content, Document, Entry, Node};
use crate::{Diagnostic, Limits, Reporter, Result, SourceFile, Span};

impl Document {
    /// Parses the first document of a text. Recoverable errors, such as a second document, go to `reporter`.
    ///
    /// # Errors
    /// If the text is not YAML, has other content after its first value, or exceeds a limit.
    pub fn parse(source: &Arc<SourceFile>, limits: &Limits, reporter: &Reporter) -> Result<Self> {
        parse(source, limits, reporter, None, None)
    }

    /// As [`Document::parse`], but the lists and mappings of keys that `is_unread` selects are only checked and become
    /// empty nodes with spans. For data that is kept as text only. If such data has anchors, aliases, merges or
    /// duplicate keys, the whole text is read in full.
    ///
    /// # Errors
    /// As [`Document::parse`].
    pub fn parse_outline(
        source: &Arc<SourceFile>,
        limits: &Limits,
        reporter: &Reporter,
        is_unread: fn(&str) -> bool,
    ) -> Result<Self> {
        parse(source, limits, reporter, None, Some(is_unread))
    }

    /// As [`Document::parse`], where aliases may also refer to anchors of `outer`; anchors of the text itself have
    /// precedence.
    ///
    /// # Errors
    /// As [`Document::parse`].
    pub fn parse_within(
        outer: &Document,
        source: &Arc<SourceFile>,
        limits: &Limits,
        reporter: &Reporter,
    ) -> Result<Self> {
        parse(source, limits, reporter, Some(outer), None)
    }
}

fn parse(
    source: &Arc<SourceFile>,
    limits: &Limits,
    reporter: &Reporter,
    outer: Option<&Document>,
    is_unread: Option<fn(&str) -> bool>,
) -> Result<Document> {
    let input = Input::new(source.text());
    let mut parser = Parser::new();
    // Without this, the parser takes a character whose first byte is that of a byte order mark for a broken mark.
    parser.set_encoding(Encoding::Utf8);
    parser.set_input(input.bytes());
    let mut builder = Builder {
        parser,
        input: &input,
        source,
        limits,
        reporter,
        nodes: Nodes::default(),
        merged_keys: 0,
        is_unread,
        needs_all: false,
        anchors: HashMap::new(),
        outer: outer.map(|document| Outer { document, taken: HashMap::new() }),
    };
    builder.skip_to_content()?;
    let first = builder.next()?;
    let root = builder.node(first, 0);
    if builder.needs_all {
        return parse(source, limits, reporter, outer, None);
    }
    let root = root?;
    builder.end(root)?;
    let mut sources = Sources::new(source);
    if let Some(outer) = outer {
        sources.append(&outer.sources);
    }
    Ok(Document { sources, nodes: builder.nodes, root, anchors: builder.anchors, requires_known_keys: false })
}

struct Builder<'a> {
    parser: Parser<Bytes<'a>>,
    input: &'a Input<'a>,
    source: &'a Arc<SourceFile>,
    limits: &'a Limits,
    reporter: &'a Reporter,
    nodes: Nodes,
    /// Number of keys copied by `<<`.
    merged_keys: usize,
    /// Selects keys whose lists and mappings are skipped.
    is_unread: Option<fn(&str) -> bool>,
    /// Whether the skipped content has to be read after all.
    needs_all: bool,
    anchors: HashMap<String, NodeId>,
    outer: Option<Outer<'a>>,
}

/// A document whose anchors may be referred to.
struct Outer<'a> {
    document: &'a Document,
    /// Copied nodes: index in the outer document to index here.
    taken: HashMap<NodeId, NodeId>,
}

impl Builder<'_> {
    fn next(&mut self) -> Result<Event> {
        let mut event = self.parser.parse().map_err(|error| Box::new(syntax_error(self.source, &error)))?;
        self.input.restore(&mut event);
        Ok(event)
    }

    fn skip_to_content(&mut self) -> Result<()> {
        loop {
            let event = self.next()?;
            match event.data {
                EventData::StreamStart { .. } => {}
                EventData::DocumentStart { .. } => return Ok(()),
                _ => {
                    let diagnostic = Diagnostic::error("yaml-empty", "the file is empty");
                    let help = "it contains at most comments: was it saved?";
                    return Err(Box::new(
                        diagnostic.at(self.source, Span::line(self.source.line_number(0))).help(help),
                    ));
                }
            }
        }
    }

    /// Reads to the end of the text or the beginning of another document.
    fn end(&mut self, root: NodeId) -> Result<()> {
        loop {
            let event = self.parser.parse().map_err(|error| {
                let root = self.nodes[root].span;
                Box::new(trailing_error(self.source, root, &error))
            })?;
            match event.data {
                EventData::StreamEnd => return Ok(()),
                EventData::DocumentStart { .. } => {
                    let span = span(self.source, event.start_mark, event.end_mark);
                    let message = "a second document begins here and is ignored";
                    let help = "only the first document of a file is read: move this one to a separate file";
                    self.reporter
                        .report(Diagnostic::warning("yaml-documents", message).at(self.source, span).help(help));
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    fn node(&mut self, event: Event, depth: usize) -> Result<NodeId> {
        let span = span(self.source, event.start_mark, event.end_mark);
        self.check_depth(depth, span)?;
        match event.data {
            EventData::Scalar { anchor, value, style, .. } => {
                let plain = matches!(style, ScalarStyle::Plain);
                let content = Content::Scalar { text: value.into(), plain };
                self.push(span, content, anchor)
            }
            EventData::Alias { anchor } => {
                if let Some(&id) = self.anchors.get(&anchor) {
                    return Ok(id);
                }
                if let Some(&id) = self.outer.as_ref().and_then(|outer| outer.document.anchors.get(&anchor)) {
                    return self.take(id);
                }
                let outer = self.outer.iter().flat_map(|outer| outer.document.anchors.keys());
                let known = crate::closest(&anchor, self.anchors.keys().chain(outer).map(String::as_str));
                let diagnostic = Diagnostic::error("undefined-alias", format!("alias `*{anchor}` names no anchor"));
                let diagnostic = diagnostic.at(self.source, span);
                Err(Box::new(match known {
                    Some(known) => diagnostic.help(format!("did you mean `*{known}`?")),
                    None => diagnostic.help(format!("an anchor `&{anchor}` must come before it in the file")),
                }))
            }
            EventData::SequenceStart { anchor, .. } => {
                let mut items = Vec::new();
                loop {
                    let event = self.next()?;
                    if let EventData::SequenceEnd = event.data {
                        return self.push(self.close(span, &event), Content::Sequence(items), anchor);
                    }
                    items.push(self.node(event, depth + 1)?);
                }
            }
            EventData::MappingStart { anchor, .. } => {
                let mut mapping = MappingBuilder::default();
                loop {
                    let event = self.next()?;
                    if let EventData::MappingEnd = event.data {
                        let entries = mapping.finish(self)?;
                        return self.push(self.close(span, &event), Content::Mapping(entries), anchor);
                    }
                    let key_span = self::span(self.source, event.start_mark, event.end_mark);
                    let EventData::Scalar { value: key, .. } = event.data else {
                        let message = "a key must be a single word or text".to_owned();
                        let help = "put the key in quotes if its brackets or braces are part of the text";
                        return Err(self.error("yaml-key", message, help, key_span));
                    };
                    let event = self.next()?;
                    let value = match self.is_unread {
                        Some(is_unread) if key != "<<" && is_unread(&key) => self.unread(event, depth + 1)?,
                        _ => self.node(event, depth + 1)?,
                    };
                    mapping.add(self, key, key_span, value);
                }
            }
            _ => {
                let help = "look for brackets and quotes that are not closed";
                Err(self.error("yaml-syntax", "unexpected end of the document".to_owned(), help, span))
            }
        }
    }

    /// Skips a list or a mapping; the result is an empty one with its span.
    fn unread(&mut self, event: Event, depth: usize) -> Result<NodeId> {
        let content = match event.data {
            EventData::SequenceStart { .. } => Content::Sequence(Vec::new()),
            EventData::MappingStart { .. } => Content::Mapping(Vec::new()),
            _ => return self.node(event, depth),
        };
        let span = self.pass_over(event, depth)?;
        self.push(span, content, None)
    }

    /// Consumes a node without keeping it.
    fn pass_over(&mut self, event: Event, depth: usize) -> Result<Span> {
        let span = span(self.source, event.start_mark, event.end_mark);
        self.check_depth(depth, span)?;
        let (is_mapping, anchor) = match event.data {
            EventData::SequenceStart { anchor, .. } => (false, anchor),
            EventData::MappingStart { anchor, .. } => (true, anchor),
            EventData::Scalar { anchor: None, .. } => return Ok(span),
            // This is an anchor, an alias, or the end of the text.
            _ => return Err(self.read_all(span)),
        };
        if anchor.is_some() {
            return Err(self.read_all(span));
        }
        // Only the hashes of keys are kept. If two are equal, the text is read in full, which reports the duplicate
        // key.
        let (mut keys, hasher) = (HashSet::new(), RandomState::new());
        loop {
            let event = self.next()?;
            match &event.data {
                EventData::SequenceEnd | EventData::MappingEnd => return Ok(self.close(span, &event)),
                EventData::Scalar { value: key, anchor: None, .. } if is_mapping => {
                    if key == "<<" || !keys.insert(hasher.hash_one(key)) {
                        return Err(self.read_all(span));
                    }
                    let value = self.next()?;
                    self.pass_over(value, depth + 1)?;
                }
                _ if is_mapping => return Err(self.read_all(span)),
                _ => {
                    self.pass_over(event, depth + 1)?;
                }
            }
        }
    }

    /// Requests that the text is read in full; the returned error is not reported.
    fn read_all(&mut self, span: Span) -> Box<Diagnostic> {
        self.needs_all = true;
        self.error("yaml-syntax", String::new(), "", span)
    }

    fn check_depth(&self, depth: usize, span: Span) -> Result<()> {
        if depth > self.limits.depth {
            let message = format!("lists and mappings are nested more than {} deep", self.limits.depth);
            let help = "real models nest about 30 levels; look for brackets that are not closed";
            return Err(self.error("limit-depth", message, help, span));
        }
        Ok(())
    }

    /// Deep copy of a node of the outer document.
    fn take(&mut self, id: NodeId) -> Result<NodeId> {
        let Some(outer) = &self.outer else {
            return Ok(id);
        };
        if let Some(&known) = outer.taken.get(&id) {
            return Ok(known);
        }
        // The outer document was parsed under the same limits, so its depth is bounded.
        let document = outer.document;
        let Node { source, span, anchored, content } = &document.nodes[id];
        let content = match content {
            Content::Scalar { text, plain } => Content::Scalar { text: text.clone(), plain: *plain },
            Content::Sequence(items) => {
                Content::Sequence(items.iter().map(|&item| self.take(item)).collect::<Result<_>>()?)
            }
            Content::Mapping(entries) => {
                let entry = |entry: &Entry| Ok(Entry { value: self.take(entry.value)?, ..entry.clone() });
                Content::Mapping(entries.iter().map(entry).collect::<Result<_>>()?)
            }
        };
        // The sources of the outer document follow the text itself.
        let node = Node { source: source + 1, span: *span, anchored: *anchored, content };
        let copy = self.add(node)?;
        if let Some(outer) = &mut self.outer {
            outer.taken.insert(id, copy);
        }
        Ok(copy)
    }

    fn push(&mut self, span: Span, content: Content, anchor: Option<String>) -> Result<NodeId> {
        let id = self.add(Node { source: 0, span, anchored: anchor.is_some(), content })?;
        if let Some(anchor) = anchor
            && let Some(first) = self.anchors.insert(anchor.clone(), id)
        {
            let line = self.nodes[first].span.start.line;
            let message = format!("anchor `&{anchor}` is already defined on line {line}");
            return Err(self.error("duplicate-anchor", message, "give one of them another name", span));
        }
        Ok(id)
    }

    fn add(&mut self, node: Node) -> Result<NodeId> {
        if self.nodes.len() >= self.limits.nodes {
            let message = format!("the document has more than {} nodes", self.limits.nodes);
            let help = "real models have far fewer: is this the right file?";
            return Err(self.error("limit-nodes", message, help, node.span));
        }
        Ok(self.nodes.push(node))
    }

    /// Span of a list or mapping that ends at `end`.
    fn close(&self, start: Span, end: &Event) -> Span {
        Span { start: start.start, end: span(self.source, end.start_mark, end.end_mark).end }
    }

    fn error(&self, code: &'static str, message: String, help: &str, span: Span) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, message).at(self.source, span).help(help))
    }
}

/// Remedy for an invalid `<<`.
const MERGE: &str = "write `<<: *name` after a mapping that is marked `&name`";

/// Entries of one mapping: of duplicate keys the last counts, merged keys never override.
#[derive(Default)]
struct MappingBuilder {
    entries: Vec<Entry>,
    places: HashMap<Box<str>, usize>,
    merges: Vec<(NodeId, Span)>,
}

impl MappingBuilder {
    fn add(&mut self, builder: &Builder<'_>, key: String, key_span: Span, value: NodeId) {
        if key == "<<" {
            self.merges.push((value, key_span));
            return;
        }
        let entry = Entry { key: key.into(), key_span, value };
        match self.places.get(&entry.key).and_then(|&place| self.entries.get_mut(place)) {
            None => self.push(entry),
            Some(earlier) => {
                let line = earlier.key_span.start.line;
                let message = format!("key `{}` is given again; the value of line {line} is lost", entry.key);
                let diagnostic = Diagnostic::warning("duplicate-key", message).at(builder.source, key_span);
                builder.reporter.report(diagnostic.help("remove one of the two"));
                *earlier = entry;
            }
        }
    }

    fn push(&mut self, entry: Entry) {
        self.places.insert(entry.key.clone(), self.entries.len());
        self.entries.push(entry);
    }

    fn finish(mut self, builder: &mut Builder<'_>) -> Result<Vec<Entry>> {
        let own = self.entries.len();
        for (value, span) in std::mem::take(&mut self.merges) {
            if builder.merged_keys > builder.limits.merged_keys {
                let message = format!("`<<` copies more than {} keys", builder.limits.merged_keys);
                let help = "each `<<` copies what others copied before it: shorten the chain";
                return Err(builder.error("limit-merged", message, help, span));
            }
            match &builder.nodes[value].content {
                Content::Mapping(entries) => self.merge(entries),
                Content::Sequence(items) => {
                    for item in items {
                        let Content::Mapping(entries) = &builder.nodes[*item].content else {
                            let message = "`<<` takes mappings only".to_owned();
                            return Err(builder.error("yaml-merge", message, MERGE, span));
                        };
                        self.merge(entries);
                    }
                }
                Content::Scalar { .. } => {
                    let message = "`<<` takes a mapping or a list of mappings".to_owned();
                    return Err(builder.error("yaml-merge", message, MERGE, span));
                }
            }
        }
        builder.merged_keys += self.entries.len() - own;
        // A document has many small mappings.
        self.entries.shrink_to_fit();
        Ok(self.entries)
    }

    fn merge(&mut self, entries: &[Entry]) {
        for entry in entries {
            if !self.places.contains_key(&entry.key) {
                self.push(entry.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests;
