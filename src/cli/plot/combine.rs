//! Channels made of others: sums and differences, and those of several files.

use bunraku::motion::Channel;

/// A sum or difference of two channels, as `--channel` writes it: `A - B` or `A + B`, with spaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expression<'a> {
    pub first: &'a str,
    pub second: &'a str,
    /// 1 or −1.
    pub sign: f64,
}

impl<'a> Expression<'a> {
    /// The expression in a text; `None` if it has no operator.
    pub fn parse(text: &'a str) -> Option<Self> {
        let of = |operator, sign| {
            let (first, second) = text.split_once(operator)?;
            Some(Self { first: first.trim(), second: second.trim(), sign })
        };
        of(" - ", -1.0).or_else(|| of(" + ", 1.0))
    }

    /// The values at the times of the first channel; the second is interpolated, and where it has no values there are
    /// none.
    ///
    /// # Errors
    /// If the units differ.
    pub fn of(self, first: &Channel, second: &Channel) -> Result<Channel, String> {
        let name = format!("{} {} {}", first.name, if self.sign < 0.0 { '-' } else { '+' }, second.name);
        if first.unit != second.unit {
            return Err(format!("`{name}` mixes units: {} and {}", first.unit, second.unit));
        }
        let value = |(time, value): &(f64, f64)| {
            (*time, interpolated(&second.points, *time).map_or(f64::NAN, |second| value + self.sign * second))
        };
        Ok(Channel { name, unit: first.unit.clone(), points: first.points.iter().map(value).collect() })
    }
}

/// The value at a time, linear between two points; `None` before the first and after the last.
fn interpolated(points: &[(f64, f64)], time: f64) -> Option<f64> {
    let after = points.partition_point(|point| point.0 < time);
    let (next, value) = *points.get(after)?;
    // Times of frames are rounded differently in two files.
    if next - time <= 1e-9 * next.abs().max(1.0) {
        return Some(value);
    }
    let (last, before) = *points.get(after.checked_sub(1)?)?;
    Some(before + (value - before) * (time - last) / (next - last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(name: &str, unit: &str, points: &[(f64, f64)]) -> Channel {
        Channel { name: name.to_owned(), unit: unit.to_owned(), points: points.to_vec() }
    }

    #[test]
    fn differences_are_taken_at_the_times_of_the_first() {
        let first = channel("a-b", "m", &[(0.0, 1.0), (0.5, 2.0), (1.0, 3.0), (2.0, 4.0)]);
        let second = channel("c", "m", &[(0.0, 1.0), (1.0 + 1e-12, 2.0)]);
        let expression = Expression::parse("a-b - c").unwrap();
        assert_eq!((expression.first, expression.second), ("a-b", "c"));
        let made = expression.of(&first, &second).unwrap();
        assert_eq!((made.name.as_str(), made.unit.as_str()), ("a-b - c", "m"));
        let values: Vec<f64> = made.points.iter().map(|point| point.1).collect();
        assert!(values.iter().zip([0.0, 0.5, 1.0]).all(|(value, wanted)| (value - wanted).abs() < 1e-9), "{values:?}");
        assert!(values[3].is_nan(), "{values:?}");
        let sum = Expression::parse("a-b + c").unwrap().of(&first, &second).unwrap();
        assert!((sum.points[1].1 - 3.5).abs() < 1e-9, "{:?}", sum.points);
        assert!(Expression::parse("a-b").is_none());
        assert!(expression.of(&first, &channel("c", "rad", &[])).is_err());
    }
}
