use libyaml_safer::{Encoding, Event, EventData, Parser, ScalarStyle};

use super::input::Input;

/// A text up to the last line of its value, without the comments and blank lines after it; `None` if the text is not
/// YAML. Unlike the span of a block list or mapping, which ends where the next content begins, this is exact: lines that
/// look like comments can be part of a text in `|` or quotes.
///
/// The text is scanned without building a tree.
pub fn up_to_end_of_value(text: &str) -> Option<&str> {
    let input = Input::new(text);
    let mut parser = Parser::new();
    parser.set_encoding(Encoding::Utf8);
    parser.set_input(input.bytes());
    let mut last = None;
    loop {
        let event = parser.parse().ok()?;
        match event.data {
            EventData::DocumentEnd { .. } | EventData::StreamEnd => break,
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => {}
            // A block list or mapping ends where the next content begins.
            EventData::SequenceEnd | EventData::MappingEnd if event.start_mark.index == event.end_mark.index => {}
            _ => last = Some(event),
        }
    }
    let last = last?;
    let lines = usize::try_from(last.end_mark.line).ok()?.saturating_add(usize::from(last.end_mark.column > 0));
    let end = text.split_inclusive('\n').take(lines).map(str::len).sum();
    let value = text.get(..end)?;
    Some(if ends_before_blank_lines(&last) { without_blank_lines(value) } else { value })
}

/// Whether the last scalar is in block style, where blank lines may follow that are not part of its text.
fn ends_before_blank_lines(last: &Event) -> bool {
    let EventData::Scalar { value, style: ScalarStyle::Literal | ScalarStyle::Folded, .. } = &last.data else {
        return false;
    };
    let last_line = value.strip_suffix('\n').unwrap_or(value);
    last_line.ends_with(|letter: char| !letter.is_whitespace())
}

fn without_blank_lines(text: &str) -> &str {
    let said = text.trim_end().len();
    let line_end = text.get(said..).and_then(|blank| blank.find('\n')).map_or(text.len(), |length| said + length + 1);
    text.get(..line_end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_after_the_value_are_left_out() {
        for value in [
            "a: 1\n",
            "a: 1 # one\n",
            "a:\n  b: 1\n",
            "a:\n  -\n",
            "a:\n",
            "a: [ 1,\n# two\n  2 ]\n",
            "a: |\n  text\n",
            "a: >-\n  text\n\n  more\n",
            "- a\n-\n",
            "腕: |\n  右\n",
            "a",
        ] {
            let line_end = if value.ends_with('\n') { "" } else { "\n" };
            for after in ["", "\n", "# end\n", "\n\n# a\n# b\n\n", "  \n#", "  "] {
                let value = format!("{value}{line_end}");
                assert_eq!(up_to_end_of_value(&format!("{value}{after}")), Some(value.as_str()), "{after:?}");
            }
        }
        assert_eq!(up_to_end_of_value("a: 1"), Some("a: 1"));
    }

    #[test]
    fn lines_of_a_value_that_look_like_comments_are_part_of_it() {
        for value in [
            "a: |\n  # b\n",
            "a:\n  - |\n    b\n    # c\n",
            "a: |+\n  b\n\n\n",
            "a: |+\n\n\n",
            "a: |1\n   \n",
            "a: |\n  b  \n",
            "a: \"b\n# c\"\n",
            "- 'a\n\n # b'\n",
        ] {
            assert_eq!(up_to_end_of_value(value), Some(value));
            assert_eq!(up_to_end_of_value(&format!("{value}# end\n")), Some(value));
        }
    }

    #[test]
    fn texts_without_a_value_have_no_end() {
        for text in ["", "# a\n", "a: [", "a: \"b\n", "\u{1}"] {
            assert_eq!(up_to_end_of_value(text), None, "{text:?}");
        }
    }
}
