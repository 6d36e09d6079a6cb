//! Parsing of statements and nodes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bunraku_document::{Limits, Reporter};

use super::environment::Environment;
use super::lexer::Lexer;
use super::limits::{FLATTER, MAX_DEPTH, MAX_HEIGHT, expansion_limit, instance_node_limit};
use super::source::{Parsed, Problem, Source};
use super::tree::{Definition, StandardField};
use super::{Location, Node, NodeKind, NodeList, NodeType, Prototype, StandardNode, Value};

const SMALLER: &str = "divide the file, and put the parts together with `Inline`";

/// Parser of the statements of one file.
pub(super) struct Parser<'a> {
    pub source: &'a Source,
    pub lexer: Lexer<'a>,
    pub reporter: &'a Reporter,
    pub prototypes: HashMap<Arc<str>, Arc<Prototype>>,
    /// Names of `EXTERNPROTO`s.
    pub externals: HashSet<Arc<str>>,
    definitions: HashMap<Arc<str>, Definition>,
    /// Instances whose bodies are being read, innermost last.
    pub environments: Vec<Environment>,
    /// `DEF` names of the nodes being read, outermost first.
    names: Vec<Arc<str>>,
    /// Bytes of bodies that may still be read for instances.
    pub expansion_left: usize,
    /// Number of nodes that may still be created in bodies.
    pub instance_nodes_left: u32,
    depth: u32,
    node_count: usize,
    node_limit: usize,
    string_count: usize,
}

/// Result of parsing a file.
pub(super) struct Outcome {
    pub nodes: Vec<Arc<Node>>,
    pub definitions: HashMap<Arc<str>, Definition>,
    pub prototypes: HashMap<Arc<str>, Arc<Prototype>>,
    pub node_count: usize,
}

impl<'a> Parser<'a> {
    pub fn new(source: &'a Source, limits: &Limits, reporter: &'a Reporter) -> Self {
        Self {
            source,
            lexer: lexer(source),
            reporter,
            prototypes: HashMap::new(),
            externals: HashSet::new(),
            definitions: HashMap::new(),
            environments: Vec::new(),
            names: Vec::new(),
            expansion_left: expansion_limit(source.bytes().len()),
            instance_nodes_left: instance_node_limit(source.bytes().len()),
            depth: 0,
            node_count: 0,
            node_limit: limits.nodes,
            string_count: 0,
        }
    }

    /// Parses the whole file.
    pub fn document(mut self) -> Parsed<Outcome> {
        let nodes = self.nodes().map_err(|problem| Box::new(problem.within(&self.names)))?;
        Ok(Outcome { nodes, definitions: self.definitions, prototypes: self.prototypes, node_count: self.node_count })
    }

    fn nodes(&mut self) -> Parsed<Vec<Arc<Node>>> {
        self.header()?;
        let mut nodes = Vec::new();
        while let Some(byte) = self.lexer.peek() {
            if matches!(byte, b'}' | b']') {
                let message = format!("this `{}` closes nothing", byte as char);
                let help = "remove it, or look above for an extra bracket";
                return Err(Box::new(Problem::new(self.lexer.location(), "unopened-bracket", message, help)));
            }
            nodes.extend(self.statement()?);
        }
        Ok(nodes)
    }

    fn header(&mut self) -> Parsed<()> {
        let bytes = self.source.bytes();
        if bytes.len() >= u32::MAX as usize {
            let help = "real models have some megabytes: is this the right file?";
            let problem = Problem::new(Location(0), "limit-file-size", "the file is larger than 4 GiB", help);
            return Err(Box::new(problem));
        }
        let text = bytes.get(self.source.start()..).unwrap_or_default().trim_ascii_start();
        if text.starts_with(b"#VRML V1.0") {
            let at = Location::new(bytes.len() - text.len());
            let message = "this is a VRML 1.0 file; only VRML97 (`#VRML V2.0`) can be read";
            let help = "convert it, for instance with a modelling program";
            return Err(Box::new(Problem::new(at, "vrml-1", message, help)));
        }
        Ok(())
    }

    pub fn decode(&self, bytes: &[u8]) -> Arc<str> {
        Arc::from(&*self.source.decode(bytes))
    }

    /// A string value. Strings count like nodes, because a short one needs many times its length of memory.
    pub fn string(&mut self) -> Parsed<Arc<str>> {
        let at = self.lexer.location();
        let bytes = self.lexer.string()?;
        self.string_count += 1;
        if self.string_count > self.node_limit {
            let message = format!("the file has more than {} strings", self.node_limit);
            return Err(Box::new(Problem::new(at, "limit-nodes", message, SMALLER)));
        }
        if bytes.contains(&b'"') {
            return Ok(Arc::from(self.source.decode(bytes).replace("\\\"", "\"")));
        }
        Ok(self.decode(bytes))
    }

