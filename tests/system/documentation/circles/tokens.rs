//! Rust text as words and signs, without comments, strings and lifetimes.

/// A word or a sign. Numbers are words, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    Word(&'a str),
    /// `::`
    Colons,
    Sign(char),
}

/// The tokens of a text that compiles.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = string(rest) {
            length
        } else if first == '\'' {
            character(rest)
        } else if is_word(first) {
            let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..length]));
            length
        } else if rest.starts_with("::") {
            tokens.push(Token::Colons);
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Sign(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The length of a block comment; comments may be nested.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of the string at the start of the text: `"…"`, `b"…"`, `c"…"`, `r#"…"#` and their combinations.
fn string(text: &str) -> Option<usize> {
    let prefix = text.find(|letter| !matches!(letter, 'b' | 'c' | 'r'))?;
    let is_raw = text[..prefix].contains('r');
    let hashes = text[prefix..].find(|letter| letter != '#')?;
    let quote = prefix + hashes;
    if prefix > 2 || !text[quote..].starts_with('"') || (hashes > 0 && !is_raw) {
        return None;
    }
    let inside = quote + 1;
    if is_raw {
        let end = format!("\"{}", &text[prefix..quote]);
        return Some(text[inside..].find(&end).map_or(text.len(), |at| inside + at + end.len()));
    }
    let mut is_escaped = false;
    for (at, letter) in text[inside..].char_indices() {
        match letter {
            '"' if !is_escaped => return Some(inside + at + 1),
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    Some(text.len())
}

/// The length of the character or the lifetime.
fn character(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), Some((escaped, _))) => {
            let after = escaped + 1;
            text[after..].find('\'').map_or(text.len(), |at| after + at + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => text[1..].find(|letter| !is_word(letter)).map_or(text.len(), |at| at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    fn words(text: &str) -> Vec<&str> {
        let words = tokens(text).into_iter().filter_map(|token| match token {
            Token::Word(word) => Some(word),
            _ => None,
        });
        words.collect()
    }

    #[test]
    fn comments_and_strings_are_left_out() {
        let text = r####"
            /// use crate::told;
            use /* crate::a /* nested */ crate::b */ real;
            let a = "use crate::quoted; \" \\"; let b = r#"crate::raw " "#; let c = b'"'; let d = '\''; let e = '\u{1F}';
            fn of<'a>(x: &'a str) -> char { '"' }
            r#type; br"crate::bytes";
        "####;
        let expected = [
            "use", "real", "let", "a", "let", "b", "let", "c", "b", "let", "d", "let", "e", "fn", "of", "x", "str",
            "char", "r", "type",
        ];
        assert_eq!(words(text), expected);
    }

    #[test]
    fn paths_are_words_and_colons() {
        use Token::{Colons, Sign, Word};
        let expected = [Word("a"), Colons, Word("b"), Colons, Sign('<'), Word("C"), Sign(':'), Word("d"), Sign('>')];
        assert_eq!(tokens("a::b::<C : d>"), expected);
    }
}
