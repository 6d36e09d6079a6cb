use std::ops::Range;

use super::bytes::{ends_label, is_name, is_space};
use super::source::{Location, Parsed, Problem};

/// Splits the bytes of a file into words, numbers and strings.
///
/// Commas are white space and `#` begins a comment. A backslash in a string is an ordinary character, which Windows
/// paths in real files rely on. Only `\"` within a string is a quote, as in VRML97.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    position: usize,
    end: usize,
    escapes: bool,
}

/// Number of bytes of a line that are searched for the end of a string.
const LINE: usize = 400;

impl<'a> Lexer<'a> {
    /// A lexer of `bytes` that begins at `start`.
    pub fn new(bytes: &'a [u8], start: usize) -> Self {
        Self { bytes, position: start, end: bytes.len(), escapes: true }
    }

    /// Treats a backslash as an ordinary character everywhere: in Shift_JIS it may be the second byte of a character.
    pub fn without_escapes(mut self) -> Self {
        self.escapes = false;
        self
    }

    /// Restricts the lexer to a range of the file; returns the remaining range before the call.
    pub fn enter(&mut self, range: Range<usize>) -> Range<usize> {
        let rest = self.position..self.end;
        (self.position, self.end) = (range.start, range.end.min(self.bytes.len()));
        rest
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> usize {
        self.position
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..self.end).unwrap_or_default()
    }

    fn current(&self) -> Option<u8> {
        if self.position < self.end { self.bytes.get(self.position).copied() } else { None }
    }