    pub fn warn(&self, problem: Problem) {
        self.source.warn(self.reporter, problem, &self.names);
    }

    /// A name after `DEF` or `USE`.
    fn label(&mut self) -> Parsed<(Arc<str>, Location)> {
        let at = self.lexer.location();
        let source = self.source;
        let label = self.lexer.label(|| source.is_shift_jis());
        if label.is_empty() { Err(self.lexer.expected("a name")) } else { Ok((self.decode(label), at)) }
    }

    /// A statement at a position where nodes are allowed; returns the node, if it is one.
    pub fn statement(&mut self) -> Parsed<Option<Arc<Node>>> {
        let at = self.lexer.location();
        match self.lexer.word() {
            b"" => Err(self.lexer.expected("a node")),
            b"DEF" => self.define(),
            b"USE" => self.reuse(),
            b"NULL" => Ok(None),
            b"PROTO" => self.prototype().map(|()| None),
            b"EXTERNPROTO" => self.external_prototype(at).map(|()| None),
            b"ROUTE" => self.route().map(|()| None),
            word => self.node(word, at, None),
        }
    }

    /// Parses the rest of a `ROUTE`; ignored, because nothing moves.
    pub fn route(&mut self) -> Parsed<()> {
        self.label()?;
        if !self.lexer.take_word(b"TO") {
            return Err(self.lexer.expected("`TO` of the `ROUTE`"));
        }
        self.label()?;
        Ok(())
    }

    /// Parses the rest of a `DEF`.
    fn define(&mut self) -> Parsed<Option<Arc<Node>>> {
        let (name, name_at) = self.label()?;
        let at = self.lexer.location();
        let node = if self.lexer.peek() == Some(b'{') {
            // A model in the original's share directory contains `DEF Transform {`.
            let message = format!("the type of the node `{name}` is missing; the name is used as the type");
            let help = format!("write `DEF {name} {name} {{`");
            self.warn(Problem::new(name_at, "missing-node-type", message, help));
            self.node(name.as_bytes(), name_at, Some(&name))?
        } else {
            match self.lexer.word() {
                b"" => return Err(self.lexer.expected("the type of the node")),
                word @ (b"USE" | b"DEF" | b"NULL" | b"PROTO" | b"ROUTE") => {
                    let message = format!("`{}` cannot follow `DEF {name}`", String::from_utf8_lossy(word));
                    return Err(Box::new(Problem::new(at, "syntax", message, "write a node type there")));
                }
                word => self.node(word, at, Some(&name))?,
            }
        };
        let new = Definition { node: node.clone(), at: name_at, repeated: false };
        match self.environments.last_mut() {
            Some(inner) => {
                enter(&mut inner.definitions, Arc::clone(&name), new.clone());
                // As in the original, a name in a body can be used outside it, unless it is defined there, too.
                self.definitions.entry(name).or_insert(new);
            }
            None => enter(&mut self.definitions, name, new),
        }
        Ok(node)
    }

    /// Parses the rest of a `USE`.
    fn reuse(&mut self) -> Parsed<Option<Arc<Node>>> {
        let (name, at) = self.label()?;
        // In the body of a `PROTO` its own names have precedence: each instance has separate nodes.
        let own = self.environments.last().and_then(|inner| inner.definitions.get(&name));
        let Some(definition) = own.or_else(|| self.definitions.get(&name)) else {
            if self.names.contains(&name) {
                let message = format!("the node `{name}` contains itself");
                return Err(Box::new(Problem::new(at, "recursive-use", message, "remove this `USE`")));
            }
            let message = format!("no node before this is called `{name}`");
            let problem = Problem::new(at, "unknown-use", message, "define it above with `DEF`");
            let known = self.definitions.keys().map(|name| &**name);
            return Err(Box::new(problem.did_you_mean(&name, known)));
        };
        let node = definition.node.clone();
        if definition.repeated && !self.source.is_silent() {
            let message = format!(
                "several nodes are called `{name}`; the last before this is meant, as VRML97 says: Choreonoid takes the first"
            );
            let problem = Problem::new(at, "repeated-name", message, "give them different names");
            self.source.note(self.reporter, problem, &self.names);
        }
        Ok(node)
    }

