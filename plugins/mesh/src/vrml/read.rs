//! Parsing of a file into a tree, and conversion to a scene.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Limits, Reporter, Result};

use super::parser::Parser;
use super::source::Source;
use super::{Converter, Document};
use crate::{LoadContext, MeshScene};

/// Reads the scene of a file.
pub(crate) fn read(path: &Path, bytes: &[u8], context: &LoadContext<'_>) -> Result<MeshScene> {
    let document = Document::parse(path, bytes, context.limits, context.reporter)?;
    Converter::new(&document, *context).scene()
}

impl Document {
    /// Parses a file.
    ///
    /// `path` is for messages and for [`Document::directory`]; it is not read. Irregularities with a clear meaning are
    /// warnings: unknown fields, octal numbers, a `PROTO` declared twice, …
    ///
    /// # Errors
    /// With the location, if the text is not VRML97, a node type or `USE` is unknown, a `PROTO` contains itself, or one
    /// of the limits against hostile files is exceeded ([`super::MAX_DEPTH`] and the other limits of that module,
    /// `limits.nodes`).
    pub fn parse(path: &Path, bytes: impl Into<Vec<u8>>, limits: &Limits, reporter: &Reporter) -> Result<Self> {
        let source = Arc::new(Source::new(path.to_owned(), bytes.into()));
        let parser = Parser::new(&source, limits, reporter);
        let outcome = parser.document().map_err(|problem| source.error(*problem))?;
        Ok(Self {
            source,
            nodes: outcome.nodes,
            definitions: outcome.definitions,
            prototypes: outcome.prototypes,
            node_count: outcome.node_count,
        })
    }
}
