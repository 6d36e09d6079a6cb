//! Limits the length of messages, independent of the content of a file.

use std::borrow::Cow;

/// Longest quotation, characters: names and keys of real files have about ten.
const LONGEST_QUOTE: usize = 160;
/// Longest message, characters. Covers lists of names, and file content that is not between backquotes.
const LONGEST_MESSAGE: usize = 2000;

/// Cuts long texts between backquotes in their middle, then the message itself if it is still too long.
///
/// The beginning and the end are kept, with `…` between.
pub fn shortened(message: &str) -> Cow<'_, str> {
    if message.len() <= LONGEST_QUOTE {
        return Cow::Borrowed(message);
    }
    let mut shown = String::with_capacity(message.len().min(4 * LONGEST_MESSAGE));
    for (index, part) in message.split('`').enumerate() {
        if index > 0 {
            shown.push('`');
        }
        shown.push_str(&if index % 2 == 1 { cut(part, LONGEST_QUOTE) } else { Cow::Borrowed(part) });
    }
    let whole = cut(&shown, LONGEST_MESSAGE);
    if *whole == *message { Cow::Borrowed(message) } else { Cow::Owned(whole.into_owned()) }
}

/// At most `most` characters: the first three quarters of them and the last quarter.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    // A character has at least one byte, so a text of at most `most` bytes fits.
    if text.len() <= most || text.chars().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let (before, behind) = (most * 3 / 4, most / 4 - 1);
    let start = text.char_indices().nth(before).map_or(text.len(), |(index, _)| index);
    let end = text.char_indices().rev().nth(behind - 1).map_or(0, |(index, _)| index);
    Cow::Owned([text.get(..start).unwrap_or_default(), "…", text.get(end..).unwrap_or_default()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnostic;

    #[test]
    fn an_unknown_key_of_a_megabyte_is_cut_in_the_message() {
        let key = "ä".repeat(1 << 20);
        let diagnostic = Diagnostic::warning("unknown-key", format!("unknown key `{key}z` in Link `ARM`"))
            .help(format!("did you mean `{key}`?"));
        assert_eq!(diagnostic.message, format!("unknown key `{}…{}z` in Link `ARM`", "ä".repeat(120), "ä".repeat(38)));
        assert!(diagnostic.help.is_some_and(|help| help.len() < 400));
    }

    #[test]
    fn texts_without_quotes_or_with_nested_quotes_are_cut() {
        for text in
            ["x".repeat(1 << 20), format!("a`{}", "x".repeat(1 << 20)), "`".repeat(1 << 20), "`x".repeat(1 << 20)]
        {
            let cut = shortened(&text).into_owned();
            assert!(cut.chars().count() <= LONGEST_MESSAGE, "{}", cut.len());
        }
    }

    #[test]
    fn messages_of_usual_length_are_unchanged() {
        let list = (0..100).map(|index| format!("`JOINT_{index}`")).collect::<Vec<_>>().join(", ");
        for text in ["", "`a`", &"x".repeat(LONGEST_MESSAGE), &format!("`{}`", "é".repeat(LONGEST_QUOTE)), &list] {
            assert_eq!(shortened(text), *text);
        }
    }
}
