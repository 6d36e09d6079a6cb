use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::encoding::{Decoded, Foreign, decode};
use crate::{Diagnostic, Limits, Reporter, Span};

/// The text of a file, or of some lines of it, and the path it was read from.
#[derive(Debug)]
pub struct SourceFile {
    path: PathBuf,
    text: String,
    /// Where lines were left out, in order; the first is that of the first line.
    stretches: Vec<Stretch>,
    /// Where in the text every [`MARKED`]th line begins, in bytes; found when a line is first asked for.
    marks: OnceLock<Vec<usize>>,
}

/// So many lines lie between marks.
const MARKED: usize = 256;

/// Lines that follow on each other in the file.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Index in the text of its first line.
    index: u32,
    /// Number of that line in the file.
    number: u32,
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
    /// It is a pipe, a device or the like, which may have no end.
    #[error("this is a pipe or a device, not a file: {}", .0.display())]
    Special(PathBuf),
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
            Self::Directory(_) | Self::Special(_) | Self::Io { .. } => "file-unreadable",
            Self::TooLarge { .. } => "limit-file-size",
        };
        let help = match self {
            Self::NotFound(_) => "is the name spelt right, and the directory?",
            Self::Directory(_) => "name a file in it",
            Self::Special(_) => "write what it gives to a file, and name that",
            Self::Io { .. } => "is there permission to read it?",
            Self::TooLarge { .. } => "real models have some megabytes: is this the right file?",
        };
        Diagnostic::error(code, self.to_string()).help(help)
    }
}

impl SourceFile {
    /// A text that is not on disk, under a name to show in messages.
    pub fn from_text(path: impl Into<PathBuf>, text: impl Into<String>) -> Arc<Self> {
        Self::excerpt(path, 1, text)
    }

    /// Some lines of a file that is too large to be held; `first_line` is the number of the first, counted from 1. Places
    /// in it are given in lines of the whole file.
    pub fn excerpt(path: impl Into<PathBuf>, first_line: u32, text: impl Into<String>) -> Arc<Self> {
        let stretches = vec![Stretch { index: 0, number: first_line }];
        Arc::new(Self { path: path.into(), text: text.into(), stretches, marks: OnceLock::new() })
    }

    /// The same with lines left out between: texts, each with the number of its first line, in order. All but the last end
    /// with a line feed.
    pub fn excerpts<'a>(path: impl Into<PathBuf>, parts: impl IntoIterator<Item = (u32, &'a str)>) -> Arc<Self> {
        let (mut text, mut index, mut stretches) = (String::new(), 0_u32, Vec::new());
        for (number, part) in parts {
            stretches.push(Stretch { index, number });
            text.push_str(part);
            let lines = part.bytes().filter(|&byte| byte == b'\n').count();
            index = index.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        }
        Arc::new(Self { path: path.into(), text, stretches, marks: OnceLock::new() })
    }

    /// Reads a text file.
    ///
    /// A byte order mark is dropped. A file that is not UTF-8 (old ones carry Shift_JIS or EUC-JP comments) is decoded
    /// from what it most likely is, and what makes no sense in that is replaced by U+FFFD, so that the rest of the file
    /// still counts; both with a warning.
    pub fn read(path: &Path, limits: &Limits, reporter: &Reporter) -> Result<Arc<Self>, ReadError> {
        let Decoded { text, foreign } = decode(read_bytes(path, limits)?);
        let source = Self::from_text(path, text);
        if let Some(foreign) = foreign {
            reporter.report(source.not_utf8(&foreign));
        }
        Ok(source)
    }

    fn not_utf8(self: &Arc<Self>, foreign: &Foreign) -> Diagnostic {
        let replaced = "bytes that make no sense were replaced";
        let message = match foreign.encoding {
            None => format!("the file is not UTF-8; {replaced}"),
            Some(name) if foreign.replaced => format!("the file is not UTF-8 but read as {name}; {replaced}"),
            Some(name) => format!("the file is not UTF-8 but read as {name}, which it seems to be"),
        };
        // What comes before the first foreign byte is UTF-8 and reads the same in all encodings that are told apart.
        let before = self.text.get(..foreign.start).unwrap_or_default();
        let (line, column) = before.chars().fold((1, 1), |(line, column): (u32, u32), letter| match letter {
            '\n' => (line.saturating_add(1), 1),
            _ => (line, column.saturating_add(1)),
        });
        let help = match foreign.encoding {
            None => "save the file as UTF-8",
            Some(_) => "save the file as UTF-8: not all programs guess, and guesses go wrong",
        };
        Diagnostic::warning("not-utf8", message).at(self, Span::at(line, column)).help(help)
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

    /// The text; of an excerpt, its part of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number in the file of the line at an index in [`text`](Self::text), which counts from 0.
    pub fn line_number(&self, index: u32) -> u32 {
        let after = self.stretches.partition_point(|stretch| stretch.index <= index);
        match after.checked_sub(1).and_then(|last| self.stretches.get(last)) {
            Some(stretch) => stretch.number.saturating_add(index - stretch.index),
            None => index.saturating_add(1),
        }
    }

    /// The line of this number, without its end, if the text has it.
    pub fn line(&self, number: u32) -> Option<&str> {
        let after = self.stretches.partition_point(|stretch| stretch.number <= number);
        let stretch = self.stretches.get(after.checked_sub(1)?)?;
        let index = stretch.index.checked_add(number - stretch.number)?;
        if self.stretches.get(after).is_some_and(|next| index >= next.index) {
            return None;
        }
        let index = usize::try_from(index).ok()?;
        let marks = self.marks.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(end, _)| end + 1);
            std::iter::once(0).chain(ends).step_by(MARKED).collect()
        });
        self.text.get(*marks.get(index / MARKED)?..)?.lines().nth(index % MARKED)
    }
}

/// The bytes of a file, which must not be larger than the limit.
pub fn read_bytes(path: &Path, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let io_error = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound(path.to_owned()),
        io::ErrorKind::IsADirectory => ReadError::Directory(path.to_owned()),
        _ => ReadError::Io { path: path.to_owned(), source: error },
    };
    // Asked before it is opened: to open a pipe waits until someone writes to it.
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
    // A file under /proc has no honest length: the limit holds for what really comes.
    file.take(limits.file_size + 1).read_to_end(&mut bytes).map_err(io_error)?;
    match bytes.len() as u64 {
        size if size > limits.file_size => Err(too_large(size)),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_long_text_is_found() {
        for end in ["\n", "\r\n"] {
            let text: String = (1..=3 * MARKED).map(|number| format!("line {number}{end}")).collect();
            let source = SourceFile::from_text("a", text.as_str());
            for (index, line) in text.lines().enumerate() {
                assert_eq!(source.line(u32::try_from(index).unwrap() + 1), Some(line));
            }
            assert_eq!(source.line(3 * MARKED as u32 + 1), None);
            let unended = SourceFile::from_text("a", text.trim_end());
            assert_eq!(unended.line(3 * MARKED as u32), Some("line 768"));
            assert_eq!(unended.line(3 * MARKED as u32 + 1), None);
        }
    }
}
