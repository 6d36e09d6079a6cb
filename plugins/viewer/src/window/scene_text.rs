//! Changes of the text of a scene, by the spans of its values, so that comments and layout stay.

use bunraku_document::Value;

/// Changes of a text: from byte, to byte, and what stands there instead.
pub(super) type Edits = Vec<(usize, usize, String)>;

/// The text of a file by bytes.
pub(super) struct Text<'a>(pub(super) &'a str);

impl Text<'_> {
    /// The text after changes; `None` if they overlap.
    pub(super) fn changed(&self, mut edits: Edits) -> Option<String> {
        edits.sort_by_key(|(from, to, _)| (*from, *to));
        let (mut changed, mut at) = (String::new(), 0);
        for (from, to, new) in edits {
            changed.push_str(self.0.get(at..from)?);
            changed.push_str(&new);
            at = to;
        }
        changed.push_str(&self.0[at..]);
        Some(changed)
    }

    /// Byte of a position.
    fn byte(&self, line: u32, column: u32) -> Option<usize> {
        let start = self.line_start(line)?;
        let rest = &self.0[start..];
        let characters = rest.char_indices().map(|(byte, _)| byte).chain([rest.len()]);
        Some(start + characters.into_iter().nth(column.checked_sub(1)? as usize)?)
    }

    /// Byte of the start of a line, or the end of the text for the line after the last.
    fn line_start(&self, line: u32) -> Option<usize> {
        let breaks = self.0.match_indices('\n').map(|(byte, _)| byte + 1);
        [0].into_iter().chain(breaks).chain([self.0.len()]).nth(line.checked_sub(1)? as usize)
    }

    fn bytes(&self, value: Value<'_>) -> Option<(usize, usize)> {
        let span = value.span();
        Some((self.byte(span.start.line, span.start.column)?, self.byte(span.end.line, span.end.column)?))
    }

    /// Whether a value is in the text of another; one that is merged in from elsewhere is not.
    pub(super) fn is_within(&self, inner: Value<'_>, outer: Value<'_>) -> bool {
        let (inner, outer) = (self.bytes(inner), self.bytes(outer));
        inner.zip(outer).is_some_and(|(inner, outer)| outer.0 <= inner.0 && inner.1 <= outer.1)
    }

    /// The bytes of a value in brackets or braces.
    pub(super) fn flow(&self, value: Value<'_>) -> Option<(usize, usize)> {
        let (from, to) = self.bytes(value)?;
        let text = self.0.get(from..to)?;
        let is_flow = (text.starts_with('[') && text.ends_with(']')) || (text.starts_with('{') && text.ends_with('}'));
        is_flow.then_some((from, to))
    }

    /// The change that adds keys to a mapping: at the end of one in braces, in lines of their own after the first key of
    /// another.
    pub(super) fn insertion(&self, item: Value<'_>, keys: &[String]) -> Option<(usize, usize, String)> {
        if let Some((_, end)) = self.flow(item) {
            let inner = self.0[..end - 1].trim_end();
            let comma = if inner.ends_with([',', '{']) { " " } else { ", " };
            return Some((inner.len(), inner.len(), format!("{comma}{}", keys.join(", "))));
        }
        let (_, key, value) =
            item.entries()?.find(|(_, _, value)| value.text().is_some() && self.is_within(*value, item))?;
        let end = self.line_start(value.span().end.line + 1)?;
        let indent = " ".repeat(key.start.column as usize - 1);
        let begin = if self.0[..end].ends_with('\n') { "" } else { "\n" };
        let lines: String = keys.iter().map(|key| format!("{indent}{key}\n")).collect();
        Some((end, end, format!("{begin}{lines}")))
    }

    /// Column of the dash of an item, and the byte after its last line; `None` in a list in brackets.
    pub(super) fn dash_and_end(&self, item: Value<'_>) -> Option<(usize, usize)> {
        let (from, to) = self.bytes(item)?;
        let line = self.0[..from].rfind('\n').map_or(0, |at| at + 1);
        let before = &self.0[line..from];
        let dash = before
            .find('-')
            .filter(|dash| before[..*dash].trim().is_empty() && before[dash + 1..].trim().is_empty())?;
        // The end of a mapping in lines is where the next token begins.
        let last = self.0[..to].trim_end().len().max(from);
        let end = self.0[last..].find('\n').map_or(self.0.len(), |at| last + at + 1);
        Some((dash, end))
    }

    /// The change that removes the lines of an item.
    pub(super) fn lines_of(&self, item: Value<'_>) -> Option<(usize, usize, String)> {
        let (_, end) = self.dash_and_end(item)?;
        let from = self.line_start(item.span().start.line)?;
        Some((from, end, String::new()))
    }
}
