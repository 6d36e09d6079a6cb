//! Recognition of the lines of a motion.

use super::stop::{Step, Stop};

/// Notation of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `- [ 1, 2 ]`.
    Block,
    /// `[ 1, 2 ],` within the brackets of a list, as in JSON.
    Flow,
}

/// A line that ends with a key `frames`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FramesKey {
    pub(super) style: Style,
    /// Number of blanks (and dashes) before the key; items of a block list must not be indented less.
    pub(super) column: usize,
}

/// The key `frames` without a value on its line, or with the opening bracket of a list.
pub(super) fn frames_key(line: &[u8]) -> Option<FramesKey> {
    let line = trim_end(line);
    if let Some(before) = line.strip_suffix(b"[") {
        let key = trim_end(before).strip_suffix(b":")?;
        let is_key = [&b"\"frames\""[..], b"'frames'", b"frames"].iter().any(|name| key.ends_with(name));
        return is_key.then_some(FramesKey { style: Style::Flow, column: 0 });
    }
    let before = line.strip_suffix(b"frames:")?;
    let is_alone = before.iter().all(|byte| matches!(byte, b' ' | b'-'));
    is_alone.then_some(FramesKey { style: Style::Block, column: before.len() })
}

fn trim_end(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\r' | b'\n'] = line {
        line = rest;
    }
    line
}

/// Column of the frame in a line that begins like one.
pub(super) fn frame_column(line: &[u8], style: Style) -> Option<usize> {
    let column = line.iter().position(|&byte| byte != b' ')?;
    let rest = line.get(column..)?;
    let list = match style {
        Style::Flow => rest,
        Style::Block => {
            let item = rest.strip_prefix(b"- ")?;
            item.get(item.iter().position(|&byte| byte != b' ')?..)?
        }
    };
    (list.first() == Some(&b'[')).then_some(column)
}

/// Whether a line is empty or a comment.
pub(super) fn is_blank(line: &[u8]) -> Step<bool> {
    let blanks = line.iter().position(|&byte| byte != b' ').unwrap_or(line.len());
    match line.get(blanks..).unwrap_or_default() {
        [] | [b'\n'] | [b'\r', b'\n'] => Ok(true),
        [b'#', comment @ ..] => is_comment(comment),
        _ => Ok(false),
    }
}

/// Whether the text after a `#`, up to the end of the line, is only a comment.
///
/// YAML 1.1 has further line ends, after which the comment ends, and forbids control characters even in comments.
pub(super) fn is_comment(text: &[u8]) -> Step<bool> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if text.iter().all(|&byte| matches!(byte, b'\t' | b' '..=b'~')) {
        return Ok(true);
    }
    let text = std::str::from_utf8(text).map_err(|_| Stop::Foreign)?;
    let is_other = |letter: char| {
        (letter.is_control() && letter != '\t')
            || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    Ok(!text.contains(is_other))
}

/// Whether a line of YAML begins with letters that have a meaning at the start of a line only, so that it cannot be
/// written in another column: the mark of a document, or a byte order mark, which YAML passes over there.
pub(super) fn begins_with_mark(line: &str) -> bool {
    ["---", "...", "\u{feff}"].iter().any(|mark| line.starts_with(mark))
}

/// Whether a line is the beginning of a frame that is truncated at the end of the file.
pub(super) fn is_cut(line: &[u8]) -> bool {
    if line.ends_with(b"\n") {
        return false;
    }
    let blanks = line.iter().position(|&byte| byte != b' ').unwrap_or(line.len());
    let Some([b'-', item @ ..]) = line.get(blanks..) else { return false };
    let Some(first) = item.iter().position(|&byte| byte != b' ') else { return true };
    if first == 0 || item.get(first) != Some(&b'[') {
        return false;
    }
    let mut open = 0_usize;
    for byte in item {
        match byte {
            b'[' => open += 1,
            b']' if open == 0 => return false,
            b']' => open -= 1,
            b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E' | b',' | b' ' | b'\t' => {}
            _ => return false,
        }
    }
    open > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_frames() {
        let key = |text: &str| frames_key(text.as_bytes()).map(|key| (key.style, key.column));
        assert_eq!(key("  frames: \r\n"), Some((Style::Block, 2)));
        assert_eq!(key("  - frames:"), Some((Style::Block, 4)));
        for text in ["  \"frames\": [\n", "frames: [", "{ 'frames' : [", "{ a: 1, frames:["] {
            // A blank before the colon is valid YAML, but unusual.
            assert_eq!(key(text).is_some(), !text.contains(" :"), "{text}");
        }
        for text in ["frames: # c\n", "frames: [ 1 ]\n", "xframes:\n", "frames\n", "frames: [ [\n", "[\n", ""] {
            assert_eq!(key(text), None, "{text}");
        }
    }

    #[test]
    fn truncated_lines() {
        for text in ["  -", "- ", "- [", "    - [ 1, 2", "- [ 0.5, [ 1, 2 ]", "- [ [ -1.5e-", "- [ 1,"] {
            assert!(is_cut(text.as_bytes()), "{text}");
            assert!(!is_cut(format!("{text}\n").as_bytes()), "{text}");
        }
        for text in ["", "  ", "-1", "---", "- a", "- [ 1 ]", "- [ x", "- [ 1 ] ]", "-[ 1", "[ 1", "a: [ 1", "- { a: ["]
        {
            assert!(!is_cut(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn blank_lines() {
        for text in ["", "\n", "  \r\n", " # 腕\n", "#\ta"] {
            assert!(is_blank(text.as_bytes()).unwrap(), "{text:?}");
        }
        for text in ["a", "# a\rb\n", "# a\u{85}b", "# \u{2028}", "# \u{1}\n", "\t\n", "# \u{feff}"] {
            assert!(!is_blank(text.as_bytes()).unwrap(), "{text:?}");
        }
        assert!(matches!(is_blank(b"# \x98\x72"), Err(Stop::Foreign)));
    }
}
