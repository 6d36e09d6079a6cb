//! Splitting of lines into words.

/// The first word and the rest of the text.
pub(super) fn next_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    let end = text.find(|letter: char| letter.is_ascii_whitespace()).unwrap_or(text.len());
    text.split_at(end)
}

/// A word, shortened for messages.
pub(super) fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}
