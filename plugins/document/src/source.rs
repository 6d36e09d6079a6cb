use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Diagnostic, Limits, Reporter, Span};

/// The text of a file and the path it was read from.
#[derive(Debug)]
pub struct SourceFile {
    path: PathBuf,
    text: String,
}

/// Why a file could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("file not found: {}", .0.display())]
    NotFound(PathBuf),
    /// It is a directory.
    #[error("this is a directory, not a file: {}", .0.display())]
    Directory(PathBuf),
    /// The operating system refused.
    #[error("cannot read the file: {source}: {}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is larger than [`Limits::file_size`].
    #[error("the file has {size} bytes, more than the limit of {limit}: {}", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
}

impl ReadError {
    /// The same as a diagnostic without a place.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = match self {
            Self::NotFound(_) => "file-not-found",
            Self::Directory(_) | Self::Io { .. } => "file-unreadable",
            Self::TooLarge { .. } => "limit-file-size",
        };
        Diagnostic::error(code, self.to_string())
    }
}

impl SourceFile {
    /// A text that is not on disk, under a name to show in messages.
    pub fn from_text(path: impl Into<PathBuf>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { path: path.into(), text: text.into() })
    }

    /// Reads a text file.
    ///
    /// A byte order mark is dropped. Bytes that are not UTF-8 (old files carry Shift-JIS or EUC-JP comments) are
    /// replaced by U+FFFD with a warning, so that the rest of the file still counts.
    pub fn read(path: &Path, limits: &Limits, reporter: &Reporter) -> Result<Arc<Self>, ReadError> {
        let bytes = read_bytes(path, limits)?;
        let (text, lossy) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let line = 1 + bytes[..valid].iter().filter(|&&byte| byte == b'\n').count();
                (String::from_utf8_lossy(&bytes).into_owned(), Some(line))
            }
        };
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        let source = Self::from_text(path, text);
        if let Some(line) = lossy {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            reporter.report(
                Diagnostic::warning("not-utf8", "the file is not UTF-8; bytes that are not were replaced")
                    .at(&source, Span::line(line))
                    .help("save the file as UTF-8"),
            );
        }
        Ok(source)
    }

    /// The path the text was read from, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that relative paths in the file refer to.
    pub fn directory(&self) -> Cow<'_, Path> {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => Cow::Borrowed(parent),
            _ => Cow::Borrowed(Path::new(".")),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The bytes of a file, which must not be larger than the limit.
pub fn read_bytes(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let io_error = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound(path.to_owned()),
        io::ErrorKind::IsADirectory => ReadError::Directory(path.to_owned()),
        _ => ReadError::Io { path: path.to_owned(), source: error },
    };
    let file = File::open(path).map_err(io_error)?;
    let metadata = file.metadata().map_err(io_error)?;
    if metadata.is_dir() {
        return Err(ReadError::Directory(path.to_owned()));
    }
    let too_large = |size| ReadError::TooLarge { path: path.to_owned(), size, limit: limits.file_size };
    if metadata.len() > limits.file_size {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // A pipe or a file under /proc has no honest length: the limit holds for what really comes.
    file.take(limits.file_size + 1).read_to_end(&mut bytes).map_err(io_error)?;
    match bytes.len() as u64 {
        size if size > limits.file_size => Err(too_large(size)),
        _ => Ok(bytes),
    }
}
