//! Inlined files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::{Diagnostic, PathError, Result, read_bytes};

use super::source::Problem;
use super::{Converter, Document, Location, Node, NodeType, StandardNode};
use crate::{SceneNode, load_scene};

impl Converter<'_> {
    /// Scenes of the files that an `Inline` refers to. All of them, as in the original; VRML97 specifies the first that
    /// exists.
    pub(super) fn inline(&mut self, node: &Arc<Node>, standard: &StandardNode) -> Result<Vec<SceneNode>> {
        let at = standard.location("url").unwrap_or(node.location);
        let mut scenes = Vec::new();
        for url in standard.strings("url") {
            match self.find(url) {
                Ok(path) => {
                    scenes.extend(self.inlined_file(&path, at)?);
                }
                Err(error) => self.left_out(&error.to_diagnostic(), at),
            }
        }
        Ok(scenes)
    }

    /// Visits the trees of the VRML files that a node refers to if it is an `Inline`. `visit` gets each tree with a
    /// converter of its nodes, which shares the limits and the inlined files of this one. Files of other formats have
    /// no tree. Missing files are left out with a warning.
    ///
    /// # Errors
    /// Errors of `visit`; if a file is invalid or contains itself.
    pub fn visit_inlined(
        &mut self,
        node: &Arc<Node>,
        visit: &mut dyn FnMut(&Arc<Document>, &mut Converter<'_>) -> Result<()>,
    ) -> Result<()> {
        let Some(standard) = node.standard().filter(|node| node.node_type == NodeType::Inline) else { return Ok(()) };
        self.names.extend(node.name.clone());
        self.visit_files(node, standard, visit)?;
        if node.name.is_some() {
            self.names.pop();
        }
        Ok(())
    }

    fn visit_files(
        &mut self,
        node: &Node,
        standard: &StandardNode,
        visit: &mut dyn FnMut(&Arc<Document>, &mut Converter<'_>) -> Result<()>,
    ) -> Result<()> {
        let at = standard.location("url").unwrap_or(node.location);
        for url in standard.strings("url") {
            let path = match self.find(url) {
                Ok(path) if is_vrml(&path) => path,
                Ok(_) => continue,
                Err(error) => {
                    self.left_out(&error.to_diagnostic(), at);
                    continue;
                }
            };
            let key = canonical(&path);
            self.check_chain(&path, &key, at)?;
            let Some(document) = self.inlined_document(&path, &key, at)? else { continue };
            self.inlines.documents.insert(key.clone(), Arc::clone(&document));
            self.within(&document, key, |inner| visit(&document, inner))?;
        }
        Ok(())
    }

    /// The file that a URL in this file refers to.
    pub(super) fn find(&self, url: &str) -> std::result::Result<PathBuf, PathError> {
        let text = match url.strip_prefix("file:") {
            Some(path) if !path.starts_with("//") => path,
            _ => url,
        };
        let directory = self.document.directory();
        self.context.roots.find(directory, text).or_else(|error| {
            // The path may have been written on Windows.
            let forward = Some(text.replace('\\', "/")).filter(|forward| forward != text);
            forward.and_then(|forward| self.context.roots.find(directory, &forward).ok()).ok_or(error)
        })
    }

    fn inlined_file(&mut self, path: &Path, at: Location) -> Result<Vec<SceneNode>> {
        let key = canonical(path);
        self.check_chain(path, &key, at)?;
        if let Some(scene) = self.inlines.scenes.get(&key) {
            let parts = scene.iter().map(count).sum();
            let scene = scene.clone();
            self.parts(at, parts)?;
            return Ok(scene);
        }
        let scene = if is_vrml(path) {
            match self.inlined_document(path, &key, at)? {
                Some(document) => self.within(&document, key.clone(), |inner| inner.list(document.nodes()))?,
                None => return Ok(Vec::new()),
            }
        } else {
            match load_scene(path, &self.context) {
                Ok(scene) => scene.nodes,
                Err(error) => {
                    self.left_out(&error, at);
                    Vec::new()
                }
            }
        };
        self.inlines.scenes.insert(key, scene.clone());
        Ok(scene)
    }

    /// An error if the file is one of those that inline this one.
    fn check_chain(&mut self, path: &Path, key: &Path, at: Location) -> Result<()> {
        if self.inlines.chain.is_empty() {
            self.inlines.chain.push(canonical(self.document.path()));
        }
        if self.inlines.chain.iter().any(|outer| outer == key) {
            let message = format!("the file inlines itself: {}", path.display());
            let help = "remove this `Inline` or the one that leads here";
            let problem = Problem::new(at, "recursive-inline", message, help);
            return Err(self.document.source.error(problem.within(&self.names)));
        }
        Ok(())
    }

    /// The tree of a file; `None`, with a warning, if it cannot be opened.
    fn inlined_document(&mut self, path: &Path, key: &Path, at: Location) -> Result<Option<Arc<Document>>> {
        if let Some(known) = self.inlines.documents.get(key) {
            return Ok(Some(Arc::clone(known)));
        }
        match read_bytes(path, self.context.limits) {
            Ok(bytes) => {
                let document = Document::parse(path, bytes, self.context.limits, self.context.reporter)?;
                Ok(Some(Arc::new(document)))
            }
            Err(error) => {
                self.left_out(&error.to_diagnostic(), at);
                Ok(None)
            }
        }
    }

    /// Runs `work` with a converter of an inlined file.
    fn within<R>(
        &mut self,
        document: &Document,
        key: PathBuf,
        work: impl FnOnce(&mut Converter<'_>) -> Result<R>,
    ) -> Result<R> {
        let mut inner = Converter::new(document, self.context);
        inner.budget = self.budget.with(document);
        inner.inlines = std::mem::take(&mut self.inlines);
        inner.names.clone_from(&self.names);
        inner.inlines.chain.push(key);
        let result = work(&mut inner);
        self.budget.take_back(&inner.budget);
        self.inlines = inner.inlines;
        self.inlines.chain.pop();
        result
    }

    fn left_out(&mut self, error: &Diagnostic, at: Location) {
        if !self.inlines.left_out.insert((self.document.path().to_owned(), at, error.message.clone())) {
            return;
        }
        let message = format!("an inlined file is left out: {}", error.message);
        self.warn(at, error.code, message, error.help.as_deref().unwrap_or("is the file what it should be?"));
    }
}

fn is_vrml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wrl"))
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Number of nodes and shapes.
fn count(node: &SceneNode) -> usize {
    1 + node.shapes.len() + node.children.iter().map(count).sum::<usize>()
}
