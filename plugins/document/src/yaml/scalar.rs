//! Typed access to scalars and short lists.

use super::tree::{Value, ValueKind};
use crate::{Diagnostic, Reporter, Result};

/// Remedy where a number is expected.
const A_NUMBER: &str = "write a number, such as `1.5` or `-2e-3`";

impl<'a> Value<'a> {
    /// Text of a scalar.
    ///
    /// # Errors
    /// If it is a list, a mapping or null.
    pub fn as_text(self) -> Result<&'a str> {
        self.text().ok_or_else(|| Box::new(self.expected("a text").help("write a word, or a text in quotes")))
    }

    /// A finite number, decimal or hexadecimal (`0x1F`). As in the original, a unit or other text may follow the number
    /// (`1.0kg`); it is ignored with a warning.
    ///
    /// # Errors
    /// If it does not begin with a number, or the number is not finite.
    pub fn as_number(self, reporter: &Reporter) -> Result<f64> {
        let expected = || Box::new(self.expected("a number").help(A_NUMBER));
        let text = self.text().ok_or_else(expected)?.trim();
        let number = match text.parse::<f64>().ok().or_else(|| hexadecimal(text)) {
            Some(number) => number,
            None => {
                let (number, length) = number_prefix(text).ok_or_else(|| {
                    let message = format!("expected a number, found `{}`", shorten(text));
                    Box::new(self.error("not-a-number", message).help(A_NUMBER))
                })?;
                let rest = shorten(&text[length..]);
                let diagnostic = self.warning("text-after-number", format!("`{rest}` after the number is ignored"));
                reporter.report(match rest.strip_prefix(',') {
                    Some(fraction) => {
                        diagnostic.help(format!("is this a fraction? It has a point: `{}.{fraction}`", &text[..length]))
                    }
                    None => diagnostic.help("write the number alone"),
                });
                number
            }
        };
        if !number.is_finite() {
            let diagnostic = self.error("not-finite", format!("`{}` is not a finite number", shorten(text)));
            return Err(Box::new(diagnostic.help(A_NUMBER)));
        }
        Ok(number)
    }

    /// An integer. A fractional part is dropped with a warning; the original drops it silently.
    ///
    /// # Errors
    /// If it is not a number or out of the range of `i32`.
    pub fn as_integer(self, reporter: &Reporter) -> Result<i32> {
        let number = self.as_number(reporter)?;
        let whole = number.trunc();
        if whole != number {
            let message = format!("expected a whole number; {number} is read as {whole}");
            reporter.report(self.warning("not-an-integer", message).help(format!("write `{whole}` if that is meant")));
        }
        if whole < f64::from(i32::MIN) || whole > f64::from(i32::MAX) {
            let diagnostic = self.error("out-of-range", format!("{number} is out of range"));
            let help = format!("whole numbers go from {} to {}", i32::MIN, i32::MAX);
            return Err(Box::new(diagnostic.help(help)));
        }
        #[allow(clippy::cast_possible_truncation)]
        Ok(whole as i32)
    }

    /// A boolean: y/yes/true/on and n/no/false/off, in lower case, upper case or capitalised.
    ///
    /// # Errors
    /// If it is another word.
    pub fn as_bool(self) -> Result<bool> {
        match self.text() {
            Some("y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON") => Ok(true),
            Some("n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF") => Ok(false),
            Some(text) => Err(Box::new(
                self.error("not-a-bool", format!("expected `true` or `false`, found `{}`", shorten(text)))
                    .help("write `true` or `false`"),
            )),
            None => Err(Box::new(self.expected("`true` or `false`"))),
        }
    }

    /// A list of exactly `N` finite numbers.
    ///
    /// # Errors
    /// If it is not a list, has another length, or an item is not a finite number.
    pub fn as_array<const N: usize>(self, reporter: &Reporter) -> Result<[f64; N]> {
        let example = || format!("write {N} numbers in brackets: `[ {} ]`", ["0"; N].join(", "));
        let expected = || Box::new(self.expected(&format!("a list of {N} numbers")).help(example()));
        let items = self.items().ok_or_else(expected)?;
        if items.len() != N {
            let message = format!("expected a list of {N} numbers, found {}", items.len());
            return Err(Box::new(self.error("wrong-length", message).help(example())));
        }
        let mut array = [0.0; N];
        for (slot, item) in array.iter_mut().zip(items) {
            *slot = item.as_number(reporter)?;
        }
        Ok(array)
    }

    /// A list of finite numbers of any length.
    ///
    /// # Errors
    /// If it is not a list, or an item is not a finite number.
    pub fn as_numbers(self, reporter: &Reporter) -> Result<Vec<f64>> {
        let help = "write numbers in brackets: `[ 0, 0, 0 ]`";
        let items = self.items().ok_or_else(|| Box::new(self.expected("a list of numbers").help(help)))?;
        items.map(|item| item.as_number(reporter)).collect()
    }

    /// An error with the expected and the actual kind of value.
    pub fn expected(self, what: &str) -> Diagnostic {
        let found = match self.text() {
            Some(text) => format!("`{}`", shorten(text)),
            None => self.kind().as_str().to_owned(),
        };
        let code = match self.kind() {
            ValueKind::Null => "missing-value",
            _ => "wrong-type",
        };
        let help = match self.kind() {
            ValueKind::Null => format!("write {what} behind the key, or remove the key"),
            _ => format!("write {what} here"),
        };
        self.error(code, format!("expected {what}, found {found}")).help(help)
    }
}

