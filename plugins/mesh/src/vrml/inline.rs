//! Files in files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::{Diagnostic, PathError, Result, read_bytes};

use super::{Converter, Document, Location, Node, StandardNode};
use crate::{SceneNode, load_scene};

/// Files that were inlined before.
#[derive(Debug, Default)]
pub(super) struct Inlines {
    scenes: HashMap<PathBuf, Vec<SceneNode>>,
    /// The files that are being read, each inlined by the one before it.
    chain: Vec<PathBuf>,
}

impl Converter<'_> {
    /// The scenes of the files an `Inline` names: all of them, as in the original, where VRML97 means the first that is
    /// there.
    pub(super) fn inline(&mut self, node: &Arc<Node>, standard: &StandardNode) -> Result<Vec<SceneNode>> {
        let at = standard.location("url").unwrap_or(node.location);
        let mut scenes = Vec::new();
        for url in standard.strings("url") {
            match self.find(url) {
                Ok(path) => {
                    scenes.extend(self.inlined_file(&path, at)?);
                }
                Err(error) => {
                    let error = error.to_diagnostic();
                    let message = format!("an inlined file is left out: {}", error.message);
                    self.warn(at, error.code, message, error.help.as_deref());
                }
            }
        }
        Ok(scenes)
    }

    /// The file that a URL in this file stands for.
    pub(super) fn find(&self, url: &str) -> std::result::Result<PathBuf, PathError> {
        let text = match url.strip_prefix("file:") {
            Some(path) if !path.starts_with("//") => path,
            _ => url,
        };
        let directory = self.document.directory();
        self.context.roots.find(directory, text).or_else(|error| {
            // Written on Windows.
            let forward = Some(text.replace('\\', "/")).filter(|forward| forward != text);
            forward.and_then(|forward| self.context.roots.find(directory, &forward).ok()).ok_or(error)
        })
    }

    fn inlined_file(&mut self, path: &Path, at: Location) -> Result<Vec<SceneNode>> {
        let key = canonical(path);
        if self.inlines.chain.is_empty() {
            self.inlines.chain.push(canonical(self.document.path()));
        }
        if self.inlines.chain.contains(&key) {
            let message = format!("the file inlines itself: {}", path.display());
            let mut error = self.document.error(at, "recursive-inline", message);
            error.help = Some("remove this `Inline` or the one that leads here".to_owned());
            return Err(error);
        }
        if let Some(scene) = self.inlines.scenes.get(&key) {
            let parts = scene.iter().map(count).sum();
            let scene = scene.clone();
            self.parts(at, parts)?;
            return Ok(scene);
        }
        let is_vrml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wrl"));
        let scene = if is_vrml {
            self.inlined_vrml(path, &key, at)?
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

    fn inlined_vrml(&mut self, path: &Path, key: &Path, at: Location) -> Result<Vec<SceneNode>> {
        let bytes = match read_bytes(path, self.context.limits) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.left_out(&error.to_diagnostic(), at);
                return Ok(Vec::new());
            }
        };
        let document = Document::parse(path, bytes, self.context.limits, self.context.reporter)?;
        let mut inner = Converter::new(&document, self.context);
        inner.budget = self.budget.with(&document);
        inner.inlines = std::mem::take(&mut self.inlines);
        inner.inlines.chain.push(key.to_owned());
        let scene = inner.list(document.nodes());
        self.budget.take_back(&inner.budget);
        self.inlines = inner.inlines;
        self.inlines.chain.pop();
        scene
    }

    fn left_out(&self, error: &Diagnostic, at: Location) {
        let message = format!("an inlined file is left out: {}", error.message);
        self.warn(at, error.code, message, error.help.as_deref());
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Nodes and shapes.
fn count(node: &SceneNode) -> usize {
    1 + node.shapes.len() + node.children.iter().map(count).sum::<usize>()
}