    /// The next byte that is neither white space nor comment, without consuming it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = self.current()?;
            if is_space(byte) {
                self.position += 1;
            } else if byte == b'#' {
                self.skip_line();
            } else {
                return Some(byte);
            }
        }
    }

    /// Skips to the end of the line.
    pub fn skip_line(&mut self) {
        let rest = self.rest();
        self.position += rest.iter().position(|&byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    }

    /// Location of the next token.
    pub fn location(&mut self) -> Location {
        self.peek();
        Location::new(self.position)
    }

    /// Consumes the next byte if it is `byte`.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    /// The next word, without consuming it; empty if no word is next.
    pub fn peek_word(&mut self) -> &'a [u8] {
        self.peek();
        let rest = self.rest();
        let length = rest.iter().position(|&byte| !is_name(byte)).unwrap_or(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    /// Consumes the next word: letters, digits, `_` and non-ASCII bytes. Empty if no word is next.
    pub fn word(&mut self) -> &'a [u8] {
        let word = self.peek_word();
        self.position += word.len();
        word
    }

    /// Consumes the next word if it is `word`.
    pub fn take_word(&mut self, word: &[u8]) -> bool {
        let found = self.peek_word() == word;
        self.position += if found { word.len() } else { 0 };
        found
    }

    /// A name after `DEF` or `USE`: everything up to white space, a bracket or a quote. In Shift_JIS the second byte of
    /// a character may equal a bracket.
    pub fn label(&mut self, is_shift_jis: impl Fn() -> bool) -> &'a [u8] {
        self.peek();
        let rest = self.rest();
        let mut length = 0;
        let mut pairs = None;
        while let Some(&byte) = rest.get(length) {
            if byte >= 0x80 {
                let leads = matches!(byte, 0x81..=0x9f | 0xe0..=0xfc) && *pairs.get_or_insert_with(&is_shift_jis);
                length += if leads { 2 } else { 1 };
            } else if ends_label(byte) {
                break;
            } else {
                length += 1;
            }
        }
        let label = rest.get(..length).unwrap_or(rest);
        self.position += label.len();
        label
    }

    /// A quoted string, without its quotes; escaped quotes keep their backslash.
    pub fn string(&mut self) -> Parsed<&'a [u8]> {
        let at = self.location();
        if !self.take(b'"') {
            return Err(self.expected("a string in double quotes"));
        }
        let rest = self.rest();
        let quotes = (0..rest.len()).filter(|&index| rest.get(index) == Some(&b'"'));
        let Some(length) = { quotes }.find(|&index| !self.is_escaped(rest, index)) else {
            let message = "the string has no closing quote";
            return Err(Box::new(Problem::new(at, "unterminated-string", message, "add the missing `\"`")));
        };
        self.position += length + 1;
        Ok(rest.get(..length).unwrap_or_default())
    }

    /// Whether the quote at an index of a string belongs to it: it follows a backslash, and there is another quote on
    /// the line. After a path that ends in a backslash comes nothing or another string.
    fn is_escaped(&self, string: &[u8], index: usize) -> bool {
        if !self.escapes || !follows_backslash(string, index) {
            return false;
        }
        let line = string.get(index + 1..).unwrap_or_default();
        let line = line.get(..LINE).unwrap_or(line);
        let line = line.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let spaces = line.iter().take_while(|&&byte| is_space(byte)).count();
        let another_string = spaces > 0 && line.get(spaces) == Some(&b'"');
        let ends = (0..line.len()).filter(|&index| line.get(index) == Some(&b'"') && !follows_backslash(line, index));
        !another_string && ends.count() % 2 == 1
    }

    /// A number; hexadecimal integers are accepted.
    #[inline]
    pub fn float(&mut self) -> Parsed<f64> {
        self.peek();
        let rest = self.rest();
        match fast_float2::parse_partial::<f64, _>(rest) {
            Ok((value, length)) if !rest.get(length).is_some_and(|&byte| is_name(byte)) => {
                self.position += length;
                Ok(value)
            }
            _ => self.odd_float(),
        }
    }

    fn odd_float(&mut self) -> Parsed<f64> {
        let rest = self.rest();
        if matches!(rest, [b'0', b'x' | b'X', ..] | [b'+' | b'-', b'0', b'x' | b'X', ..]) {
            return self.integer().map(|(number, _)| number as f64);
        }
        // For example a decimal comma or a unit.
        Err(self.expected("a number"))
    }

    /// An integer, and its notation. As in the original, `0x` is hexadecimal and a leading `0` octal. The value may
    /// exceed 32 bits.
    #[inline]
    pub fn integer(&mut self) -> Parsed<(i64, IntegerForm)> {
        self.peek();
        let rest = self.rest();
        let negative = rest.first() == Some(&b'-');
        let digits = rest.get(usize::from(negative)..).unwrap_or_default();
        let mut value = 0_i64;
        for (count, &byte) in digits.iter().enumerate() {
            if byte.is_ascii_digit() {
                value = value.saturating_mul(10).saturating_add(i64::from(byte - b'0'));
                continue;
            }
            let leading_zero = count > 1 && digits.first() == Some(&b'0');
            if count == 0 || leading_zero || byte == b'.' || is_name(byte) {
                break;
            }
            self.position += usize::from(negative) + count;
            return Ok((if negative { -value } else { value }, IntegerForm::Plain));
        }
        self.odd_integer()
    }

    /// An integer in a rare notation, or at the end of the file.
    fn odd_integer(&mut self) -> Parsed<(i64, IntegerForm)> {
        let rest = self.rest();
        let (negative, sign) = match rest.first() {
            Some(b'-') => (true, 1),
            Some(b'+') => (false, 1),
            _ => (false, 0),
        };
        let (base, prefix, mut form) = match rest.get(sign..) {
            Some([b'0', b'x' | b'X', digit, ..]) if digit.is_ascii_hexdigit() => (16, 2, IntegerForm::Plain),
            Some([b'0', digit, ..]) if digit.is_ascii_digit() => (8, 1, IntegerForm::Octal),
            _ => (10, 0, IntegerForm::Plain),
        };
        let digits = rest.get(sign + prefix..).unwrap_or_default();
        let count = digits.iter().take_while(|byte| (**byte as char).is_digit(base.max(10))).count();
        let (digits, behind) = digits.split_at(count);
        if digits.is_empty() || behind.first().is_some_and(|&byte| byte == b'.' || is_name(byte)) {
            return self.whole_float();
        }
        let base = if base == 8 && digits.iter().any(|&digit| digit > b'7') {
            form = IntegerForm::NotOctal;
            10
        } else {
            base
        };
        let add = |value: i64, &digit: &u8| {
            let digit = (digit as char).to_digit(base).unwrap_or(0);
            value.saturating_mul(i64::from(base)).saturating_add(i64::from(digit))
        };
        let value = digits.iter().fold(0, add);
        self.position += sign + prefix + count;
        Ok((if negative { -value } else { value }, form))
    }

    /// A number such as `1.0` where an integer is expected.
    #[expect(clippy::cast_possible_truncation, reason = "only whole numbers of at most 32 bits are cast")]
    fn whole_float(&mut self) -> Parsed<(i64, IntegerForm)> {
        let rest = self.rest();
        match fast_float2::parse_partial::<f64, _>(rest) {
            Ok((value, length))
                if value.fract() == 0.0
                    && value.abs() < f64::from(u32::MAX)
                    && !rest.get(length).is_some_and(|&byte| is_name(byte)) =>
            {
                self.position += length;
                Ok((value as i64, IntegerForm::Float))
            }
            _ => Err(self.expected("an integer")),
        }
    }

    /// Skips past the `}` that matches the next `{`. Brackets in strings and comments are ignored. With `escapes`,
    /// which the standard defines for programs in a `Script`, `\"` does not end a string. Returns the range between the
    /// braces.
    pub fn skip_braces(&mut self, escapes: bool) -> Parsed<Range<usize>> {
        self.skip_balanced(b'{', b'}', escapes)
    }

    /// As [`Lexer::skip_braces`], with other brackets.
    pub fn skip_balanced(&mut self, open: u8, close: u8, escapes: bool) -> Parsed<Range<usize>> {
        let at = self.location();
        if !self.take(open) {
            return Err(self.expected(&format!("`{}`", open as char)));
        }
        let start = self.position;
        let mut depth = 1_u32;
        while let Some(byte) = self.peek() {
            if byte == b'"' {
                self.skip_string(escapes)?;
                continue;
            }
            self.position += 1;
            if byte == open {
                depth += 1;
            } else if byte == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(start..self.position - 1);
                }
            }
        }
        let (open, close) = (open as char, close as char);
        let (message, help) = (format!("this `{open}` is not closed"), format!("add the missing `{close}`"));
        Err(Box::new(Problem::new(at, "unclosed-bracket", message, help)))
    }

    fn skip_string(&mut self, escapes: bool) -> Parsed<()> {
        let at = self.location();
        loop {
            let part = self.string().map_err(|problem| Box::new(Problem { at, ..*problem }))?;
            let backslashes = part.iter().rev().take_while(|&&byte| byte == b'\\').count();
            // Two backslashes are one escaped backslash.
            if !escapes || backslashes % 2 == 0 {
                return Ok(());
            }
            // The quote that ended this part begins the next.
            self.position -= 1;
        }
    }

    /// An error: another token is here than `what`.
    pub fn expected(&mut self, what: &str) -> Box<Problem> {
        let at = self.location();
        let found = match self.current() {
            None if self.end == self.bytes.len() => "the end of the file".to_owned(),
            None => "the end of the body".to_owned(),
            Some(first) => {
                let rest = self.rest();
                let length = match first {
                    b'"' => rest.iter().take(40).skip(1).position(|&byte| byte == b'"').map(|length| length + 2),
                    _ => rest.iter().take(40).position(|&byte| is_space(byte) || ends_label(byte)),
                };
                let text = rest.get(..length.unwrap_or(40).max(1)).unwrap_or(rest);
                format!("`{}`", String::from_utf8_lossy(text))
            }
        };
        let message = format!("{what} is expected here, but {found} follows");
        let help = "correct the line, or look whether a bracket or quote is missing above";
        Box::new(Problem::new(at, "syntax", message, help))
    }
}

