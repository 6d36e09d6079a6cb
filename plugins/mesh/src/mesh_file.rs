use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::{Diagnostic, PathError, Result, Severity, SourceFile, Span, read_bytes};

use crate::{LoadContext, TextureImage};

/// Maximum number of triangles of a scene, instances included. About ten times what real robots need; a scene of this
/// size takes about half a gigabyte.
pub(crate) const MAX_TRIANGLES: usize = 1 << 23;

/// Maximum number of nodes of a scene, instances included.
pub(crate) const MAX_NODES: usize = 1 << 17;

/// Maximum nesting depth of nodes; the traversal of a scene needs a stack frame for each level.
pub(crate) const MAX_DEPTH: usize = 128;

/// Maximum number of traversal steps over the contents of nodes, instances included.
pub(crate) const MAX_STEPS: usize = 1 << 21;

/// Crease angle of files without normals, rad. At 30° cylinders of more than twelve segments appear round, and chamfers
/// of 45° stay sharp.
pub(crate) const DEFAULT_CREASE: f64 = std::f64::consts::FRAC_PI_6;

/// The mesh file being read: location of findings and base of relative paths.
pub(crate) struct MeshFile<'a> {
    source: Arc<SourceFile>,
    pub(crate) context: &'a LoadContext<'a>,
}

impl<'a> MeshFile<'a> {
    /// A file whose findings have no line number.
    pub(crate) fn binary(path: &Path, context: &'a LoadContext<'a>) -> Self {
        Self { source: SourceFile::from_text(path, ""), context }
    }

    /// A text file. Bytes that are not UTF-8 (names and comments of old files) become U+FFFD, with a note. Numbers are
    /// not affected.
    pub(crate) fn text(path: &Path, bytes: &[u8], context: &'a LoadContext<'a>) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let lossy = matches!(text, Cow::Owned(_));
        let file =
            Self { source: SourceFile::from_text(path, text.strip_prefix('\u{feff}').unwrap_or(&text)), context };
        if lossy {
            let message = "the file is not UTF-8; characters that are not plain ASCII were replaced in names";
            context.reporter.report(Diagnostic::note("not-utf8", message).in_file(&file.source));
        }
        file
    }

    /// The text of a text file.
    pub(crate) fn source_text(&self) -> Arc<SourceFile> {
        Arc::clone(&self.source)
    }

    /// Locates a finding in this file; on a line, if given.
    pub(crate) fn place(&self, diagnostic: Diagnostic, line: impl Into<Option<u32>>) -> Diagnostic {
        match line.into() {
            Some(line) => diagnostic.at(&self.source, Span::line(line)),
            None => diagnostic.in_file(&self.source),
        }
    }

    pub(crate) fn error(
        &self,
        code: &'static str,
        message: impl Into<String>,
        line: impl Into<Option<u32>>,
    ) -> Box<Diagnostic> {
        Box::new(self.place(Diagnostic::error(code, message), line))
    }

    pub(crate) fn warn(&self, code: &'static str, message: impl Into<String>, line: impl Into<Option<u32>>) {
        self.report(Diagnostic::warning(code, message), line);
    }

    pub(crate) fn report(&self, diagnostic: Diagnostic, line: impl Into<Option<u32>>) {
        self.context.reporter.report(self.place(diagnostic, line));
    }

    /// The file that a reference points to. Mesh files mix paths and URIs. A path that does not exist is tried again
    /// with percent codes decoded and backslashes replaced by slashes.
    pub(crate) fn find(&self, reference: &str) -> std::result::Result<PathBuf, PathError> {
        let directory = self.source.directory();
        self.context.roots.find(&directory, reference).or_else(|error| {
            let other = percent_decoded(reference).replace('\\', "/");
            match error {
                PathError::NotFound { .. } if other != reference => {
                    self.context.roots.find(&directory, &other).map_err(|_| error)
                }
                _ => Err(error),
            }
        })
    }

    /// Reads a file that is required by this one.
    pub(crate) fn read(&self, reference: &str, line: impl Into<Option<u32>>) -> Result<(PathBuf, Vec<u8>)> {
        let line = line.into();
        let path = self.find(reference).map_err(|error| Box::new(self.place(error.to_diagnostic(), line)))?;
        let bytes = read_bytes(&path, self.context.limits);
        let bytes = bytes.map_err(|error| Box::new(self.place(error.to_diagnostic(), line)))?;
        Ok((path, bytes))
    }

    /// An image that the file refers to; a missing one is only a warning, because the shape is still usable.
    pub(crate) fn texture(&self, reference: &str, line: impl Into<Option<u32>>) -> Option<TextureImage> {
        match self.find(reference) {
            Ok(path) => Some(TextureImage::File(path)),
            Err(error) => {
                let diagnostic = error.to_diagnostic();
                let message = format!("a texture is left out: {}", diagnostic.message);
                let message = bunraku_document::shortened(&message).into_owned();
                self.report(Diagnostic { severity: Severity::Warning, message, ..diagnostic }, line);
                None
            }
        }
    }

    /// Warns if a file has no triangles.
    pub(crate) fn warn_if_empty(&self, triangles: usize) {
        if triangles == 0 {
            self.warn("empty-mesh", "the file contains no triangles", None);
        }
    }
}

