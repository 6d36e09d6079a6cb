//! Reports with locations. Elements that are not supported are reported once a kind.

use std::cell::RefCell;
use std::collections::HashMap;

use bunraku_document::{Diagnostic, Reporter, closest};

use super::super::xml_text::XmlText;
use super::element::Element;

/// Maximum length of a quoted text in a message, characters.
const LONGEST: usize = 60;

/// The files of a model, and the reporter.
pub(super) struct Findings<'r> {
    reporter: &'r Reporter,
    files: RefCell<Vec<XmlText>>,
    /// Findings of a kind, in the order of the first of each, and how many there are.
    kinds: RefCell<Vec<(Diagnostic, usize)>>,
    by_kind: RefCell<HashMap<String, usize>>,
}

impl<'r> Findings<'r> {
    pub(super) fn new(reporter: &'r Reporter) -> Self {
        Self { reporter, files: RefCell::default(), kinds: RefCell::default(), by_kind: RefCell::default() }
    }

    pub(super) fn reporter(&self) -> &'r Reporter {
        self.reporter
    }

    /// Adds a file. Returns its index.
    pub(super) fn add_file(&self, text: XmlText) -> usize {
        let mut files = self.files.borrow_mut();
        files.push(text);
        files.len() - 1
    }

    pub(super) fn num_files(&self) -> usize {
        self.files.borrow().len()
    }

    pub(super) fn line(&self, element: &Element) -> u32 {
        self.files.borrow().get(element.file).map_or(0, |text| text.position(element.start).line)
    }

    fn at(&self, file: usize, range: &std::ops::Range<usize>, diagnostic: Diagnostic) -> Diagnostic {
        match self.files.borrow().get(file) {
            Some(text) => diagnostic.at(&text.source, text.span(range)),
            None => diagnostic,
        }
    }

    /// Adds the location of the name of an element's tag.
    fn at_element(&self, element: &Element, diagnostic: Diagnostic) -> Diagnostic {
        let tag = self.files.borrow().get(element.file).map_or(0..1, |text| text.tag(element.start));
        self.at(element.file, &tag, diagnostic)
    }

    /// Adds the location of the value of an attribute, or of the element if it is missing.
    fn at_attribute(&self, element: &Element, name: &str, diagnostic: Diagnostic) -> Diagnostic {
        match element.attributes.iter().find(|attribute| attribute.name == name) {
            Some(attribute) => self.at(element.file, &attribute.value_range, diagnostic),
            None => self.at_element(element, diagnostic),
        }
    }

    /// Reports a finding about an element.
    pub(super) fn report(&self, element: &Element, diagnostic: Diagnostic) {
        self.reporter.report(self.at_element(element, diagnostic));
    }

    /// Reports a finding about the value of an attribute.
    pub(super) fn report_attribute(&self, element: &Element, name: &str, diagnostic: Diagnostic) {
        self.reporter.report(self.at_attribute(element, name, diagnostic));
    }

    /// Reports a finding about the name of an attribute.
    pub(super) fn report_name(&self, element: &Element, name: &str, diagnostic: Diagnostic) {
        let range = element.attributes.iter().find(|attribute| attribute.name == name);
        match range {
            Some(attribute) => self.reporter.report(self.at(element.file, &attribute.name_range, diagnostic)),
            None => self.report(element, diagnostic),
        }
    }

    /// Keeps a finding of a kind: the first is reported at the end, with the number of the others.
    pub(super) fn once(&self, kind: &str, element: &Element, diagnostic: Diagnostic) {
        self.keep(kind, || self.at_element(element, diagnostic));
    }

    /// The same about an attribute.
    pub(super) fn once_attribute(&self, kind: &str, element: &Element, name: &str, diagnostic: Diagnostic) {
        self.keep(kind, || self.at_attribute(element, name, diagnostic));
    }

    fn keep(&self, kind: &str, place: impl FnOnce() -> Diagnostic) {
        let known = self.by_kind.borrow().get(kind).copied();
        match known {
            Some(index) => {
                if let Some((_, count)) = self.kinds.borrow_mut().get_mut(index) {
                    *count += 1;
                }
            }
            None => {
                let diagnostic = place();
                let mut kinds = self.kinds.borrow_mut();
                self.by_kind.borrow_mut().insert(kind.to_owned(), kinds.len());
                kinds.push((diagnostic, 1));
            }
        }
    }

    /// Reports the findings of kinds.
    pub(super) fn finish(&self) {
        for (mut diagnostic, count) in self.kinds.borrow_mut().drain(..) {
            match count {
                0 | 1 => {}
                2 => diagnostic.message.push_str("; so does one more"),
                count => diagnostic.message.push_str(&format!("; so do {} more", count - 1)),
            }
            self.reporter.report(diagnostic);
        }
    }
}

/// A text of the file, shortened for a message.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Adds the known word of which this is probably a misspelling.
pub(super) fn suggest<'w>(diagnostic: Diagnostic, word: &str, known: impl IntoIterator<Item = &'w str>) -> Diagnostic {
    match closest(word, known) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}
