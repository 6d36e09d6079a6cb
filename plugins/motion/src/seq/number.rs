//! Numbers as text.

/// Formats numbers for YAML into a byte buffer.
pub(crate) struct NumberFormat(zmij::Buffer);

impl std::fmt::Debug for NumberFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NumberFormat")
    }
}

impl NumberFormat {
    pub(crate) fn new() -> Self {
        Self(zmij::Buffer::new())
    }

    /// Appends the shortest text that reads back to the same bits. `value` must be finite.
    ///
    /// YAML 1.1 takes a word for a number with an exponent only if the mantissa has a point and the exponent a
    /// sign (`1.0e-7`, not `1e-7`); readers such as PyYAML hold to that.
    pub(crate) fn push(&mut self, out: &mut Vec<u8>, value: f64) {
        let text = self.0.format_finite(value).as_bytes();
        if let Some(whole) = text.strip_suffix(b".0") {
            // Whole numbers go without a point, but `-0` would lose its sign as an integer.
            out.extend_from_slice(if value == 0.0 && value.is_sign_negative() { text } else { whole });
            return;
        }
        // Nearly every number of a motion is of a size that needs no exponent; looking for one takes time.
        let exponent_at = match value.abs() {
            1e-3..1e15 => None,
            _ => text.iter().position(|&byte| byte == b'e'),
        };
        let Some(exponent_at) = exponent_at else {
            out.extend_from_slice(text);
            return;
        };
        let (mantissa, exponent) = (&text[..exponent_at], &text[exponent_at + 1..]);
        out.extend_from_slice(mantissa);
        if !mantissa.contains(&b'.') {
            out.extend_from_slice(b".0");
        }
        out.push(b'e');
        if !matches!(exponent.first(), Some(b'+' | b'-')) {
            out.push(b'+');
        }
        out.extend_from_slice(exponent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn format(value: f64) -> String {
        let mut out = Vec::new();
        NumberFormat::new().push(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    /// Whether YAML 1.1's core rule for integers or floats takes the word for a number.
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
    fn awkward_numbers_read_back_bit_for_bit_and_are_yaml() {
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
        let mut state = 1_u64;
        let random = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(state)
        });
        for value in awkward.into_iter().chain(random.filter(|value| value.is_finite()).take(20_000)) {
            let text = format(value);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
            assert!(is_yaml_number(&text), "{text}");
        }
    }
}
