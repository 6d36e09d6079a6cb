//! Keys whose value is one of several words.

use bunraku_document::{Result, Value, closest};

/// The meaning of the word at `value`, one of `known`; `what` is what it names ("a frame").
pub(super) fn read_word<T: Copy>(value: Value<'_>, what: &str, words: &[(&str, T)]) -> Result<T> {
    let word = value.text().unwrap_or_default();
    if let Some((_, meaning)) = words.iter().find(|(known, _)| *known == word) {
        return Ok(*meaning);
    }
    let known = words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(" or ");
    let diagnostic = value.expected(&format!("{what}: {known}"));
    Err(Box::new(match closest(word, words.iter().map(|(word, _)| *word)) {
        Some(meant) if !word.is_empty() => diagnostic.help(format!("did you mean `{meant}`?")),
        _ => diagnostic,
    }))
}
