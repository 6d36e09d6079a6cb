use std::ops::Range;

use super::{BinaryOperator, ExpressionError};

/// Token of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    Operator(BinaryOperator),
    Not,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    Comma,
}

impl Token {
    /// Text of the token.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Number(number) => format!("the number {number}"),
            Self::Name(name) => format!("`{name}`"),
            Self::Operator(operator) => format!("`{}`", operator.as_str()),
            Self::Not => "`!`".to_owned(),
            Self::OpenParenthesis => "`(`".to_owned(),
            Self::CloseParenthesis => "`)`".to_owned(),
            Self::OpenBracket => "`[`".to_owned(),
            Self::CloseBracket => "`]`".to_owned(),
            Self::Comma => "`,`".to_owned(),
        }
    }
}

/// A token and the range of its characters.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) token: Token,
    pub(super) letters: Range<usize>,
}

/// Maximum number of tokens, above that of any real expression, so that hostile ones are refused early.
const MOST_TOKENS: usize = 20_000;

/// Splits an expression into tokens. A single `|` is white space: the original writes it for a line feed.
pub(super) fn split(text: &str) -> Result<Vec<Located>, ExpressionError> {
    let letters: Vec<char> = text.chars().collect();
    let at = |index: usize| letters.get(index).copied();
    let mut tokens = Vec::new();
    let mut index = 0;
    while let Some(letter) = at(index) {
        let start = index;
        let token = match letter {
            '|' if at(index + 1) == Some('|') => two(&mut index, BinaryOperator::Or),
            '|' => {
                index += 1;
                continue;
            }
            letter if letter.is_whitespace() => {
                index += 1;
                continue;
            }
            '0'..='9' => number(&letters, &mut index)?,
            '.' if at(index + 1).is_some_and(|next| next.is_ascii_digit()) => number(&letters, &mut index)?,
            letter if begins_name(letter) => {
                while at(index).is_some_and(|letter| begins_name(letter) || letter.is_numeric()) {
                    index += 1;
                }
                name(letters.iter().take(index).skip(start).collect(), at(index) == Some('('))
            }
            '&' if at(index + 1) == Some('&') => two(&mut index, BinaryOperator::And),
            '=' if at(index + 1) == Some('=') => two(&mut index, BinaryOperator::Equal),
            '!' if at(index + 1) == Some('=') => two(&mut index, BinaryOperator::NotEqual),
            '<' if at(index + 1) == Some('=') => two(&mut index, BinaryOperator::LessOrEqual),
            '>' if at(index + 1) == Some('=') => two(&mut index, BinaryOperator::GreaterOrEqual),
            _ => {
                index += 1;
                single(letter).ok_or_else(|| unexpected(letter, start))?
            }
        };
        tokens.push(Located { token, letters: start..index });
        if tokens.len() > MOST_TOKENS {
            let error = ExpressionError::new("expression-too-long", "the expression is too long", &(start..index));
            return Err(error.help(format!("{MOST_TOKENS} names, numbers and signs are the limit")));
        }
    }
    Ok(tokens)
}

fn two(index: &mut usize, operator: BinaryOperator) -> Token {
    *index += 2;
    Token::Operator(operator)
}

fn single(letter: char) -> Option<Token> {
    Some(match letter {
        '<' => Token::Operator(BinaryOperator::Less),
        '>' => Token::Operator(BinaryOperator::Greater),
        '+' => Token::Operator(BinaryOperator::Add),
        '-' => Token::Operator(BinaryOperator::Subtract),
        '*' => Token::Operator(BinaryOperator::Multiply),
        '/' => Token::Operator(BinaryOperator::Divide),
        '!' => Token::Not,
        '(' => Token::OpenParenthesis,
        ')' => Token::CloseParenthesis,
        '[' => Token::OpenBracket,
        ']' => Token::CloseBracket,
        ',' => Token::Comma,
        _ => return None,
    })
}

fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '_' | '.')
}

/// A name, or a word for a number that is not finite.
fn name(name: String, is_call: bool) -> Token {
    match number_of_word(&name).filter(|_| !is_call) {
        Some(number) => Token::Number(number),
        None => Token::Name(name),
    }
}

/// Value of a word for a number, in any case: `inf`, `infinity`, `nan`. It hides a model or a parameter of that name.
pub fn number_of_word(word: &str) -> Option<f64> {
    match word.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => Some(f64::INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    }
}

/// Digits with an optional decimal point and exponent.
fn number(letters: &[char], index: &mut usize) -> Result<Token, ExpressionError> {
    let start = *index;
    let is_digit = |index: usize| letters.get(index).is_some_and(char::is_ascii_digit);
    let is = |index: usize, wanted: &[char]| letters.get(index).is_some_and(|letter| wanted.contains(letter));
    while is_digit(*index) {
        *index += 1;
    }
    if is(*index, &['.']) {
        *index += 1;
        while is_digit(*index) {
            *index += 1;
        }
    }
    if is(*index, &['e', 'E']) {
        let digits = *index + 1 + usize::from(is(*index + 1, &['+', '-']));
        if is_digit(digits) {
            *index = digits;
            while is_digit(*index) {
                *index += 1;
            }
        }
    }
    let text: String = letters.iter().take(*index).skip(start).collect();
    text.parse().map(Token::Number).map_err(|_| {
        ExpressionError::new("not-a-number", format!("`{text}` is not a number"), &(start..*index))
            .help("a number is written like `1.5` or `2e-3`")
    })
}

fn unexpected(letter: char, index: usize) -> ExpressionError {
    let help = match letter {
        '=' => "to compare, write `==`",
        '&' => "for `and`, write `&&`",
        '%' | '^' => "there are only `+`, `-`, `*` and `/`",
        '"' | '\'' => "there are no texts in expressions",
        '{' | '}' => "vectors are in brackets: `[0, 0, 0]`",
        _ => "remove it",
    };
    ExpressionError::new("bad-letter", format!("`{letter}` has no meaning in an expression"), &(index..index + 1))
        .help(help)
}
