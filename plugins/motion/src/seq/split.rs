//! Separation of a `.seq` text into its structure and the blocks of frames, which are nearly all of it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Position, SourceFile, Span};

use super::lines::{Line, LineReader};
use super::shape::{FramesKey, Style, frame_column, frames_key, is_blank, is_cut};
use super::stop::{Step, Stop};

/// Lines of frames below one `frames:`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) style: Style,
    /// Line of the key `frames`, from 1.
    pub(super) key_line: u32,
    /// Byte range of the lines below it.
    pub(super) bytes: Range<u64>,
    /// Number of lines that begin like frames.
    pub(super) frames: usize,
}

/// Block whose key is on this line; a file may have very many blocks.
pub(super) fn block_of(blocks: &[Block], key_line: u32) -> Option<&Block> {
    let found = blocks.binary_search_by_key(&key_line, |block| block.key_line).ok()?;
    blocks.get(found)
}

/// A text without its blocks.
#[derive(Debug)]
pub(super) struct Layout {
    /// All lines that are in no block, with their numbers.
    pub(super) skeleton: Arc<SourceFile>,
    pub(super) blocks: Vec<Block>,
    /// A truncated last line, which is in neither.
    pub(super) cut: Option<Diagnostic>,
}

/// A larger skeleton is not that of a motion; a file full of frames in another layout is left to the YAML parser.
const LARGEST_SKELETON: usize = 8 << 20;

/// Separates a text into skeleton and blocks.
///
/// This is only a guess based on the form of lines. The parser of the skeleton must check that each block is really the
/// value of the key `frames` on its line, and that this key has no other value.
pub(super) fn split(lines: &mut LineReader, path: &Path) -> Step<Layout> {
    let mut splitter = Splitter { parts: vec![(1, Vec::new())], size: 0, blocks: Vec::new(), state: State::Outside };
    let (mut cut, mut number) = (None, 0);
    while let Some(line) = lines.next()? {
        if is_cut(line.bytes) {
            cut = Some(cut_off(path, line));
            break;
        }
        number = line.number;
        splitter.take(line)?;
    }
    splitter.leave(number.saturating_add(1))?;
    let mut parts = Vec::new();
    for (number, text) in splitter.parts {
        let text = String::from_utf8(text).map_err(|_| Stop::Foreign)?;
        if has_other_line_ends(&text) {
            return Err(Stop::Unusual);
        }
        parts.push((number, text));
    }
    let skeleton = SourceFile::excerpts(path, parts.iter().map(|(number, text)| (*number, text.as_str())));
    Ok(Layout { skeleton, blocks: splitter.blocks, cut })
}

/// Whether a YAML parser counts more lines than there are line feeds.
pub(super) fn has_other_line_ends(text: &str) -> bool {
    text.contains(['\u{85}', '\u{2028}', '\u{2029}']) || text.contains('\r') && text.replace("\r\n", "").contains('\r')
}

/// Warning about a truncated line.
pub(super) fn cut_off(path: &Path, line: Line<'_>) -> Diagnostic {
    // It is ASCII, like everything that `is_cut` accepts.
    let text = String::from_utf8_lossy(line.bytes);
    let blanks = text.len() - text.trim_start().len();
    let column = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1);
    let span = Span {
        start: Position { line: line.number, column: column(blanks) },
        end: Position { line: line.number, column: column(text.len()) },
    };
    Diagnostic::warning("cut-off", "the file ends in the middle of its last line, which is ignored")
        .at(&SourceFile::excerpt(path, line.number, text), span)
        .help("everything before it is read; does a complete copy of the file exist?")
}

struct Splitter {
    /// Texts of the skeleton, each with the number of its first line.
    parts: Vec<(u32, Vec<u8>)>,
    size: usize,
    blocks: Vec<Block>,
    state: State,
}

enum State {
    Outside,
    /// After a key; the following lines are blank so far.
    Below {
        key: FramesKey,
        key_line: u32,
        start: u64,
        pending: Vec<u8>,
    },
    /// In the last block; its frames begin in this column.
    Inside {
        column: usize,
    },
}

