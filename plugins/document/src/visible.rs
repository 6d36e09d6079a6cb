//! Text that a terminal shows as it is.

use std::borrow::Cow;

/// The text with codes such as `\\u{1b}` for what a terminal would obey or hide: control characters and those that turn the
/// direction of writing.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_invisible(letter) { shown.extend(letter.escape_default()) } else { shown.push(letter) }
    }
    Cow::Owned(shown)
}

/// Whether a terminal would not show this letter but do something about it.
pub fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