/// Resources used by a scene so far.
#[derive(Default)]
pub(crate) struct Budget {
    pub(crate) triangles: usize,
    nodes: usize,
    steps: usize,
}

impl Budget {
    pub(crate) fn spend_triangles(&mut self, count: usize, file: &MeshFile<'_>) -> Result<()> {
        self.triangles = self.triangles.saturating_add(count);
        if self.triangles > MAX_TRIANGLES {
            let message = format!("the scene has more than {MAX_TRIANGLES} triangles");
            return Err(file.error("limit-triangles", message, None));
        }
        Ok(())
    }

    pub(crate) fn spend_node(&mut self, depth: usize, line: Option<u32>, file: &MeshFile<'_>) -> Result<()> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(file.error("limit-nodes", format!("the scene has more than {MAX_NODES} nodes"), line));
        }
        if depth >= MAX_DEPTH {
            let message = format!("nodes are nested more than {MAX_DEPTH} deep; does a node contain itself?");
            return Err(file.error("limit-depth", message, line));
        }
        Ok(())
    }

    /// Counts one step of the traversal.
    pub(crate) fn spend_step(&mut self, file: &MeshFile<'_>) -> Result<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            let message = "the nodes of the scene contain each other too many times";
            return Err(file.error("limit-nodes", message, None));
        }
        Ok(())
    }
}

/// Counter of a finding that may occur on many lines and is reported once.
#[derive(Default)]
pub(crate) struct Tally {
    count: usize,
    first: Option<u32>,
}

impl Tally {
    pub(crate) fn add(&mut self, line: impl Into<Option<u32>>) {
        if self.count == 0 {
            self.first = line.into();
        }
        self.count += 1;
    }

    /// Number of occurrences and line of the first.
    pub(crate) fn found(&self) -> Option<(usize, Option<u32>)> {
        (self.count > 0).then_some((self.count, self.first))
    }

    /// Reports a warning at the first line: the number of occurrences followed by `what`.
    pub(crate) fn warn(&self, file: &MeshFile<'_>, code: &'static str, what: &str) {
        if self.count > 0 {
            file.warn(code, format!("{} {what}", self.count), self.first);
        }
    }
}

/// Decodes percent codes such as `%20`.
pub(crate) fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.filter(|_| first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_decoded_where_two_digits_follow() {
        assert_eq!(percent_decoded("a%20b%2Fc"), "a b/c");
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("%zz%4"), "%zz%4");
        assert_eq!(percent_decoded("%ff"), "%ff");
    }
}
