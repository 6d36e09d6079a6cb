//! Texts with `${…}` and `$(…)`.

/// A part of a text.
#[derive(Debug, PartialEq)]
pub(super) enum Segment<'t> {
    Text(&'t str),
    /// `${…}`
    Expression(&'t str),
    /// `$(…)`
    Command(&'t str),
}

/// The parts of a text. `$${` and `$$(` stand for `${` and `$(`.
pub(super) fn segments(text: &str) -> Result<Vec<Segment<'_>>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        let dollars = from.len() - from.trim_start_matches('$').len();
        let behind = &from[dollars..];
        let ends = behind.chars().next().and_then(|bracket| match bracket {
            '{' => Some('}'),
            '(' => Some(')'),
            _ => None,
        });
        let plain = |length: usize| Segment::Text(&from[..length]);
        if !before.is_empty() {
            found.push(Segment::Text(before));
        }
        match ends {
            None => {
                found.push(plain(dollars));
                rest = behind;
            }
            Some(_) if dollars > 1 => {
                found.push(Segment::Text(&from[1..=dollars]));
                rest = &from[dollars + 1..];
            }
            Some(end) => {
                let inner = &behind[1..];
                let length = closing(inner, end).ok_or_else(|| format!("the closing `{end}` is missing"))?;
                let content = &inner[..length];
                found.push(if end == '}' { Segment::Expression(content) } else { Segment::Command(content) });
                rest = &inner[length + 1..];
            }
        }
    }
    if !rest.is_empty() {
        found.push(Segment::Text(rest));
    }
    Ok(found)
}

/// Offset of the closing bracket: the first one outside quotes and inner brackets of its kind.
fn closing(text: &str, end: char) -> Option<usize> {
    let begin = if end == '}' { '{' } else { '(' };
    let (mut depth, mut quote) = (0_usize, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            // An apostrophe in a command is not a quote unless it is closed.
            (None, '\'' | '"') if text[at + 1..].contains(letter) => quote = Some(letter),
            (None, _) if letter == begin => depth += 1,
            (None, _) if letter == end && depth == 0 => return Some(at),
            (None, _) if letter == end => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Segment::{Command, Expression, Text};
    use super::*;

    #[test]
    fn texts_are_split() {
        let split = |text| segments(text).unwrap();
        assert_eq!(
            split("a ${b + '}'} $(arg c)d"),
            [Text("a "), Expression("b + '}'"), Text(" "), Command("arg c"), Text("d")]
        );
        assert_eq!(split("$5 $${x} $"), [Text("$"), Text("5 "), Text("${"), Text("x} "), Text("$")]);
        assert_eq!(split("$(eval f(1) + (2))"), [Command("eval f(1) + (2)")]);
        assert_eq!(split(""), []);
        assert!(segments("${a").is_err() && segments("$(find").is_err());
    }
}