/// Whether the byte at an index follows a backslash that is not itself escaped.
fn follows_backslash(text: &[u8], index: usize) -> bool {
    let before = text.get(..index).unwrap_or_default();
    before.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Notation of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegerForm {
    /// Decimal or hexadecimal.
    Plain,
    /// Leading zero: octal.
    Octal,
    /// Leading zero and a digit above 7: decimal.
    NotOctal,
    /// With a point or exponent, but integral.
    Float,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexer(text: &str) -> Lexer<'_> {
        Lexer::new(text.as_bytes(), 0)
    }

    #[test]
    fn commas_and_comments_are_white_space() {
        let mut lexer = lexer(",, # no } here\r\n\t, word # the end");
        assert_eq!(lexer.word(), b"word");
        assert_eq!(lexer.peek(), None);
    }

    #[test]
    fn floats_are_read_as_c_reads_them() {
        let mut lexer = lexer("1 -.5 +2. 1e3,1.5E-2 0x1F inf -2]");
        let numbers: Vec<_> = (0..8).map(|_| lexer.float().unwrap()).collect();
        assert_eq!(numbers, [1.0, -0.5, 2.0, 1000.0, 0.015, 31.0, f64::INFINITY, -2.0]);
        assert!(lexer.float().is_err());
        assert!(Lexer::new(b"12abc", 0).float().is_err());
    }

    #[test]
    fn integers_may_be_hexadecimal_or_octal() {
        let mut lexer = lexer("10 -1 0xFF 010 0 -0x10 08 2.0 0xFFFFFFFF");
        let numbers: Vec<_> = (0..9).map(|_| lexer.integer().unwrap()).collect();
        let values: Vec<_> = numbers.iter().map(|(value, _)| *value).collect();
        assert_eq!(values, [10, -1, 255, 8, 0, -16, 8, 2, 0xFFFF_FFFF]);
        let odd: Vec<_> = numbers.iter().map(|(_, form)| *form).filter(|form| *form != IntegerForm::Plain).collect();
        assert_eq!(odd, [IntegerForm::Octal, IntegerForm::NotOctal, IntegerForm::Float]);
        for bad in ["1.5", "x", "", "-", "0x", "1a", "]"] {
            assert!(Lexer::new(bad.as_bytes(), 0).integer().is_err(), "{bad}");
        }
        assert_eq!(Lexer::new(b"99999999999999999999", 0).integer().unwrap().0, i64::MAX);
    }

    #[test]
    fn a_backslash_in_a_string_is_a_letter() {
        let mut lexer = lexer(
            r#""..\tex\" "two
lines""#,
        );
        assert_eq!(lexer.string().unwrap(), br"..\tex\");
        assert_eq!(lexer.string().unwrap(), b"two\nlines");
        assert_eq!(Lexer::new(b" \"open", 0).string().unwrap_err().code, "unterminated-string");
    }

    #[test]
    fn an_escaped_quote_does_not_end_a_string() {
        let string = |text: &str| String::from_utf8_lossy(lexer(text).string().unwrap()).into_owned();
        assert_eq!(string(r#""say \"hi\" now" ]"#), r#"say \"hi\" now"#);
        assert_eq!(string(r#""\"quoted\"" "next""#), r#"\"quoted\""#);
        assert_eq!(string(r#""two \\" "next""#), r"two \\");
        assert_eq!(string("\"c:\\tex\\\" repeatS TRUE\nurl \"b\""), r"c:\tex\");
        assert_eq!(string(r#""c:\tex\", "c:\map\" ]"#), r"c:\tex\");
        assert_eq!(lexer(r#""say \"hi\" now""#).without_escapes().string().unwrap(), br"say \");
        let mut braces = lexer(r#"{ title "a \"}\" b" } c"#);
        braces.skip_braces(false).unwrap();
        assert_eq!(braces.word(), b"c");
    }

    #[test]
    fn labels_end_at_brackets_and_hold_much_else() {
        let mut lexer = lexer("a.b-c+d{ X]");
        let label = |lexer: &mut Lexer<'_>| String::from_utf8_lossy(lexer.label(|| false)).into_owned();
        assert_eq!(label(&mut lexer), "a.b-c+d");
        assert!(lexer.take(b'{'));
        assert_eq!(label(&mut lexer), "X");
    }

    #[test]
    fn the_second_byte_of_a_shift_jis_letter_is_no_bracket() {
        // U+30DC is 0x83 0x7B in Shift_JIS.
        assert_eq!(Lexer::new(b"\x83\x7b{", 0).label(|| true), b"\x83\x7b");
        assert_eq!(Lexer::new(b"\x83", 0).label(|| true), b"\x83");
    }

    #[test]
    fn braces_in_strings_and_comments_do_not_count() {
        let mut lexer = lexer("{ a \"}\" { } # }\n } b");
        lexer.skip_braces(false).unwrap();
        assert_eq!(lexer.word(), b"b");
        let mut lexer = Lexer::new(br#"{ url "javascript: a = \"}\"; { }" } b"#, 0);
        lexer.skip_braces(true).unwrap();
        assert_eq!(lexer.word(), b"b");
        assert_eq!(Lexer::new(b"{ { }", 0).skip_braces(false).unwrap_err().code, "unclosed-bracket");
    }
}
