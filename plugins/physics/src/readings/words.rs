//! Numbers in messages.

/// A number with a number of decimals, or as `4.51e+120` from 10⁷ on: runs that diverge end with hundreds of digits.
pub fn in_digits(number: f64, decimals: usize) -> String {
    if !number.is_finite() || number.abs() < 1e7 {
        return format!("{number:.decimals$}");
    }
    let text = format!("{number:.2e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

/// The same with as many decimals as it has, for what people have written; very small ones too.
pub(crate) fn as_written(number: f64) -> String {
    if number == 0.0 || (1e-6..1e7).contains(&number.abs()) || !number.is_finite() {
        return number.to_string();
    }
    let text = format!("{number:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_three_hundred_digits_are_written_with_an_exponent() {
        assert_eq!(in_digits(4.506_779e120, 0), "4.51e+120");
        assert_eq!(in_digits(-1.7e308, 1), "-1.70e+308");
        assert_eq!([in_digits(1234.56, 0), in_digits(9_999_999.0, 0), in_digits(0.25, 1)], ["1235", "9999999", "0.2"]);
        assert_eq!(in_digits(f64::INFINITY, 0), "inf");
        assert_eq!([1e300, 2000.0, 0.05, 1e-9, 0.0].map(as_written), ["1e+300", "2000", "0.05", "1e-9", "0"]);
    }
}
