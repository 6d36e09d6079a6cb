//! Locations in the text of an XML file.

use std::ops::Range;
use std::sync::Arc;

use bunraku_document::{Position, SourceFile, Span};

/// Distance of the precomputed character counts, bytes.
const STRIDE: usize = 1024;

/// A text with the locations of its bytes.
pub(super) struct XmlText {
    pub(super) source: Arc<SourceFile>,
    /// Byte offsets of line ends.
    breaks: Vec<usize>,
    /// Number of characters before each [`STRIDE`]th byte, for files with a single line and a finding about each
    /// element.
    letters: Vec<usize>,
}

/// Number of UTF-8 characters that begin in these bytes.
fn letters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

impl XmlText {
    pub(super) fn new(source: Arc<SourceFile>) -> Self {
        let bytes = source.text().as_bytes();
        let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(position, _)| position);
        let letters =
            bytes.chunks(STRIDE).scan(0, |before, chunk| Some(std::mem::replace(before, *before + letters_in(chunk))));
        let (breaks, letters) = (breaks.collect(), letters.collect());
        Self { source, breaks, letters }
    }

    /// Location of a byte.
    pub(super) fn position(&self, offset: usize) -> Position {
        let line = self.breaks.partition_point(|&end| end < offset);
        let start = line.checked_sub(1).and_then(|before| self.breaks.get(before)).map_or(0, |&end| end + 1);
        let column = self.letters_before(offset).saturating_sub(self.letters_before(start));
        let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        Position { line: number(line), column: number(column) }
    }

    fn letters_before(&self, offset: usize) -> usize {
        let (index, rest) = (offset / STRIDE, offset % STRIDE);
        let rest = self.source.text().as_bytes().get(offset - rest..offset).map_or(0, letters_in);
        self.letters.get(index).map_or(0, |before| before + rest)
    }

    /// Location of a range of bytes; of one byte at least.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        Span { start: self.position(range.start), end: self.position(range.end.max(range.start + 1)) }
    }

    /// The name of the tag that begins at a byte, with its bracket.
    pub(super) fn tag(&self, start: usize) -> Range<usize> {
        let text = self.source.text().get(start..).unwrap_or_default();
        let length = text.find(|letter: char| letter.is_whitespace() || letter == '>' || letter == '/').unwrap_or(1);
        start..start + length
    }
}
