//! XML texts: the check of their parsing cost, before they are parsed, and their special characters.

use std::sync::Arc;

use crate::{Diagnostic, Result, SourceFile, Span};

/// Most attributes of one element: elements of robots and meshes have about ten.
const MOST_ATTRIBUTES: usize = 1000;

/// Refuses XML with an element that has more than 1000 attributes: `roxmltree` compares each with all others of its
/// element.
///
/// # Errors
/// `limit-attributes`, at the element.
pub fn refuse_crowded_elements(source: &Arc<SourceFile>) -> Result<()> {
    let text = source.text();
    let Some(offset) = crowded_element(text.as_bytes()) else { return Ok(()) };
    let before = text.get(..offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1);
    let line = number(before.bytes().filter(|&byte| byte == b'\n').count());
    let column = number(before.get(start..).map_or(0, |line| line.chars().count()));
    let message = format!("this element has more than {MOST_ATTRIBUTES} attributes");
    let diagnostic = Diagnostic::error("limit-attributes", message).at(source, Span::at(line, column));
    Err(Box::new(diagnostic.help("real files have far fewer: is this the right file?")))
}

/// A text without characters that have a meaning in XML. Those that XML does not allow become `_`.
pub fn escaped_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push_str(&format!("&#{};", u32::from(letter))),
            letter if is_xml_character(letter) => escaped.push(letter),
            _ => escaped.push('_'),
        }
    }
    escaped
}

/// Whether XML can express a character.
pub fn is_xml_character(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r') || !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}')
}

/// Byte offset of the first element with too many attributes. Invalid XML is left to the parser.
fn crowded_element(text: &[u8]) -> Option<usize> {
    let mut place = 0;
    while let Some(start) = find(text, place, b"<") {
        place = match text.get(start + 1..).unwrap_or_default() {
            [b'!', b'-', b'-', ..] => find(text, start, b"-->")?,
            [b'!', b'[', ..] => find(text, start, b"]]>")?,
            [b'?', ..] => find(text, start, b"?>")?,
            _ => {
                let (mut at, mut attributes) = (start + 1, 0);
                loop {
                    match *text.get(at)? {
                        b'>' => break at,
                        quote @ (b'"' | b'\'') => at = find(text, at + 1, &[quote])?,
                        b'=' => attributes += 1,
                        _ => {}
                    }
                    if attributes > MOST_ATTRIBUTES {
                        return Some(start);
                    }
                    at += 1;
                }
            }
        };
    }
    None
}

/// Next byte offset of `wanted`.
fn find(text: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    let found = text.get(from..)?.windows(wanted.len()).position(|window| window == wanted)?;
    Some(from + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(attributes: usize) -> String {
        let list: String = (0..attributes).map(|index| format!(" a{index}=\"=1>\"")).collect();
        format!("<!-- < ' -->\n  <?x < ?><![CDATA[ < ]]>é<link{list}/>")
    }

    #[test]
    fn an_element_with_twenty_thousand_attributes_is_refused() {
        let source = SourceFile::from_text("attributes.urdf", element(20_000));
        let error = refuse_crowded_elements(&source).unwrap_err();
        assert_eq!(
            error.to_string().split(" (").next(),
            Some("attributes.urdf:2:27: error[limit-attributes]: this element has more than 1000 attributes")
        );
    }

    #[test]
    fn many_elements_and_truncated_texts_are_not_refused() {
        for text in
            [element(1000), element(900).repeat(3), "<a b='".into(), "<a ".into(), "<!--".into(), "= < =".into()]
        {
            assert!(refuse_crowded_elements(&SourceFile::from_text("a.urdf", text)).is_ok());
        }
    }
}
