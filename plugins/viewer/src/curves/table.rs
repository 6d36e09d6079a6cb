//! Export of curves as a table.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A curve with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name.
    pub name: String,
    /// Unit; empty if there is none.
    pub unit: String,
    /// Source of the values.
    pub source: CurveSource,
    /// Index of the selected channel that it shows: targets and recordings have that of the curve they are beside.
    pub channel: usize,
    /// Time, s, and value.
    pub points: Vec<[f64; 2]>,
}

/// Source of the values of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurveSource {
    /// The run in the window.
    #[default]
    Run,
    /// The target of the run in the window.
    Target,
    /// A recording, by its index.
    Recording(usize),
}

impl Curve {
    /// Name with unit.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} [{}]", self.name, self.unit) }
    }
}

/// Text of a `.csv` file: a column for the time, s, and one for each curve; cells without a value are empty.
pub fn write_table(curves: &[Curve]) -> String {
    let mut text = String::from("time");
    for curve in curves {
        let _ = write!(text, ",\"{}\"", curve.title().replace('"', "\"\""));
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

    fn curve(name: &str, points: &[[f64; 2]]) -> Curve {
        Curve { name: name.to_owned(), points: points.to_vec(), ..Curve::default() }
    }

    #[test]
    fn curves_of_different_times_share_a_table() {
        let curves = [
            Curve { unit: "rad".to_owned(), ..curve("a", &[[0.0, 1.5], [0.1, -2.0]]) },
            curve("the \"b\"", &[[0.1, 3.0], [12.0, 4.0]]),
        ];
        let expected = "time,\"a [rad]\",\"the \"\"b\"\"\"\n0,1.5,\n0.1,-2,3\n12,,4\n";
        assert_eq!(write_table(&curves), expected);
        assert_eq!(write_table(&[]), "time\n");
    }
}