    /// Parses a node after its type.
    fn node(&mut self, type_name: &[u8], at: Location, name: Option<&Arc<str>>) -> Parsed<Option<Arc<Node>>> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nodes are nested more than {MAX_DEPTH} levels deep");
            return Err(Box::new(Problem::new(at, "limit-depth", message, FLATTER)));
        }
        self.depth += 1;
        // Not undone after an error, whose message needs them.
        self.names.extend(name.cloned());
        let text = self.source.decode(type_name);
        let node = if let Some(prototype) = self.prototypes.get(&*text) {
            let prototype = Arc::clone(prototype);
            self.instance(prototype, at).map(Some)
        } else if let Some(node_type) = NodeType::from_name(&text) {
            self.standard(node_type, at).map(Some)
        } else if self.externals.contains(&*text) {
            let message = format!("`{text}` is declared in another file, which is not read, so this is left out");
            self.warn(Problem::new(at, "external-prototype", message, "copy the declaration into this file"));
            self.lexer.skip_braces(false).map(|_| None)
        } else {
            Err(self.unknown_type(&text, at))
        };
        self.depth -= 1;
        let node = match node? {
            Some(kind) => Some(self.finish(kind, at, name)?),
            None => None,
        };
        if name.is_some() {
            self.names.pop();
        }
        Ok(node)
    }

    fn unknown_type(&mut self, name: &str, at: Location) -> Box<Problem> {
        if self.lexer.peek() != Some(b'{') {
            let message = format!("a node is expected here, but `{name}` follows");
            return Box::new(Problem::new(at, "syntax", message, "look whether a bracket is missing above"));
        }
        let known = self.prototypes.keys().map(|name| &**name).chain(NodeType::names().iter().copied());
        let message = format!("there is no node type `{name}`");
        let problem = Problem::new(at, "unknown-node", message, "declare it above with `PROTO`");
        Box::new(problem.did_you_mean(name, known))
    }

    /// Creates a node of parsed parts and counts it.
    fn finish(&mut self, kind: NodeKind, at: Location, name: Option<&Arc<str>>) -> Parsed<Arc<Node>> {
        self.node_count += 1;
        if self.node_count > self.node_limit {
            let message = format!("the file has more than {} nodes", self.node_limit);
            return Err(Box::new(Problem::new(at, "limit-nodes", message, SMALLER)));
        }
        if !self.environments.is_empty() {
            self.count_instance_node(at)?;
        }
        let below = match &kind {
            NodeKind::Standard(node) => node.fields.iter().map(|field| field.value.height()).max(),
            NodeKind::Instance(instance) => {
                let given = instance.given.iter().map(|field| field.value.height());
                let actual = instance.actual.as_ref().map(|node| node.height());
                given.chain(actual).chain([instance.prototype.height]).max()
            }
        };
        let height = below.unwrap_or(0) + 1;
        if height > MAX_HEIGHT {
            let message = format!("`USE` and `PROTO` put more than {MAX_HEIGHT} nodes above each other here");
            return Err(Box::new(Problem::new(at, "limit-depth", message, FLATTER)));
        }
        Ok(Arc::new(Node { name: name.cloned(), location: at, height, kind }))
    }

    /// Parses the fields of a node of a standard type.
    fn standard(&mut self, node_type: NodeType, at: Location) -> Parsed<NodeKind> {
        let mut node = StandardNode { node_type, fields: Vec::new() };
        if node_type.is_skipped() {
            if node_type == NodeType::Script {
                let message = "programs in `Script` nodes are not run";
                self.warn(Problem::new(at, "script", message, "remove the node if nothing else needs it"));
            }
            self.lexer.skip_braces(node_type == NodeType::Script)?;
            return Ok(NodeKind::Standard(node));
        }
        self.open()?;
        while !self.lexer.take(b'}') {
            let at_field = self.lexer.location();
            let word = self.lexer.word();
            let known = node_type.fields().iter().find(|(name, _)| name.as_bytes() == word);
            let Some(&(name, field_type)) = known else {
                let names = node_type.fields().iter().map(|&(name, _)| name);
                self.unknown_field(word, node_type.name(), names, at, at_field)?;
                continue;
            };
            let value = if self.lexer.peek() == Some(b'I') && self.lexer.take_word(b"IS") {
                match self.connected(field_type)? {
                    Some(value) => value,
                    None => continue,
                }
            } else {
                self.value(field_type)?
            };
            match node.fields.iter_mut().find(|field| field.name == name) {
                Some(field) => {
                    let message = format!("`{name}` is set twice; the last value counts");
                    self.warn(Problem::new(at_field, "repeated-field", message, "remove one of them"));
                    (field.location, field.value) = (at_field, value);
                }
                None => node.fields.push(StandardField { name, location: at_field, value }),
            }
        }
        Ok(NodeKind::Standard(node))
    }

    /// Consumes the `{` of a node.
    pub fn open(&mut self) -> Parsed<()> {
        if self.lexer.take(b'{') { Ok(()) } else { Err(self.lexer.expected("`{`")) }
    }

    /// Handles a token that is not a field of the node: it is skipped, or an error.
    pub fn unknown_field<'b>(
        &mut self,
        word: &[u8],
        node_type: &str,
        names: impl Iterator<Item = &'b str>,
        node_at: Location,
        at: Location,
    ) -> Parsed<()> {
        match word {
            b"" if self.lexer.peek().is_none() => {
                let message = format!("this `{node_type}` is not closed");
                return Err(Box::new(Problem::new(node_at, "unclosed-bracket", message, "add the missing `}`")));
            }
            b"" => return Err(self.lexer.expected(&format!("a field of `{node_type}` or `}}`"))),
            b"ROUTE" => return self.route(),
            b"PROTO" => return self.prototype(),
            b"EXTERNPROTO" => return self.external_prototype(at),
            _ => {}
        }
        let word = self.source.decode(word);
        if matches!(&*word, "DEF" | "USE") || self.lexer.peek() == Some(b'{') {
            let message = format!("a field of `{node_type}` is expected here, but `{word}` follows");
            let help = format!("close `{node_type}` with `}}`, or name the field that `{word}` is the value of");
            return Err(Box::new(Problem::new(at, "syntax", message, help)));
        }
        if self.lexer.take_word(b"IS") {
            let target = self.lexer.word();
            let target = self.source.decode(target);
            if self.environments.last().is_some_and(|inner| inner.prototype.events.contains(&*target)) {
                // Events have no effect, because nothing moves.
                return Ok(());
            }
        } else {
            self.skip_value()?;
        }
        if self.source.is_silent() {
            return Ok(());
        }
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            let message =
                format!("a field of `{node_type}` is expected here, but the number `{word}` follows; it is ignored");
            let help = "count the numbers before it; a comma separates numbers as a space does, and the decimal sign is a point";
            self.warn(Problem::new(at, "surplus-number", message, help));
            return Ok(());
        }
        let message = format!("`{node_type}` has no field `{word}`; it is ignored");
        let help = match NodeType::from_name(node_type) {
            Some(_) => "remove it",
            None => "remove it, or declare it in the brackets of the `PROTO`",
        };
        self.warn(Problem::new(at, "unknown-field", message, help).did_you_mean(&word, names));
        Ok(())
    }

    /// Skips the value of a field of unknown type.
    fn skip_value(&mut self) -> Parsed<()> {
        match self.lexer.peek() {
            Some(b'[') => self.lexer.skip_balanced(b'[', b']', false).map(drop),
            Some(b'"') => self.lexer.string().map(drop),
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {
                while matches!(self.lexer.peek(), Some(b'0'..=b'9' | b'+' | b'-' | b'.')) {
                    self.lexer.float()?;
                }
                Ok(())
            }
            _ => match self.lexer.peek_word() {
                b"TRUE" | b"FALSE" | b"NULL" => {
                    self.lexer.word();
                    Ok(())
                }
                b"USE" => {
                    self.lexer.word();
                    self.label().map(drop)
                }
                b"DEF" => {
                    self.lexer.word();
                    self.label()?;
                    self.lexer.word();
                    self.lexer.skip_braces(false).map(drop)
                }
                word => {
                    // A node, or the next field if this one has no value.
                    let before = self.lexer.offset();
                    self.lexer.word();
                    if !word.is_empty() && self.lexer.peek() == Some(b'{') {
                        return self.lexer.skip_braces(false).map(drop);
                    }
                    let end = self.lexer.enter(0..0).end;
                    self.lexer.enter(before..end);
                    Ok(())
                }
            },
        }
    }

    /// Nodes in brackets, or a single node.
    pub fn node_list(&mut self) -> Parsed<Value> {
        let at = self.lexer.location();
        let mut nodes = Vec::new();
        if self.lexer.take(b'[') {
            while !self.lexer.take(b']') {
                if self.lexer.peek().is_none() {
                    return Err(unclosed_list(at));
                }
                nodes.extend(self.statement()?);
            }
        } else {
            nodes.extend(self.statement()?);
        }
        Ok(Value::MFNode(Arc::new(NodeList::new(nodes))))
    }
}

/// Adds a definition; the first of a name has precedence.
fn enter(definitions: &mut HashMap<Arc<str>, Definition>, name: Arc<str>, new: Definition) {
    let repeated = definitions.get(&name).is_some_and(|known| known.repeated || known.at != new.at);
    definitions.insert(name, Definition { repeated, ..new });
}

fn lexer(source: &Source) -> Lexer<'_> {
    let lexer = Lexer::new(source.bytes(), source.start());
    let has_escapes = source.bytes().windows(2).any(|pair| pair == b"\\\"");
    if has_escapes && source.is_shift_jis() { lexer.without_escapes() } else { lexer }
}

pub(super) fn unclosed_list(at: Location) -> Box<Problem> {
    Box::new(Problem::new(at, "unclosed-bracket", "this `[` is not closed", "add the missing `]`"))
}