impl Splitter {
    fn take(&mut self, line: Line<'_>) -> Step<()> {
        let end = line.start + line.bytes.len() as u64;
        match &mut self.state {
            State::Outside => self.keep(line),
            State::Inside { column } => {
                let Some(block) = self.blocks.last_mut() else { return Ok(()) };
                let found = frame_column(line.bytes, block.style);
                if found.is_some_and(|found| found == *column || block.style == Style::Flow) {
                    block.frames += 1;
                    block.bytes.end = end;
                } else if is_blank(line.bytes)? {
                    block.bytes.end = end;
                } else {
                    self.leave(line.number)?;
                    return self.keep(line);
                }
                Ok(())
            }
            State::Below { key, key_line, start, pending } => {
                let style = key.style;
                match frame_column(line.bytes, style) {
                    Some(column) if style == Style::Flow || column >= key.column => {
                        let block = Block { style, key_line: *key_line, bytes: *start..end, frames: 1 };
                        self.blocks.push(block);
                        self.state = State::Inside { column };
                        Ok(())
                    }
                    None if is_blank(line.bytes)? => {
                        pending.extend_from_slice(line.bytes);
                        if pending.len() > LARGEST_SKELETON { Err(Stop::Unusual) } else { Ok(()) }
                    }
                    _ => {
                        self.leave(line.number)?;
                        self.keep(line)
                    }
                }
            }
        }
    }

    /// Continues with the skeleton from the line with this number. Blank lines that belong to no block are part of it.
    fn leave(&mut self, number: u32) -> Step<()> {
        match std::mem::replace(&mut self.state, State::Outside) {
            State::Outside => Ok(()),
            State::Below { pending, .. } => self.push(&pending),
            State::Inside { .. } => {
                self.parts.push((number, Vec::new()));
                Ok(())
            }
        }
    }

    fn keep(&mut self, line: Line<'_>) -> Step<()> {
        self.push(line.bytes)?;
        if let Some(key) = frames_key(line.bytes) {
            let start = line.start + line.bytes.len() as u64;
            self.state = State::Below { key, key_line: line.number, start, pending: Vec::new() };
        }
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) -> Step<()> {
        self.size += bytes.len();
        if self.size > LARGEST_SKELETON {
            return Err(Stop::Unusual);
        }
        if let Some((_, text)) = self.parts.last_mut() {
            text.extend_from_slice(bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Origin;
    use super::*;

    fn split_text(text: &str) -> Layout {
        let origin = Origin::Text(SourceFile::from_text("m.seq", text));
        split(&mut origin.lines().unwrap(), origin.path()).unwrap()
    }

    #[test]
    fn frames_are_taken_out_and_lines_keep_their_numbers() {
        let text = "a: 1\nx:\n  -\n    frames: \r\n      - [ 1 ]\n\n      # note\n      - [ 2 ]\n  - frames:\n    # first\n    - [ 3 ]\nb: 2\n\"frames\": [\n  [ 4 ],\n\n  [ 5 ]\n]\n";
        let Layout { skeleton, blocks, cut } = split_text(text);
        assert_eq!(skeleton.text(), "a: 1\nx:\n  -\n    frames: \r\n  - frames:\nb: 2\n\"frames\": [\n]\n");
        for (number, line) in (1..).zip(text.lines()) {
            assert!(skeleton.line(number).is_none_or(|kept| kept == line), "{number}");
        }
        assert_eq!((skeleton.line(9), skeleton.line(17)), (Some("  - frames:"), Some("]")));
        let found: Vec<_> = blocks
            .iter()
            .map(|block| (block.key_line, block.frames, &text[block.bytes.start as usize..block.bytes.end as usize]))
            .collect();
        assert_eq!(
            found,
            [
                (4, 2, "      - [ 1 ]\n\n      # note\n      - [ 2 ]\n"),
                (9, 1, "    # first\n    - [ 3 ]\n"),
                (13, 2, "  [ 4 ],\n\n  [ 5 ]\n"),
            ]
        );
        assert!(cut.is_none());
    }

    #[test]
    fn frames_of_other_kinds_are_unchanged() {
        for text in [
            "frames: [ [ 1 ] ]\n",
            "frames:\n  - 1\n",
            "  frames:\n- [ 1 ]\n",
            "frames:\n\n\n",
            "frames: # c\n  - [ 1 ]\n",
            "frames: [\n]\n",
        ] {
            let layout = split_text(text);
            assert_eq!(layout.skeleton.text(), text);
            assert!(layout.blocks.is_empty());
        }
    }

    #[test]
    fn lines_that_only_a_yaml_parser_counts_are_left_to_it() {
        for text in ["frames:\n# a\rx: 1\n  - [ 1 ]\n", "a: 1\rb: 2\n", "# \u{85}\n"] {
            let origin = Origin::Text(SourceFile::from_text("m.seq", text));
            let stop = split(&mut origin.lines().unwrap(), origin.path()).unwrap_err();
            assert!(matches!(stop, Stop::Unusual), "{text:?}: {stop:?}");
        }
    }

    #[test]
    fn a_truncated_line_is_left_out() {
        let layout = split_text("frames:\n  - [ 1 ]\n  - [ 2");
        assert_eq!((layout.blocks[0].frames, layout.skeleton.text()), (1, "frames:\n"));
        let cut = layout.cut.unwrap().to_string();
        assert!(cut.starts_with("m.seq:3:3: warning[cut-off]"), "{cut}");
    }
}
