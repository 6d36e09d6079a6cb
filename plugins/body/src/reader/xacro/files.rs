//! Files of a model: the first one and those that it includes.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use bunraku_document::{Diagnostic, PathError, SourceFile, Span, refuse_crowded_elements};
use roxmltree::{Document, ParsingOptions};

use super::super::allowance::MOST_INCLUDED_FILES;
use super::super::file_names::identity;
use super::super::xml_text::XmlText;
use super::expand::{Expander, Stop};
use super::scopes::ScopeIndex;
use super::tree::Element;

/// A file, for locations and relative paths.
pub(super) struct File {
    pub(super) text: XmlText,
    directory: PathBuf,
}

impl Expander<'_> {
    /// Directory of a file.
    pub(super) fn directory(&self, file: usize) -> PathBuf {
        let directory = self.files.get(file).map(|file| file.directory.clone()).unwrap_or_default();
        if directory.as_os_str().is_empty() { self.reading.directory.to_owned() } else { directory }
    }

    /// Adds a parsed file; returns its root.
    pub(super) fn add_file(&mut self, source: &Arc<SourceFile>, document: &Document<'_>) -> Result<Rc<Element>, Stop> {
        let directory = source.path().parent().unwrap_or(Path::new("")).to_owned();
        self.files.push(File { text: XmlText::new(Arc::clone(source)), directory });
        self.chain.push(identity(source.path()));
        let file = self.files.len() - 1;
        Element::new(document.root_element(), file).map(Rc::new).ok_or_else(|| {
            let error = Diagnostic::error("limit-depth", "elements nest deeper than 200 levels");
            self.stop(file, &document.root_element().range(), error.help("is this the right file?"))
        })
    }

    pub(super) fn include(&mut self, element: &Element, scope: ScopeIndex) -> Result<(), Stop> {
        if let Some(attribute) = element.attribute("ns") {
            let error = Diagnostic::error("xacro", "`ns` of `<xacro:include>` is not read");
            return Err(self.stop_in(element, attribute, error.help("let ROS expand the file: `xacro IN > OUT.urdf`")));
        }
        let attribute = self.required(element, "filename")?;
        let name = self.attribute_text(element, attribute, scope)?;
        let name = name.trim();
        let path = match self.reading.roots.find(&self.directory(element.file), name) {
            Ok(path) => path,
            Err(PathError::NotFound { .. })
                if element.attribute("optional").is_some_and(|flag| flag.value.trim().eq_ignore_ascii_case("true")) =>
            {
                return Ok(());
            }
            Err(error) => return Err(self.stop_in(element, attribute, error.to_diagnostic())),
        };
        if self.files.len() >= MOST_INCLUDED_FILES {
            let error =
                Diagnostic::error("limit-files", format!("the model includes more than {MOST_INCLUDED_FILES} files"));
            return Err(self.stop_in(element, attribute, error.help("is a file included in a loop?")));
        }
        if self.chain.contains(&identity(&path)) {
            let error = Diagnostic::error("include-cycle", format!("`{name}` includes itself"));
            return Err(self.stop_in(element, attribute, error.help("leave this `<xacro:include>` out")));
        }
        let root = self.load(&path)?;
        self.nodes(&root.children, scope)?;
        self.chain.pop();
        Ok(())
    }

    fn load(&mut self, path: &Path) -> Result<Rc<Element>, Stop> {
        let (reporter, limits) = (self.reading.reporter, &self.reading.options.limits);
        let source = SourceFile::read(path, limits, reporter).map_err(|error| {
            reporter.report(error.to_diagnostic());
            Stop
        })?;
        reporter.keep(refuse_crowded_elements(&source)).ok_or(Stop)?;
        let nodes_limit = u32::try_from(limits.nodes).unwrap_or(u32::MAX);
        let options = ParsingOptions { nodes_limit, ..ParsingOptions::default() };
        let document = Document::parse_with_options(source.text(), options).map_err(|error| {
            let message = format!("this is not well-formed XML: {error}");
            let place = Span::at(error.pos().row, error.pos().col);
            reporter.report(Diagnostic::error("urdf-malformed", message).at(&source, place));
            Stop
        })?;
        self.add_file(&source, &document)
    }
}
