//! Files of a model: the first one and those that it includes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::{Diagnostic, SourceFile, Span, refuse_crowded_elements};
use roxmltree::{Document, Node, ParsingOptions};

use super::super::Reading;
use super::super::allowance::MOST_INCLUDED_FILES;
use super::super::file_names::identity;
use super::super::xml_text::XmlText;
use super::element::{Attribute, Element};
use super::findings::{Findings, short};

/// Deepest nesting of elements; that of real models is below 60.
const DEEPEST: usize = 500;
/// Most elements of all files.
const MOST_ELEMENTS: usize = 1_000_000;

/// The elements of a model file, with those of included files in their places.
pub(super) fn load(
    source: &Arc<SourceFile>,
    document: &Document<'_>,
    reading: &Reading<'_>,
    findings: &Findings<'_>,
) -> Option<Element> {
    let mut loading = Loading { reading, findings, chain: vec![identity(source.path())], left: MOST_ELEMENTS };
    let file = findings.add_file(XmlText::new(Arc::clone(source)));
    let mut found = loading.element(document.root_element(), file, source.path().parent(), 0)?;
    found.pop()
}

struct Loading<'l> {
    reading: &'l Reading<'l>,
    findings: &'l Findings<'l>,
    /// Files that are being read.
    chain: Vec<PathBuf>,
    /// Number of elements that may still be read.
    left: usize,
}

impl Loading<'_> {
    /// An element, or those of the file that it includes. `None` after an error.
    fn element(
        &mut self,
        node: Node<'_, '_>,
        file: usize,
        directory: Option<&Path>,
        depth: usize,
    ) -> Option<Vec<Element>> {
        let attributes = node.attributes().map(|attribute| Attribute {
            name: attribute.name().to_owned(),
            value: attribute.value().to_owned(),
            name_range: attribute.range_qname(),
            value_range: attribute.range_value(),
        });
        let mut element = Element {
            tag: node.tag_name().name().to_owned(),
            attributes: attributes.collect(),
            children: Vec::new(),
            file,
            start: node.range().start,
        };
        self.left = self.left.saturating_sub(1);
        if depth > DEEPEST || self.left == 0 {
            let (code, message) = if self.left == 0 {
                ("limit-elements", format!("the model has more than {MOST_ELEMENTS} elements"))
            } else {
                ("limit-depth", format!("elements nest deeper than {DEEPEST} levels"))
            };
            self.findings.report(&element, Diagnostic::error(code, message).help("is this the right file?"));
            return None;
        }
        if element.tag == "include" {
            return self.include(&element, directory, depth);
        }
        for child in node.children().filter(Node::is_element) {
            element.children.extend(self.element(child, file, directory, depth + 1)?);
        }
        Some(vec![element])
    }

    /// Elements of an included file, without its root.
    fn include(&mut self, element: &Element, directory: Option<&Path>, depth: usize) -> Option<Vec<Element>> {
        let findings = self.findings;
        let refuse = |code, message: String, help: &str| {
            findings.report_attribute(element, "file", Diagnostic::error(code, message).help(help));
        };
        let Some(name) = element.attribute("file").map(str::trim).filter(|name| !name.is_empty()) else {
            refuse(
                "missing-key",
                "`<include>` needs the attribute `file`".to_owned(),
                "write `<include file=\"….xml\"/>`",
            );
            return None;
        };
        if findings.num_files() >= MOST_INCLUDED_FILES {
            refuse(
                "limit-files",
                format!("the model includes more than {MOST_INCLUDED_FILES} files"),
                "is a file included twice?",
            );
            return None;
        }
        let roots = self.reading.roots;
        // Beside the including file, or else beside the first one.
        let beside = directory.filter(|directory| !directory.as_os_str().is_empty());
        let found = roots.find(beside.unwrap_or(self.reading.directory), name);
        let path = match found.or_else(|error| roots.find(self.reading.directory, name).map_err(|_| error)) {
            Ok(path) => path,
            Err(error) => {
                findings.report_attribute(element, "file", error.to_diagnostic());
                return None;
            }
        };
        let place = identity(&path);
        if self.chain.contains(&place) {
            refuse("include-cycle", format!("`{}` includes itself", short(name)), "leave this `<include>` out");
            return None;
        }
        let Reading { options, reporter, .. } = *self.reading;
        let source = SourceFile::read(&path, &options.limits, reporter);
        let source = match source {
            Ok(source) => source,
            Err(error) => {
                reporter.report(error.to_diagnostic());
                return None;
            }
        };
        let document = parse(&source, self.reading)?;
        let file = findings.add_file(XmlText::new(Arc::clone(&source)));
        self.chain.push(place);
        let mut elements = Vec::new();
        let mut is_complete = true;
        for child in document.root_element().children().filter(Node::is_element) {
            match self.element(child, file, path.parent(), depth + 1) {
                Some(found) => elements.extend(found),
                None => is_complete = false,
            }
        }
        self.chain.pop();
        is_complete.then_some(elements)
    }
}

/// The XML of a file; `None` after an error.
pub(super) fn parse<'s>(source: &'s Arc<SourceFile>, reading: &Reading<'_>) -> Option<Document<'s>> {
    let reporter = reading.reporter;
    reporter.keep(refuse_crowded_elements(source))?;
    let nodes_limit = u32::try_from(reading.options.limits.nodes).unwrap_or(u32::MAX);
    match Document::parse_with_options(source.text(), ParsingOptions { nodes_limit, ..ParsingOptions::default() }) {
        Ok(document) => Some(document),
        Err(error) => {
            let message = format!("this is not well-formed XML: {error}");
            let position = Span::at(error.pos().row, error.pos().col);
            let help = "each `<tag>` is closed by `</tag>`, or is written `<tag/>`";
            reporter.report(Diagnostic::error("xml-malformed", message).at(source, position).help(help));
            None
        }
    }
}
