//! Tokens of expressions.

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(i64),
    Float(f64),
    Text(String),
    Name(String),
    Symbol(&'static str),
}

/// Operators and brackets; longer ones first.
const SYMBOLS: [&str; 24] = [
    "**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", ",", ".", "=", ":", "{",
    "}", "|",
];

/// Splits an expression into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '\'' | '"' => quoted(rest, first)?,
            _ if is_number(rest) => number(rest)?,
            _ if first.is_alphabetic() || first == '_' => {
                let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
                (Token::Name(rest[..end].to_owned()), end)
            }
            _ => match SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
                Some(symbol) => (Token::Symbol(symbol), symbol.len()),
                None => return Err(format!("`{first}` is not expected here")),
            },
        };
        found.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

fn is_number(text: &str) -> bool {
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let mut letters = text.chars();
    match letters.next() {
        Some('.') => is_digit(letters.next()),
        first => is_digit(first),
    }
}

fn quoted(text: &str, quote: char) -> Result<(Token, usize), String> {
    let mut content = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => content.extend(letters.next().map(|(_, letter)| letter)),
            _ if letter == quote => return Ok((Token::Text(content), at + 1)),
            _ => content.push(letter),
        }
    }
    Err(format!("a closing {quote} is missing"))
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len())
    };
    let mut end = digits(0);
    let mut is_integer = true;
    if text.get(end..).is_some_and(|rest| rest.starts_with('.')) {
        (end, is_integer) = (digits(end + 1), false);
    }
    if text.get(end..).is_some_and(|rest| rest.starts_with(['e', 'E'])) {
        let sign = text.get(end + 1..).is_some_and(|rest| rest.starts_with(['+', '-']));
        let exponent = end + 1 + usize::from(sign);
        if digits(exponent) > exponent {
            (end, is_integer) = (digits(exponent), false);
        }
    }
    let literal = text.get(..end).unwrap_or_default();
    let integer = literal.parse().ok().filter(|_| is_integer).map(Token::Int);
    let token = integer.or_else(|| literal.parse().ok().map(Token::Float));
    token.map(|token| (token, end)).ok_or_else(|| format!("`{literal}` is not a number"))
}
