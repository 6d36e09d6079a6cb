//! Input for libyaml-safer's scanner. It panics on valid YAML when it reads past the last character or after a tag.
//! Both bugs are worked around here without moving a character.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufReader, Chain, Read};
use std::ops::Range;

use libyaml_safer::{Encoding, Event, EventData, ScalarStyle, Scanner, TokenData};

/// Read-ahead of the parser, bytes.
const CHUNK: usize = 16 << 10;

/// Reader of the scanner's input.
pub(super) type Bytes<'a> = BufReader<Chain<&'a [u8], &'a [u8]>>;

/// Text without the constructs at which the scanner panics.
pub(super) struct Input<'a> {
    text: Cow<'a, str>,
}

impl<'a> Input<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // A last line of blanks only is removed. Otherwise it could be mistaken for a line of a block scalar.
        let without_blanks = text.trim_end_matches(' ');
        let text = if without_blanks.is_empty() || ends_line(without_blanks) { without_blanks } else { text };
        Self { text: without_tags_before_commas(text) }
    }

    /// Bytes for the scanner, always with a line end after the last line.
    pub(super) fn bytes(&self) -> Bytes<'_> {
        let line_end: &[u8] = if self.has_added_end() { b"\n" } else { b"" };
        // From an input given in one piece the scanner first builds a copy of four to eight times its size.
        BufReader::with_capacity(CHUNK, self.text.as_bytes().chain(line_end))
    }

    /// Removes the added line end from a block scalar that ends the text.
    pub(super) fn restore(&self, event: &mut Event) {
        let end = event.end_mark.index;
        if let EventData::Scalar { value, style: ScalarStyle::Literal | ScalarStyle::Folded, .. } = &mut event.data
            && self.has_added_end()
            && end > self.text.len() as u64
            && value.ends_with('\n')
        {
            value.pop();
        }
    }

    fn has_added_end(&self) -> bool {
        !self.text.is_empty() && !ends_line(&self.text)
    }
}

