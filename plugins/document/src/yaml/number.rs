//! Formatting of numbers for YAML 1.1.

use zmij::{Buffer, Float};

/// Writes numbers in the fewest digits that read back to the same bits.
///
/// In YAML 1.1 a number with an exponent needs a point in the mantissa and a sign in the exponent (`1.0e-7`, not
/// `1e-7`). Readers such as PyYAML require both.
pub struct NumberFormat(Buffer);

impl std::fmt::Debug for NumberFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NumberFormat")
    }
}

impl Default for NumberFormat {
    fn default() -> Self {
        Self(Buffer::new())
    }
}

impl NumberFormat {
    /// Appends a finite number.
    pub fn push(&mut self, out: &mut Vec<u8>, value: f64) {
        // Nearly all numbers of a motion need no exponent, and searching for one takes time.
        self.push_text(out, value, !(1e-3..1e15).contains(&value.abs()));
    }

    /// Appends a number with the digits of single precision.
    pub fn push_single(&mut self, out: &mut Vec<u8>, value: f32) {
        self.push_text(out, value, true);
    }

    fn push_text(&mut self, out: &mut Vec<u8>, value: impl Float, may_have_exponent: bool) {
        let word = self.0.format_finite(value);
        let text = word.as_bytes();
        if let [whole @ .., b'.', b'0'] = text {
            // Integers are written without a point, except `-0`, which would lose its sign.
            out.extend_from_slice(if whole == b"-0" { text } else { whole });
            return;
        }
        let Some((mantissa, exponent)) = word.split_once('e').filter(|_| may_have_exponent) else {
            out.extend_from_slice(text);
            return;
        };
        out.extend_from_slice(mantissa.as_bytes());
        if !mantissa.contains('.') {
            out.extend_from_slice(b".0");
        }
        out.push(b'e');
        if !exponent.starts_with(['+', '-']) {
            out.push(b'+');
        }
        out.extend_from_slice(exponent.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use bunraku_test_support::Random;

    use super::*;

    fn format(value: f64) -> String {
        let mut out = Vec::new();
        NumberFormat::default().push(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    /// Whether a word is an integer or float by YAML 1.1's core rule.
    fn is_yaml_number(text: &str) -> bool {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = digits.split_once('e').map_or((digits, None), |(m, e)| (m, Some(e)));
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match (mantissa.split_once('.'), exponent) {
            (None, None) => all_digits(mantissa) && (mantissa == "0" || !mantissa.starts_with('0')),
            (None, Some(_)) => false,
            (Some((whole, fraction)), exponent) => {
                all_digits(whole)
                    && all_digits(fraction)
                    && exponent.is_none_or(|e| e.strip_prefix(['+', '-']).is_some_and(all_digits))
            }
        }
    }

    #[test]
    fn plain_numbers() {
        assert_eq!(format(0.0), "0");
        assert_eq!(format(-0.0), "-0.0");
        assert_eq!(format(1.0), "1");
        assert_eq!(format(-500.0), "-500");
        assert_eq!(format(0.1), "0.1");
        assert_eq!(format(-0.7135), "-0.7135");
    }

    #[test]
    fn extreme_numbers_are_yaml_and_read_back_bit_for_bit() {
        let awkward = [
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            f64::EPSILON,
            5e-324,
            1e-7,
            1.5e-7,
            1e20,
            1e16,
            1e15,
            1e17,
            123_456_789_012_345_680.0,
            0.1 + 0.2,
            1.0 / 3.0,
            -1e300,
            9_007_199_254_740_993.0,
            1e-5,
            1e-4,
            2.5e-5,
        ];
        let mut random = Random::new(1);
        let random = std::iter::repeat_with(|| f64::from_bits(random.bits()));
        for value in awkward.into_iter().chain(random.filter(|value| value.is_finite()).take(20_000)) {
            let text = format(value);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
            assert!(is_yaml_number(&text), "{text}");
        }
    }
}
