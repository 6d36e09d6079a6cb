//! Expansion of elements.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Place, SourceFile, closest};
use roxmltree::Document;

use super::super::Reading;
use super::files::File;
use super::output::Output;
use super::parameters::Macro;
use super::scopes::{GLOBAL, ScopeIndex, Scopes};
use super::tree::{Attribute, Element, Node};

/// The expansion has ended with an error, which is reported.
#[derive(Debug)]
pub(super) struct Stop;

/// Maximum nesting of elements and macros.
const DEEPEST: usize = 250;

/// The elements of xacro; others are macros.
pub(super) const ELEMENTS: [&str; 10] =
    ["property", "arg", "include", "macro", "if", "unless", "insert_block", "call", "element", "attribute"];

/// State of an expansion.
pub(super) struct Expander<'r> {
    pub(super) reading: &'r Reading<'r>,
    pub(super) files: Vec<File>,
    /// Files that are being expanded, from the outermost.
    pub(super) chain: Vec<PathBuf>,
    pub(super) scopes: Scopes,
    pub(super) macros: BTreeMap<String, Rc<Macro>>,
    /// Values of `xacro:arg`.
    pub(super) arguments: BTreeMap<String, String>,
    /// Calls of macros that are being expanded: the macro, and the element of the call.
    pub(super) calls: Vec<(String, Rc<Element>)>,
    /// Number of calls so far.
    pub(super) num_calls: usize,
    /// Number of properties that are being evaluated.
    pub(super) pending: usize,
    pub(super) output: Output,
    depth: usize,
}

impl<'r> Expander<'r> {
    pub(super) fn new(reading: &'r Reading<'r>) -> Self {
        Self {
            reading,
            files: Vec::new(),
            chain: Vec::new(),
            scopes: Scopes::new(),
            macros: BTreeMap::new(),
            arguments: reading.options.xacro_arguments.iter().cloned().collect(),
            calls: Vec::new(),
            num_calls: 0,
            pending: 0,
            output: Output::default(),
            depth: 0,
        }
    }

    /// Expands the first file.
    pub(super) fn file(mut self, source: &Arc<SourceFile>, document: &Document<'_>) -> Result<Output, Stop> {
        let root = self.add_file(source, document)?;
        self.element(&root, GLOBAL)?;
        Ok(self.output)
    }

    fn location(&self, file: usize, range: &Range<usize>) -> Option<Place> {
        let text = &self.files.get(file)?.text;
        Some(Place { source: Arc::clone(&text.source), span: Some(text.span(range)) })
    }

    /// Reports an error at a part of a file; inside a macro, with the place of its call.
    pub(super) fn stop(&self, file: usize, range: &Range<usize>, diagnostic: Diagnostic) -> Stop {
        let mut diagnostic = diagnostic;
        diagnostic.place = self.location(file, range);
        let call = self.calls.first().and_then(|(name, call)| Some((name, self.tag(call)?)));
        if let (Some((name, place)), None) = (call, &diagnostic.help) {
            let line = place.span.map_or(1, |span| span.start.line);
            let help = format!("the macro `{name}` is called in {}:{line}", place.source.path().display());
            diagnostic = diagnostic.help(help);
        }
        self.reading.reporter.report(diagnostic);
        Stop
    }

    fn tag(&self, element: &Element) -> Option<Place> {
        let text = &self.files.get(element.file)?.text;
        self.location(element.file, &text.tag(element.start))
    }

    /// Reports an error at the tag of an element.
    pub(super) fn stop_at(&self, element: &Element, diagnostic: Diagnostic) -> Stop {
        let range = self.files.get(element.file).map_or(0..0, |file| file.text.tag(element.start));
        self.stop(element.file, &range, diagnostic)
    }

    /// Reports an error at an attribute.
    pub(super) fn stop_in(&self, element: &Element, attribute: &Attribute, diagnostic: Diagnostic) -> Stop {
        self.stop(element.file, &attribute.range, diagnostic)
    }