/// An integer in hexadecimal digits, in the syntax of YAML 1.1 and C.
fn hexadecimal(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))?;
    let digits = digits.chars().map(|letter| letter.to_digit(16)).collect::<Option<Vec<_>>>()?;
    let add = |number: f64, digit: u32| 16.0 * number + f64::from(digit);
    (!digits.is_empty()).then(|| sign * digits.into_iter().fold(0.0, add))
}

/// Longest prefix that is a number, and its length in bytes.
fn number_prefix(text: &str) -> Option<(f64, usize)> {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E'))).unwrap_or(text.len());
    (1..=end).rev().find_map(|length| text.get(..length)?.parse().ok().map(|number| (number, length)))
}

/// First characters of a text, about thirty at most, for messages.
fn shorten(text: &str) -> String {
    const LENGTH: usize = 32;
    if text.chars().count() <= LENGTH {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LENGTH - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Reporter, SourceFile, yaml::Document};

    fn with<T>(text: &str, read: impl FnOnce(crate::Value<'_>, &Reporter) -> T) -> (T, Vec<&'static str>) {
        let reporter = Reporter::new();
        let source = SourceFile::from_text("test.yaml", format!("x: {text}"));
        let document = Document::parse(&source, &Limits::default(), &reporter).unwrap();
        let value = read(document.root().get("x").unwrap(), &reporter);
        (value, reporter.diagnostics().iter().map(|d| d.code).collect())
    }

    #[test]
    fn numbers() {
        let number = |text| {
            let (result, codes) = with(text, |value, reporter| value.as_number(reporter));
            (result.map_err(|error| error.code), codes)
        };
        assert_eq!(number("1.5"), (Ok(1.5), vec![]));
        assert_eq!(number("'-2e3'"), (Ok(-2000.0), vec![]));
        assert_eq!(number("1.0kg"), (Ok(1.0), vec!["text-after-number"]));
        assert_eq!(number("0x10"), (Ok(16.0), vec![]));
        assert_eq!(number("-0XfF"), (Ok(-255.0), vec![]));
        assert_eq!(number("0x"), (Ok(0.0), vec!["text-after-number"]));
        assert_eq!(number("heavy"), (Err("not-a-number"), vec![]));
        assert_eq!(number("nan"), (Err("not-finite"), vec![]));
        assert_eq!(number("1e999"), (Err("not-finite"), vec![]));
        assert_eq!(number("[1]"), (Err("wrong-type"), vec![]));
        assert_eq!(number(""), (Err("missing-value"), vec![]));
    }

    #[test]
    fn integers() {
        let integer = |text| {
            let (result, codes) = with(text, |value, reporter| value.as_integer(reporter));
            (result.map_err(|error| error.code), codes)
        };
        assert_eq!(integer("7"), (Ok(7), vec![]));
        assert_eq!(integer("1.5"), (Ok(1), vec!["not-an-integer"]));
        assert_eq!(integer("3e9"), (Err("out-of-range"), vec![]));
    }

    #[test]
    fn truth_values() {
        for (text, expected) in
            [("true", Some(true)), ("No", Some(false)), ("ON", Some(true)), ("maybe", None), ("1", None)]
        {
            assert_eq!(with(text, |value, _| value.as_bool().ok()).0, expected, "{text}");
        }
    }

    #[test]
    fn lists_of_a_length() {
        let array = |text| with(text, |value, reporter| value.as_array::<3>(reporter)).0.map_err(|error| error.message);
        assert_eq!(array("[1, 2, 3]"), Ok([1.0, 2.0, 3.0]));
        assert_eq!(array("[1, 2]"), Err("expected a list of 3 numbers, found 2".to_owned()));
        assert_eq!(array("5"), Err("expected a list of 3 numbers, found `5`".to_owned()));
    }
}
