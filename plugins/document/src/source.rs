//! Text of a file, with line numbers.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Text of a file, or of some lines of it, and the path it was read from.
#[derive(Debug)]
pub struct SourceFile {
    path: PathBuf,
    text: String,
    /// Runs of consecutive lines, in order; the first starts at the first line of the text.
    stretches: Vec<Stretch>,
    /// Byte offset of every [`MARKED`]th line; computed on the first access to a line.
    marks: OnceLock<Vec<usize>>,
}

/// Number of lines between marks.
const MARKED: usize = 256;

/// Run of lines that are consecutive in the file.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Index of its first line in the text.
    index: u32,
    /// Number of that line in the file.
    number: u32,
}

impl SourceFile {
    /// A text without a file on disk, with a name for messages.
    pub fn from_text(path: impl Into<PathBuf>, text: impl Into<String>) -> Arc<Self> {
        Self::excerpt(path, 1, text)
    }

    /// Some lines of a file that is too large to hold in memory. `first_line` is the number of the first, counted from
    /// 1. Locations refer to lines of the whole file.
    pub fn excerpt(path: impl Into<PathBuf>, first_line: u32, text: impl Into<String>) -> Arc<Self> {
        let stretches = vec![Stretch { index: 0, number: first_line }];
        Arc::new(Self { path: path.into(), text: text.into(), stretches, marks: OnceLock::new() })
    }

    /// Excerpt with gaps: texts, each with the number of its first line, in order. All but the last end with a line
    /// feed.
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

    /// The path the text was read from, as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Base directory of relative paths in the file.
    pub fn directory(&self) -> Cow<'_, Path> {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => Cow::Borrowed(parent),
            _ => Cow::Borrowed(Path::new(".")),
        }
    }

    /// The text; for an excerpt, only the lines it contains.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line number in the file of the line at an index in [`text`](Self::text), which counts from 0.
    pub fn line_number(&self, index: u32) -> u32 {
        let after = self.stretches.partition_point(|stretch| stretch.index <= index);
        match after.checked_sub(1).and_then(|last| self.stretches.get(last)) {
            Some(stretch) => stretch.number.saturating_add(index - stretch.index),
            None => index.saturating_add(1),
        }
    }

    /// The line of this number, without its line end; `None` if the text does not contain it.
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
