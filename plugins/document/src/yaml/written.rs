//! Texts as they are written in YAML.

/// A text, in quotes if it would otherwise be read as another type: number, boolean or null.
pub fn text(text: &str) -> String {
    const WORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", ".nan", ".inf"];
    let is_number = text.trim_start_matches(['+', '-', '.']).starts_with(|first: char| first.is_ascii_digit());
    if is_number || WORDS.contains(&text.to_lowercase().as_str()) { quoted(text) } else { as_written(text) }
}

/// A text, in quotes only if it could not be read back otherwise: a number stays a number.
pub fn as_written(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    /// Empty text and words with a special meaning for some reader.
    const SPECIAL: &[&str] = &["", "~", "null", "Null", "NULL", "<<", "=", "-"];
    let begins_badly = |text: &str| {
        text.starts_with(|first: char| "!&*|>%@`?\"'".contains(first) || first.is_whitespace())
            || (text.starts_with('-') && !text[1..].starts_with(|next: char| next.is_alphanumeric() || next == '.'))
            || text.starts_with("...")
    };
    let harmless = |letter: char| {
        !letter.is_control() && !",[]{}:#".contains(letter) && !('\u{7f}'..='\u{a0}').contains(&letter) && {
            // Line and paragraph separators, the byte order mark, and noncharacters.
            !matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        }
    };
    !SPECIAL.contains(&text)
        && !begins_badly(text)
        && !text.ends_with(char::is_whitespace)
        && text.chars().all(harmless)
}

/// A text in double quotes, which JSON reads, too.
pub fn quoted(text: &str) -> String {
    use std::fmt::Write;
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ if letter.is_control()
                || ('\u{7f}'..='\u{a0}').contains(&letter)
                || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                // Writing to a `String` cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_where_they_would_change_their_type() {
        for plain in ["ARM", "joint_1", "-Y", "a b", "naïve", "手", "x.stl", "../a/b.png", "a'b", "a\"b", "a&b"] {
            assert_eq!(text(plain), plain);
        }
        for (word, expected) in [
            ("", "\"\""),
            ("yes", "\"yes\""),
            ("Off", "\"Off\""),
            ("1.0", "\"1.0\""),
            ("-3", "\"-3\""),
            ("a: b", "\"a: b\""),
            ("#", "\"#\""),
            ("- a", "\"- a\""),
            ("--- a", "\"--- a\""),
            ("a\nb", "\"a\\nb\""),
            ("\"", "\"\\\"\""),
            (" a", "\" a\""),
            ("a\\ ", "\"a\\\\ \""),
            ("null", "\"null\""),
            ("\u{2028}", "\"\\u2028\""),
        ] {
            assert_eq!(text(word), expected);
        }
        assert_eq!((as_written("1.0"), as_written("yes")), ("1.0".to_owned(), "yes".to_owned()));
    }
}
