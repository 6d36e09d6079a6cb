//! Reading of the text of a motion line by line, in constant memory.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_document::SourceFile;

use super::stop::{Step, Stop};

/// Source of a text.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// File on disk, assumed to be UTF-8.
    File(PathBuf),
    /// In memory.
    Text(Arc<SourceFile>),
}

/// Number of bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// Longer lines are not buffered: they may be a whole file of JSON. A million joints fit.
const LONGEST_LINE: usize = 32 << 20;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

trait Input: Read + Seek {}
impl<T: Read + Seek> Input for T {}

struct TextBytes(Arc<SourceFile>);

impl AsRef<[u8]> for TextBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.text().as_bytes()
    }
}

impl Origin {
    /// Path, for messages.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Text(source) => source.path(),
        }
    }

    fn open(&self) -> io::Result<Box<dyn Input>> {
        Ok(match self {
            Self::File(path) => Box::new(File::open(path)?),
            Self::Text(source) => Box::new(Cursor::new(TextBytes(Arc::clone(source)))),
        })
    }

    /// All lines, without a byte order mark.
    pub(super) fn lines(&self) -> Step<LineReader> {
        let start = || {
            let mut input = self.open()?;
            let mut first = Vec::new();
            input.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut first)?;
            let marked = matches!(self, Self::File(_)) && first == BYTE_ORDER_MARK;
            let start = if marked { first.len() as u64 } else { 0 };
            input.seek(SeekFrom::Start(start))?;
            Ok(LineReader::new(input, self.path(), start..u64::MAX, 0))
        };
        start().map_err(|error| Stop::io(self.path(), error))
    }

    /// The lines of a part that is known to exist; `line_before` is the number of the line before it.
    pub(super) fn part(&self, part: Range<u64>, line_before: u32) -> Step<LineReader> {
        let start = || {
            let mut input = self.open()?;
            input.seek(SeekFrom::Start(part.start))?;
            Ok(LineReader::new(input, self.path(), part.clone(), line_before))
        };
        start().map_err(|error| Stop::io(self.path(), error))
    }
}

/// Reads lines in chunks.
pub(super) struct LineReader {
    input: Box<dyn Input>,
    path: PathBuf,
    /// Next offset to read, and the end of the part.
    unread: Range<u64>,
    buffer: Vec<u8>,
    /// Part of the buffer that has not been returned.
    held: Range<usize>,
    number: u32,
}

/// A line with its line feed, if it has one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    /// Line number, from 1.
    pub(super) number: u32,
    /// Byte offset in the file.
    pub(super) start: u64,
}

impl LineReader {
    fn new(input: Box<dyn Input>, path: &Path, unread: Range<u64>, number: u32) -> Self {
        Self { input, path: path.to_owned(), unread, buffer: Vec::new(), held: 0..0, number }
    }

    /// Byte offset of the next line.
    pub(super) fn position(&self) -> u64 {
        self.unread.start - self.held.len() as u64
    }

    /// The next line.
    pub(super) fn next(&mut self) -> Step<Option<Line<'_>>> {
        let mut searched = 0;
        let length = loop {
            let held = self.buffer.get(self.held.clone()).unwrap_or_default();
            if let Some(end) = held.get(searched..).and_then(|rest| memchr::memchr(b'\n', rest)) {
                break searched + end + 1;
            }
            searched = held.len();
            if searched > LONGEST_LINE {
                return Err(Stop::Unusual);
            }
            if !self.refill().map_err(|error| Stop::io(&self.path, error))? {
                break searched;
            }
        };
        if length == 0 {
            return Ok(None);
        }
        let start = self.position();
        let bytes = self.held.start..self.held.start + length;
        self.held.start = bytes.end;
        self.number = self.number.saturating_add(1);
        Ok(Some(Line { bytes: self.buffer.get(bytes).unwrap_or_default(), number: self.number, start }))
    }

    /// Reads more data after that in the buffer; `false` at the end.
    fn refill(&mut self) -> io::Result<bool> {
        let left = self.unread.end - self.unread.start;
        if left == 0 {
            return Ok(false);
        }
        self.buffer.copy_within(self.held.clone(), 0);
        self.held = 0..self.held.len();
        let wanted = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        if self.buffer.len() < self.held.end + wanted {
            self.buffer.resize(2 * self.held.end + wanted, 0);
        }
        let space = self.buffer.len() - self.held.end;
        let wanted = usize::try_from(left).unwrap_or(space).min(space);
        let end = self.held.end;
        let count = loop {
            match self.input.read(self.buffer.get_mut(end..end + wanted).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        // The part existed when its end was determined.
        if count == 0 && self.unread.end != u64::MAX {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter while it was read"));
        }
        self.unread.start += count as u64;
        self.held.end += count;
        Ok(count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_however_they_fall_into_chunks() {
        let mut text = String::new();
        for length in [0, 1, 2, 70, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 5, 1000, 0] {
            text.push_str(&"x".repeat(length));
            text.push('\n');
        }
        text.push_str("no end");
        let origin = Origin::Text(SourceFile::from_text("x", text.clone()));
        let mut reader = origin.lines().unwrap();
        let (mut number, mut start) = (0, 0);
        for expected in text.split_inclusive('\n') {
            number += 1;
            let line = reader.next().unwrap().unwrap();
            assert_eq!((line.number, line.start), (number, start));
            assert!(line.bytes == expected.as_bytes());
            start += expected.len() as u64;
            assert_eq!(reader.position(), start);
        }
        assert!(reader.next().unwrap().is_none());
        let mut part = origin.part(1..5, 1).unwrap();
        assert_eq!(part.next().unwrap().unwrap().bytes, b"x\n");
        let line = part.next().unwrap().unwrap();
        assert_eq!((line.bytes, line.number, line.start), (&b"xx"[..], 3, 3));
        assert!(part.next().unwrap().is_none());
    }

    #[test]
    fn a_missing_part_is_an_error_and_an_endless_line_is_not_buffered() {
        let origin = Origin::Text(SourceFile::from_text("x", "ab\n"));
        let mut part = origin.part(0..9, 0).unwrap();
        assert!(part.next().unwrap().is_some());
        assert!(matches!(part.next(), Err(Stop::Error(_))));
        let long = Origin::Text(SourceFile::from_text("x", " ".repeat(LONGEST_LINE + CHUNK * 2)));
        assert!(matches!(long.lines().unwrap().next(), Err(Stop::Unusual)));
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "\u{feff}a: 1\n").unwrap();
        let mut lines = Origin::File(file.path().to_owned()).lines().unwrap();
        let line = lines.next().unwrap().unwrap();
        assert_eq!((line.bytes, line.start), (&b"a: 1\n"[..], 3));
    }
}
