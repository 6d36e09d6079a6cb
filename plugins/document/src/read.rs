//! Reading of text files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::encoding::{Decoded, Foreign, decode};
use crate::{Diagnostic, Limits, Reporter, SourceFile, Span};

/// Reason why a file could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file does not exist.
    #[error("file not found: {}", .0.display())]
    NotFound(PathBuf),
    /// It is a directory.
    #[error("this is a directory, not a file: {}", .0.display())]
    Directory(PathBuf),
    /// The path is a pipe, a device or the like, which may have no end.
    #[error("this is a pipe or a device, not a file: {}", .0.display())]
    Special(PathBuf),
    /// The operating system reported an error.
    #[error("cannot read the file: {source}: {}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The file is larger than [`Limits::file_size`].
    #[error("the file has {size} bytes, more than the limit of {limit}: {}", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Size in bytes.
        size: u64,
        /// Limit in bytes.
        limit: u64,
    },
}

impl ReadError {
    /// Converts the error to a diagnostic without a location.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = match self {
            Self::NotFound(_) => "file-not-found",
            Self::Directory(_) | Self::Special(_) | Self::Io { .. } => "file-unreadable",
            Self::TooLarge { .. } => "limit-file-size",
        };
        let help = match self {
            Self::NotFound(_) => "is the name spelt right, and the directory?",
            Self::Directory(_) => "name a file in it",
            Self::Special(_) => "write its output to a file and pass that file",
            Self::Io { .. } => "is there permission to read it?",
            Self::TooLarge { .. } => "real models have some megabytes: is this the right file?",
        };
        Diagnostic::error(code, self.to_string()).help(help)
    }
}

impl SourceFile {
    /// Reads a text file.
    ///
    /// A byte order mark is dropped. A file that is not UTF-8 (old files have Shift_JIS or EUC-JP comments) is decoded
    /// from its likeliest encoding. Invalid bytes are replaced by U+FFFD, so that the rest of the file is still read.
    /// Both give a warning.
    pub fn read(path: &Path, limits: &Limits, reporter: &Reporter) -> Result<Arc<Self>, ReadError> {
        let Decoded { text, foreign } = decode(read_bytes(path, limits)?);
        let source = Self::from_text(path, text);
        if let Some(foreign) = foreign {
            reporter.report(source.not_utf8(&foreign));
        }
        Ok(source)
    }

    fn not_utf8(self: &Arc<Self>, foreign: &Foreign) -> Diagnostic {
        let replaced = "invalid bytes were replaced";
        let message = match foreign.encoding {
            None => format!("the file is not UTF-8; {replaced}"),
            Some(name) if foreign.replaced => format!("the file is not UTF-8 but read as {name}; {replaced}"),
            Some(name) => format!("the file is not UTF-8 but read as {name}, which it seems to be"),
        };
        // The bytes before the first one that is not UTF-8 are the same in all detectable encodings.
        let before = self.text().get(..foreign.start).unwrap_or_default();
        let (line, column) = before.chars().fold((1, 1), |(line, column): (u32, u32), letter| match letter {
            '\n' => (line.saturating_add(1), 1),
            _ => (line, column.saturating_add(1)),
        });
        let help = match foreign.encoding {
            None => "save the file as UTF-8",
            Some(_) => "save the file as UTF-8: other programs may read it differently",
        };
        Diagnostic::warning("not-utf8", message).at(self, Span::at(line, column)).help(help)
    }
}

/// Reads the bytes of a file, which must not be larger than the limit.
pub fn read_bytes(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let io_error = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound(path.to_owned()),
        io::ErrorKind::IsADirectory => ReadError::Directory(path.to_owned()),
        _ => ReadError::Io { path: path.to_owned(), source: error },
    };
    // The type of the file is checked before it is opened: opening a pipe blocks until something writes to it.
    let metadata = std::fs::metadata(path).map_err(io_error)?;
    if metadata.is_dir() {
        return Err(ReadError::Directory(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(ReadError::Special(path.to_owned()));
    }
    let file = File::open(path).map_err(io_error)?;
    let too_large = |size| ReadError::TooLarge { path: path.to_owned(), size, limit: limits.file_size };
    if metadata.len() > limits.file_size {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // Files under /proc report a wrong length, so the limit is applied to the bytes that are read.
    file.take(limits.file_size + 1).read_to_end(&mut bytes).map_err(io_error)?;
    match bytes.len() as u64 {
        size if size > limits.file_size => Err(too_large(size)),
        _ => Ok(bytes),
    }
}
