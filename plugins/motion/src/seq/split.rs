//! A `.seq` text taken apart: the little that is structure, and the blocks of frames that are nearly all of it.

use std::ops::Range;

/// The lines below one `frames:`.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    /// Line of the key `frames`, from 1.
    pub(super) key_line: u32,
    /// Bytes of the lines below it.
    pub(super) text: Range<usize>,
}

/// The text with the lines of all blocks emptied, so that the rest keeps its lines and columns, and the blocks.
///
/// This only guesses by the look of lines; whoever parses the rest must check that each block is really the
/// value of the key `frames` on its line, and that this key has no other value left.
pub(super) fn split(text: &str) -> (String, Vec<Block>) {
    let mut skeleton = String::new();
    let mut blocks = Vec::new();
    let mut lines = Lines { text, position: 0, number: 0 };
    let mut kept = 0;
    while let Some(line) = lines.next() {
        let Some(key_indent) = frames_key(line) else { continue };
        let key_line = lines.number;
        let start = lines.position;
        let first =
            lines.clone().find(|line| !is_blank(line)).and_then(frame_indent).filter(|&indent| indent >= key_indent);
        let Some(indent) = first else { continue };
        skeleton.push_str(&text[kept..start]);
        loop {
            let mut ahead = lines.clone();
            match ahead.next() {
                Some(line) if frame_indent(line) == Some(indent) || is_blank(line) => lines = ahead,
                _ => break,
            }
            skeleton.push('\n');
        }
        kept = lines.position;
        blocks.push(Block { key_line, text: start..kept });
    }
    skeleton.push_str(&text[kept..]);
    (skeleton, blocks)
}

/// Lines with their line feed, counted from 1.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    text: &'a str,
    position: usize,
    number: u32,
}

impl<'a> Lines<'a> {
    /// The lines of a part of a text; `line_before` is the number of the line before it.
    pub(super) fn new(text: &'a str, part: Range<usize>, line_before: u32) -> Self {
        Self { text: &text[..part.end], position: part.start, number: line_before }
    }

    /// Number of the line given last.
    pub(super) fn number(&self) -> u32 {
        self.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.position..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        self.position += length;
        self.number = self.number.saturating_add(1);
        Some(&rest[..length])
    }
}

/// The column of a key `frames` that has nothing behind it on its line.
fn frames_key(line: &str) -> Option<usize> {
    let value = line.trim_end_matches(['\n', '\r', ' ']).strip_suffix("frames:")?;
    value.bytes().all(|byte| matches!(byte, b' ' | b'-')).then_some(value.len())
}

/// The column of a list item that begins like a frame.
fn frame_indent(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let indent = bytes.iter().position(|&byte| byte != b' ')?;
    let item = bytes[indent..].strip_prefix(b"- ")?;
    let first = item.iter().find(|&&byte| byte != b' ')?;
    (*first == b'[').then_some(indent)
}

/// Whether a line is empty or a comment.
pub(super) fn is_blank(line: &str) -> bool {
    let text = line.trim_matches([' ', '\n', '\r']);
    // YAML 1.1 knows more line ends, behind which the comment is over.
    text.is_empty() || text.starts_with('#') && !text.contains(['\r', '\u{85}', '\u{2028}', '\u{2029}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_taken_out_and_lines_stay() {
        let text = "a: 1\nx:\n  -\n    frames: \r\n      - [ 1 ]\n\n      # note\n      - [ 2 ]\n  - frames:\n    # first\n    - [ 3 ]\nb: 2";
        let (skeleton, blocks) = split(text);
        assert_eq!(skeleton, "a: 1\nx:\n  -\n    frames: \r\n\n\n\n\n  - frames:\n\n\nb: 2");
        let found: Vec<_> = blocks.iter().map(|block| (block.key_line, &text[block.text.clone()])).collect();
        assert_eq!(found, [(4, "      - [ 1 ]\n\n      # note\n      - [ 2 ]\n"), (9, "    # first\n    - [ 3 ]\n")]);
    }

    #[test]
    fn other_shapes_stay_where_they_are() {
        for text in [
            "frames: [ [ 1 ] ]\n",
            "frames:\n  - 1\n",
            "  frames:\n- [ 1 ]\n",
            "frames:\n",
            "frames: # c\n  - [ 1 ]\n",
            "frames:\n# a\rx: 1\n  - [ 1 ]\n",
        ] {
            let (skeleton, blocks) = split(text);
            assert_eq!(skeleton, text);
            assert!(blocks.is_empty());
        }
    }
}
