//! Parser of a frame in the usual layout, without a YAML parser.

use super::shape::{Style, is_comment};
use crate::number::leading_number;

/// Reads one frame in the usual layout, `- [ 1, 2 ]` or `- [ 0.1, [ 1, 2 ], [ 3, 4 ] ]`, possibly indented and with a
/// comment, into `numbers` (in the order of the text).
///
/// The frame must have `flat` numbers, then `lists` lists of `width` numbers each. Any other line gives `false`: it may
/// still be valid YAML, or an error that the YAML reader reports.
pub(crate) fn scan_frame(line: &[u8], flat: usize, lists: usize, width: usize, numbers: &mut Vec<f64>) -> bool {
    scan(line, Style::Block, flat, lists, width, numbers).is_some()
}

/// As [`scan_frame`], for a line of either style; returns whether a comma follows, as between frames of flow style.
pub(super) fn scan(
    line: &[u8],
    style: Style,
    flat: usize,
    lists: usize,
    width: usize,
    numbers: &mut Vec<f64>,
) -> Option<bool> {
    numbers.clear();
    let mut scanner = Scanner { rest: line };
    scanner.frame(style, flat, lists, width, numbers)?;
    let comma = style == Style::Flow && scanner.comma();
    scanner.end().map(|()| comma)
}

struct Scanner<'a> {
    rest: &'a [u8],
}

impl Scanner<'_> {
    fn frame(&mut self, style: Style, flat: usize, lists: usize, width: usize, numbers: &mut Vec<f64>) -> Option<()> {
        self.blanks();
        if style == Style::Block {
            self.expect(b'-')?;
            if !matches!(self.rest.first(), Some(b' ' | b'\t')) {
                return None;
            }
            self.blanks();
        }
        self.expect(b'[')?;
        self.numbers(flat, numbers)?;
        for index in 0..lists {
            self.blanks();
            if index + flat > 0 {
                self.expect(b',')?;
                self.blanks();
            }
            self.expect(b'[')?;
            self.numbers(width, numbers)?;
            self.blanks();
            self.expect(b']')?;
        }
        self.blanks();
        self.expect(b']')
    }

    fn comma(&mut self) -> bool {
        let before = self.rest;
        self.blanks();
        if self.expect(b',').is_none() {
            self.rest = before;
            return false;
        }
        true
    }

    fn numbers(&mut self, count: usize, numbers: &mut Vec<f64>) -> Option<()> {
        self.blanks();
        let mut rest = self.rest;
        for index in 0..count {
            if index > 0 {
                // Nearly always `, `.
                let after_comma = match rest {
                    [b',', b' ', after @ ..] => after,
                    _ => without_blanks(rest).strip_prefix(b",")?,
                };
                rest = without_blanks(after_comma);
            }
            let (number, length) = leading_number(rest)?;
            rest = rest.get(length..)?;
            // No text may follow a number: `1.0rad` and `0x10` are left to the YAML reader.
            if !number.is_finite() || !matches!(rest.first(), Some(b' ' | b',' | b']' | b'\t')) {
                return None;
            }
            numbers.push(number);
        }
        self.rest = rest;
        Some(())
    }

    fn blanks(&mut self) {
        self.rest = without_blanks(self.rest);
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    /// Accepts only blanks, a comment and the end of the line.
    fn end(&mut self) -> Option<()> {
        let touching = self.rest;
        self.blanks();
        match self.rest {
            [] | [b'\n'] | [b'\r', b'\n'] => Some(()),
            [b'#', comment @ ..] if touching.len() > self.rest.len() => {
                matches!(is_comment(comment), Ok(true)).then_some(())
            }
            _ => None,
        }
    }
}

fn without_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Style, scan, scan_frame};

    fn block(line: &str, flat: usize, lists: usize, width: usize) -> Option<Vec<f64>> {
        let mut numbers = vec![99.0];
        scan_frame(line.as_bytes(), flat, lists, width, &mut numbers).then_some(numbers)
    }

    #[test]
    fn usual_lines() {
        for line in ["- [ 1, -2.5e1 ]", "- [ 1, -25 ] # 腕\n", "      - [1,-25]\r\n", "-  [\t1 , -25.0 ] # note\n"] {
            assert_eq!(block(line, 2, 0, 1), Some(vec![1.0, -25.0]), "{line:?}");
        }
        assert_eq!(block("- [ [ 1, 2 ], [3,4] ]\n", 0, 2, 2), Some(vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(block("- [ 0.5, [ 1, 2 ] ]", 1, 1, 2), Some(vec![0.5, 1.0, 2.0]));
    }

    #[test]
    fn lines_of_a_flow_list() {
        let mut numbers = Vec::new();
        let mut flow = |line: &str| scan(line.as_bytes(), Style::Flow, 2, 0, 1, &mut numbers);
        for line in ["  [ 1, 2 ],\n", "[1,2] , # note\r\n", "[ 1, 2 ],"] {
            assert_eq!(flow(line), Some(true), "{line:?}");
        }
        assert_eq!(flow("  [ 1, 2 ]\n"), Some(false));
        for line in ["- [ 1, 2 ],", "[ 1, 2 ] ]", "[ 1, 2 ], [ 1, 2 ]", "[ 1, 2 ],,", "[ 1, 2 ],# c", "[ 1 ],"] {
            assert_eq!(flow(line), None, "{line:?}");
        }
    }

    #[test]
    fn everything_else_is_left_to_yaml() {
        let unusual = [
            "- [ 1 ]",
            "- [ 1, 2, 3 ]",
            "- [ 1, 2, ]",
            "- [ 1, 2",
            "[ 1, 2 ]",
            "-[ 1, 2 ]",
            "- [ 1, x ]",
            "- [ 1, 2 ] x",
            "- [ 1, 2rad ]",
            "- [ 1, nan ]",
            "- [ 1, inf ]",
            "- [ 1, 1e999 ]",
            "- [ 1, 0x10 ]",
            "- [ 1, 2 ]#c",
            "- [ 1,, 2 ]",
            "- [ [1], 2 ]",
            "- [ 1, '2' ]",
            "- [ 1, 2 ] # a\rb\n",
            "- [ 1, 2 ] # \u{85}\n",
            "- [ 1, 2 ],",
            "",
            "-",
            "- [",
            "- [ 1, 2 ]]",
        ];
        for line in unusual {
            assert_eq!(block(line, 2, 0, 1), None, "{line:?}");
        }
        assert_eq!(block("- [ [ 1, 2 ] ]", 0, 2, 2), None);
        assert_eq!(block("- [ 1, 2 ]", 0, 1, 2), None);
    }
}
