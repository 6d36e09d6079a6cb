//! Export of curves as a table.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A curve with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name with unit.
    pub name: String,
    /// Time, s, and value.
    pub points: Vec<[f64; 2]>,
}

/// Text of a `.csv` file: a column for the time, s, and one for each curve; cells without a value are empty.
pub fn write_table(curves: &[Curve]) -> String {
    let mut text = String::from("time");
    for curve in curves {
        let _ = write!(text, ",\"{}\"", curve.name.replace('"', "\"\""));
    }
    text.push('\n');
    // The order of non-negative doubles is that of their bits.
    let mut rows: BTreeMap<u64, Vec<Option<f64>>> = BTreeMap::new();
    for (index, curve) in curves.iter().enumerate() {
        for [time, value] in &curve.points {
            rows.entry(time.max(0.0).to_bits()).or_insert_with(|| vec![None; curves.len()])[index] = Some(*value);
        }
    }
    for (time, values) in rows {
        let _ = write!(text, "{}", f64::from_bits(time));
        for value in values {
            match value {
                Some(value) => {
                    let _ = write!(text, ",{value}");
                }
                None => text.push(','),
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_of_different_times_share_a_table() {
        let curves = [
            Curve { name: "a [rad]".to_owned(), points: vec![[0.0, 1.5], [0.1, -2.0]] },
            Curve { name: "the \"b\"".to_owned(), points: vec![[0.1, 3.0], [12.0, 4.0]] },
        ];
        let expected = "time,\"a [rad]\",\"the \"\"b\"\"\"\n0,1.5,\n0.1,-2,3\n12,,4\n";
        assert_eq!(write_table(&curves), expected);
        assert_eq!(write_table(&[]), "time\n");
    }
}