    /// An attribute that must be there.
    pub(super) fn required<'e>(&self, element: &'e Element, name: &str) -> Result<&'e Attribute, Stop> {
        element.attribute(name).ok_or_else(|| {
            let message = format!("`<xacro:{}>` needs the attribute `{name}`", element.name);
            self.stop_at(element, Diagnostic::error("missing-key", message))
        })
    }

    pub(super) fn nodes(&mut self, nodes: &[Node], scope: ScopeIndex) -> Result<(), Stop> {
        for node in nodes {
            match node {
                Node::Text(text) => {
                    let value = self.text(&text.text, (text.file, &text.range), scope)?;
                    self.output.add_text(&value.to_string());
                }
                Node::Element(element) => self.element(element, scope)?,
            }
        }
        Ok(())
    }

    pub(super) fn element(&mut self, element: &Rc<Element>, scope: ScopeIndex) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("elements and macros nest deeper than {DEEPEST} levels");
            let help = "does a macro call itself without an end?";
            return Err(self.stop_at(element, Diagnostic::error("limit-depth", message).help(help)));
        }
        if self.output.is_too_long() {
            let message = "the expanded file is longer than 64 MiB";
            let help = "does a macro call itself several times?";
            return Err(self.stop_at(element, Diagnostic::error("limit-size", message).help(help)));
        }
        match (element.is_xacro, element.name.as_str()) {
            (false, name) => self.plain(element, name, scope)?,
            (true, "property") => self.property(element, scope)?,
            (true, "arg") => self.argument(element, scope)?,
            (true, "include") => self.include(element, scope)?,
            (true, "macro") => self.define(element)?,
            (true, "if" | "unless") => {
                if self.holds(element, scope)? {
                    self.nodes(&element.children, scope)?;
                }
            }
            (true, "insert_block") => self.insert_block(element, scope)?,
            (true, "element") => {
                let name = element.attributes.iter().find(|attribute| attribute.is_xacro && attribute.name == "name");
                let Some(name) = name else {
                    let message = "`<xacro:element>` needs the attribute `xacro:name`";
                    return Err(self.stop_at(element, Diagnostic::error("missing-key", message)));
                };
                let tag = self.attribute_text(element, name, scope)?;
                if !is_tag(&tag) {
                    let error = Diagnostic::error("xacro", format!("`{tag}` is not the name of an element"));
                    return Err(self.stop_in(element, name, error));
                }
                self.plain(element, &tag, scope)?;
            }
            (true, "attribute") => {
                let message = "`<xacro:attribute>` is read directly inside an element only";
                return Err(self.stop_at(element, Diagnostic::error("xacro", message)));
            }
            (true, _) => self.call(element, scope)?,
        }
        self.depth -= 1;
        Ok(())
    }

    /// An element of URDF.
    fn plain(&mut self, element: &Rc<Element>, tag: &str, scope: ScopeIndex) -> Result<(), Stop> {
        let mut attributes: Vec<(String, String)> = Vec::new();
        for attribute in element.attributes.iter().filter(|attribute| !attribute.is_xacro) {
            let value = self.attribute_text(element, attribute, scope)?;
            if !attributes.iter().any(|(name, _)| *name == attribute.name) {
                attributes.push((attribute.name.clone(), value));
            }
        }
        let is_attribute = |child: &&Rc<Element>| child.is_xacro && child.name == "attribute";
        for child in element.elements().filter(is_attribute) {
            let (name, value) = (self.required(child, "name")?, self.required(child, "value")?);
            let plain = self.attribute_text(child, name, scope)?;
            if !is_tag(&plain) {
                let error = Diagnostic::error("xacro", format!("`{plain}` is not the name of an attribute"));
                return Err(self.stop_in(child, name, error));
            }
            let value = self.attribute_text(child, value, scope)?;
            attributes.retain(|(name, _)| *name != plain);
            attributes.push((plain, value));
        }
        let Some(place) = self.tag(element) else { return Ok(()) };
        self.output.begin(tag, &attributes, place);
        for node in &element.children {
            if !matches!(node, Node::Element(child) if is_attribute(&child)) {
                self.nodes(std::slice::from_ref(node), scope)?;
            }
        }
        self.output.end(tag);
        Ok(())
    }

    /// Whether the condition of `xacro:if` or `xacro:unless` holds.
    pub(super) fn holds(&mut self, element: &Element, scope: ScopeIndex) -> Result<bool, Stop> {
        let attribute = self.required(element, "value")?;
        let value = self.text(&attribute.value, (element.file, &attribute.range), scope)?;
        match value.as_condition() {
            Some(is_true) => Ok(is_true == (element.name == "if")),
            None => {
                let message = format!("the condition is `{value}`, which is neither true nor false");
                let error = Diagnostic::error("xacro", message).help("write `true`, `false`, a number or a comparison");
                Err(self.stop_in(element, attribute, error))
            }
        }
    }

    /// `xacro:arg`: the value of the user, or else its default.
    fn argument(&mut self, element: &Element, scope: ScopeIndex) -> Result<(), Stop> {
        let name = self.required(element, "name")?;
        let name = self.attribute_text(element, name, scope)?;
        if let Some(default) = element.attribute("default").filter(|_| !self.arguments.contains_key(&name)) {
            let value = self.attribute_text(element, default, scope)?;
            self.arguments.insert(name, value);
        }
        Ok(())
    }

    fn insert_block(&mut self, element: &Element, scope: ScopeIndex) -> Result<(), Stop> {
        let attribute = self.required(element, "name")?;
        let name = self.attribute_text(element, attribute, scope)?;
        let Some(block) = self.scopes.block(scope, &name) else {
            let message = format!("there is no block `{name}`");
            let help = "blocks are parameters of macros such as `*name` and `**name`, and properties without `value`";
            return Err(self.stop_in(element, attribute, Diagnostic::error("xacro-undefined", message).help(help)));
        };
        self.nodes(&block.nodes, block.scope.unwrap_or(scope))
    }

    /// The error for a macro that is not defined.
    pub(super) fn unknown_macro(&self, element: &Element, name: &str) -> Stop {
        let error = Diagnostic::error("xacro-undefined", format!("there is no macro `{name}`"));
        let known = self.macros.keys().map(String::as_str).chain(ELEMENTS);
        let help = match closest(name, known) {
            Some(meant) => format!("did you mean `xacro:{meant}`?"),
            None => "is the file with the macro included before?".to_owned(),
        };
        self.stop_at(element, error.help(help))
    }
}

/// Whether a text is the name of an element or an attribute.
fn is_tag(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}