fn ends_line(text: &str) -> bool {
    text.ends_with(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
}

/// Replaces each tag of an empty value that is directly followed by a comma, as in `[ !x, 1 ]`, by `~`. The scanner
/// panics at such a comma. Our readers ignore tags, and both values are null.
fn without_tags_before_commas(text: &str) -> Cow<'_, str> {
    let words = words_before_commas(text);
    if words.is_empty() {
        return Cow::Borrowed(text);
    }
    // With a blank before each of the commas, the scanner finds which of the words are tags, or end with one, and which are
    // part of texts and comments.
    let mut spaced = Vec::with_capacity(text.len() + words.len());
    let mut copied = 0;
    for word in &words {
        spaced.extend_from_slice(text.as_bytes().get(copied..word.end).unwrap_or_default());
        spaced.push(b' ');
        copied = word.end;
    }
    spaced.extend_from_slice(text.as_bytes().get(copied..).unwrap_or_default());
    let tags = tags_of(&spaced);
    let mut bytes = text.as_bytes().to_vec();
    for (blanks, word) in words.into_iter().enumerate() {
        let Some(start) = tags.start_in(&(word.start + blanks..word.end + blanks)) else { continue };
        if let Some([first, rest @ ..]) = bytes.get_mut(start - blanks..word.end) {
            *first = b'~';
            rest.fill(b' ');
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Byte ranges, in the order of their ends, of words that look like tags and end at a comma. A tag may begin within such a word,
/// as words do that begin within quotes.
fn words_before_commas(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    // Where words that begin with `!`, and with `!<`, end: the same for all that begin before.
    let mut ends = [0; 2];
    for (start, _) in text.match_indices('!') {
        let is_verbatim = bytes.get(start + 1) == Some(&b'<');
        let [word_end, verbatim_end] = &mut ends;
        let end = if is_verbatim { verbatim_end } else { word_end };
        if *end <= start {
            let is_part = |byte: u8| match is_verbatim {
                true => !byte.is_ascii_whitespace() && byte != b'>',
                false => byte.is_ascii_alphanumeric() || b"-_;/?:@&=+$.%!~*'()".contains(&byte),
            };
            let length = bytes.iter().skip(start + 1).position(|&byte| !is_part(byte));
            *end = length.map_or(bytes.len(), |length| start + 1 + length + usize::from(is_verbatim));
        }
        if bytes.get(*end) == Some(&b',') {
            found.push(start..*end);
        }
    }
    found.sort_by_key(|word| word.end);
    found.dedup_by_key(|word| word.end);
    found
}

/// Tags that the scanner finds in a text.
struct Tags {
    /// Byte offsets of their starts by those of their ends.
    starts: HashMap<u64, u64>,
    /// Offset at which the scanner failed, if it did. Such a text is invalid, so tags after it do not matter.
    unknown_from: u64,
}

impl Tags {
    /// Start of the tag with which a word ends. A quoted text may be a part of the word, as in `'!'!x,`.
    fn start_in(&self, word: &Range<usize>) -> Option<usize> {
        if word.start as u64 >= self.unknown_from {
            return Some(word.start);
        }
        self.starts.get(&(word.end as u64)).and_then(|&start| usize::try_from(start).ok())
    }
}

/// Maximum nesting depth: deeper texts are refused anyway, and cost the scanner time for each level and token.
const MAX_DEPTH: usize = 1000;

fn tags_of(bytes: &[u8]) -> Tags {
    let mut scanner = Scanner::new();
    scanner.set_encoding(Encoding::Utf8);
    let line_end: &[u8] = b"\n";
    scanner.set_input(BufReader::with_capacity(CHUNK, bytes.chain(line_end)));
    let mut tags = Tags { starts: HashMap::new(), unknown_from: 0 };
    let mut depth = 0_usize;
    while let Ok(token) = Scanner::scan(&mut scanner)
        && depth <= MAX_DEPTH
    {
        tags.unknown_from = token.end_mark.index;
        match token.data {
            // Outside of brackets such a tag is an error of the scanner, after which nothing matters.
            TokenData::Tag { .. } if depth > 0 => {
                tags.starts.insert(token.end_mark.index, token.start_mark.index);
            }
            TokenData::FlowSequenceStart | TokenData::FlowMappingStart => depth += 1,
            TokenData::FlowSequenceEnd | TokenData::FlowMappingEnd => depth = depth.saturating_sub(1),
            TokenData::StreamEnd => {
                tags.unknown_from = u64::MAX;
                break;
            }
            _ => {}
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use bunraku_test_support::{Random, allocations};

    use crate::yaml::Document;
    use crate::{Limits, Reporter, Result, SourceFile, Value};

    /// Maximum memory per byte of text: tokens and nodes with their marks.
    const MOST_OF_A_BYTE: usize = 400;

    fn parse(text: &str) -> Result<Document> {
        Document::parse(&SourceFile::from_text("test.yaml", text), &Limits::default(), &Reporter::new())
    }

    /// Text of the value of key `a`.
    fn value_of_a(text: &str) -> String {
        let document = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        document.root().get("a").and_then(Value::text).unwrap_or_default().to_owned()
    }

    #[test]
    fn a_block_scalar_may_end_the_file_without_a_line_end() {
        for (text, value) in [
            ("a: |\n  x\n  y", "x\ny"),
            ("a: >\n  x\n  y", "x y"),
            ("a: |-\n  x", "x"),
            ("a: |+\n  x", "x"),
            ("a: |+\n  x\n", "x\n"),
            ("a: |+\n  x\n\n", "x\n\n"),
            ("a: |\n  x\n  ", "x\n"),
            ("a: |+\n  x\n  ", "x\n"),
            ("a: >\r\n  x\r\n   y", "x\n y"),
            ("a: |\n  手\n  🤖", "手\n🤖"),
            ("\u{feff}a: |\n  x", "x"),
            ("a: |2\n    x", "  x"),
            ("a: |\n  x\n# end", "x\n"),
            ("a: |", ""),
            ("a: >", ""),
        ] {
            assert_eq!(value_of_a(text), value, "{text:?}");
        }
    }

    #[test]
    fn texts_that_end_within_quotes_are_located_errors() {
        for text in ["a: \"half\\", "a: \"half", "a: 'half", "a: \"\\x4", "a: \"\\u00", "\"\\", "[ \"a\\"] {
            let error = parse(text).unwrap_err();
            assert!(error.code == "yaml-syntax" && error.position().is_some(), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_tag_before_a_comma_has_a_null_value() {
        for text in ["[ !x, 1 ]", "[ !, 1 ]", "[ !!str, 1 ]", "[ !<tag:a,b>, 1 ]", "[ &n !x, 1 ]", "[ !a%20b, 1 ]"] {
            let document = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            let items: Vec<_> = document.root().items().unwrap().map(|item| item.text().map(str::to_owned)).collect();
            assert_eq!(items, [None, Some("1".to_owned())], "{text:?}");
        }
        let document = parse("{ a: !x, b: 1 }").unwrap();
        assert_eq!(document.root().get("b").unwrap().span().start.column, 13, "what follows is where it was");
    }

    #[test]
    fn a_tag_after_another_exclamation_mark_is_no_panic() {
        for text in ["[ '!'!x, 1 ]", "[ '!][!'!'!''x, 1 ]", "{ a['!'!x, b: 1 }", "[ '!(' !x, 1 ]", "[ b!,!x, 1 ]"] {
            // Not all of these are valid YAML.
            let _ = parse(text);
        }
        let document = parse("[ b!,!x, 1 ]").unwrap_or_else(|error| panic!("{error}"));
        let items: Vec<_> = document.root().items().unwrap().map(|item| item.text().map(str::to_owned)).collect();
        assert_eq!(items, [Some("b!".to_owned()), None, Some("1".to_owned())]);
        let document = parse("{ '!':!x, b: 1 }").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(document.root().get("b").and_then(Value::text), Some("1"));
    }

    #[test]
    fn text_like_a_tag_before_a_comma_is_unchanged() {
        for (text, value) in [
            ("a: \"[ !x, 1 ]\"\nb: [ !y, 1 ]\n", "[ !x, 1 ]"),
            ("a: go !now, or !later, please\n", "go !now, or !later, please"),
            ("a: 'it !x, 1'", "it !x, 1"),
            ("a: |\n  !x, 1\nb: [ !y, 1 ]", "!x, 1\n"),
            ("a: 1 # !x, !y,\nb: [ !z, 1 ]", "1"),
        ] {
            assert_eq!(value_of_a(text), value, "{text:?}");
        }
    }

    #[test]
    fn memory_is_linear_in_the_length_of_the_text() {
        for text in ["!".repeat(1 << 20), "!<".repeat(1 << 19), "!手,".repeat(1 << 18), "[ !x, ".repeat(1 << 16)] {
            // The text need not be valid YAML.
            let (cost, _) = allocations(|| parse(&text).is_ok());
            assert!(cost.peak < MOST_OF_A_BYTE * text.len(), "{} for {} bytes", cost.peak, text.len());
        }
    }

    #[test]
    fn no_text_of_special_characters_panics() {
        let words = [
            "a",
            "b: ",
            "- ",
            "? ",
            ": ",
            ",",
            "[",
            "]",
            "{",
            "}",
            "&x ",
            "*x",
            "!",
            "!x",
            "!<",
            "!<y>",
            "!x,",
            "b!,",
            "'!'",
            "[ ",
            "|",
            ">",
            "|+",
            ">-2",
            "\"",
            "'",
            "\\",
            "\\x4",
            "\\\n",
            "#",
            " #",
            "%",
            "%YAML 1.1",
            "%TAG ! y",
            "---",
            "...",
            "@",
            "`",
            "\n",
            "\n\n",
            " ",
            "  ",
            "\t",
            "\r",
            "\r\n",
            "\u{85}",
            "\u{2028}",
            "\u{feff}",
            "\0",
            "手",
            "<<: ",
            "~",
            "1",
            "%4",
            "%41",
            "%c3",
        ];
        let mut random = Random::new(1);
        for _ in 0..100_000 {
            let text: String = (0..1 + random.below(12)).map(|_| random.of(&words)).collect();
            if let Err(error) = parse(&text) {
                assert!(error.position().is_some(), "{text:?}: {error}");
            }
        }
    }
}
