//! A quantity over two others, as coloured squares: the results of a sweep over two values.

use std::path::Path;

use bunraku::document::closest;
use bunraku::motion::{Anchor, Drawing, Mark, PlotSize, Stroke, Text};

use super::super::common::Failure;

/// Colours of the lowest, the middle and the highest value; people with colour blindness can distinguish them.
const COLORS: [[f64; 3]; 3] = [[0.0, 114.0, 178.0], [240.0, 228.0, 66.0], [213.0, 94.0, 0.0]];
/// Colour of a row without a value, such as a run that failed.
const NO_VALUE: [u8; 3] = [0xbb; 3];
/// Colour of the frame.
const FRAME: [u8; 3] = [0x88; 3];
/// Margins, pixels.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 48.0;
/// Numbers on an axis.
const MOST_TICKS: usize = 9;

/// Numeric columns of a table, by name.
///
/// # Errors
/// If the table cannot be read or has no such column.
pub fn columns(path: &Path, names: &[String]) -> Result<Vec<Vec<f64>>, Failure> {
    let failed = |error: String| Failure::Message(format!("cannot read the table: {error}: {}", path.display()));
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path);
    let mut reader = reader.map_err(|error| failed(error.to_string()))?;
    let titles = reader.headers().map_err(|error| failed(error.to_string()))?.clone();
    let index = |name: &String| {
        titles.iter().position(|title| title == name).ok_or_else(|| {
            let help =
                closest(name, titles.iter()).map_or_else(String::new, |meant| format!(": did you mean `{meant}`?"));
            Failure::Message(format!("{} has no column `{name}`{help}", path.display()))
        })
    };
    let indices = names.iter().map(index).collect::<Result<Vec<_>, _>>()?;
    let mut columns = vec![Vec::new(); names.len()];
    for row in reader.records() {
        let row = row.map_err(|error| failed(error.to_string()))?;
        for (column, index) in columns.iter_mut().zip(&indices) {
            column.push(row.get(*index).and_then(|cell| cell.parse().ok()).unwrap_or(f64::NAN));
        }
    }
    Ok(columns)
}

/// The values along an axis of the picture.
struct Axis {
    /// Distinct values, in order.
    values: Vec<f64>,
    start: f64,
    length: f64,
}

impl Axis {
    fn new(values: &[f64], start: f64, length: f64) -> Self {
        let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        Self { values, start, length }
    }

    /// Distance of adjacent squares, pixels, signed as the axis runs.
    fn pitch(&self) -> f64 {
        let gaps = self.values.windows(2).map(|pair| pair[1] - pair[0]);
        let (gap, all) = (gaps.fold(f64::INFINITY, f64::min), self.span());
        // Half a square of room at both ends.
        if all > 0.0 { self.length / (all / gap + 1.0) } else { self.length }
    }

    fn span(&self) -> f64 {
        self.values.last().zip(self.values.first()).map_or(0.0, |(last, first)| last - first)
    }

    fn position(&self, value: f64) -> f64 {
        let share = if self.span() > 0.0 { (value - self.values[0]) / self.span() } else { 0.5 };
        let room = if self.span() > 0.0 { self.pitch() / 2.0 } else { 0.0 };
        self.start + room + (self.length - 2.0 * room) * share
    }

    /// Values that have room for a number each.
    fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().copied().step_by(self.values.len().div_ceil(MOST_TICKS).max(1))
    }
}

/// The map of three columns.
pub fn map(title: &str, names: &[String], columns: &[Vec<f64>], size: PlotSize) -> Drawing {
    /// Steps of the scale of colours.
    const STEPS: u32 = 40;
    let mut drawing =
        Drawing { title: title.to_owned(), width: size.width, height: size.panel_height, marks: Vec::new() };
    let [xs, ys, values] = columns else { return drawing };
    let (width, height) = (f64::from(size.width), f64::from(size.panel_height));
    let x = Axis::new(xs, LEFT, (width - LEFT - RIGHT).max(50.0));
    let (bottom, across) = ((height - BOTTOM).max(TOP + 50.0), x.length);
    let y = Axis::new(ys, bottom, TOP - bottom);
    let finite = values.iter().copied().filter(|value| value.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let marks = &mut drawing.marks;
    let text = |text: String, place: [f64; 2], anchor: Anchor| Mark::Text(Text::new(text, place, anchor));
    let name = |index: usize| names.get(index).cloned().unwrap_or_default();
    marks.push(text(format!("{title}: {}", name(2)), [LEFT, 15.0], Anchor::Start));
    marks.push(text(name(0), [LEFT + across / 2.0, bottom + 34.0], Anchor::Middle));
    for tick in x.ticks() {
        marks.push(text(number(tick), [x.position(tick), bottom + 16.0], Anchor::Middle));
    }
    for tick in y.ticks() {
        marks.push(text(number(tick), [LEFT - 8.0, y.position(tick) + 4.0], Anchor::End));
    }
    let scale = LEFT + across + 24.0;
    if low <= high {
        for (share, value) in [(0.0, low), (0.5, f64::midpoint(low, high)), (1.0, high)] {
            marks.push(text(number(value), [scale + 14.0, bottom - share * (bottom - TOP) + 4.0], Anchor::Start));
        }
        let step = (bottom - TOP) / f64::from(STEPS);
        for index in 0..STEPS {
            let share = (f64::from(index) + 0.5) / f64::from(STEPS);
            marks.push(square([scale, bottom - share * (bottom - TOP)], [16.0, step + 0.5], color(share)));
        }
    }
    let beside = Text::new(name(1), [16.0, f64::midpoint(bottom, TOP)], Anchor::Middle);
    marks.push(Mark::Text(Text { is_turned: true, ..beside }));
    let side = [x.pitch().abs() - 1.0, y.pitch().abs() - 1.0];
    for ((&at_x, &at_y), &value) in xs.iter().zip(ys).zip(values) {
        if at_x.is_finite() && at_y.is_finite() {
            let share = if high > low { (value - low) / (high - low) } else { 0.5 };
            let color = if value.is_finite() { color(share) } else { NO_VALUE };
            marks.push(square([x.position(at_x), y.position(at_y)], side, color));
        }
    }
    marks.push(Mark::Frame { corner: [LEFT, TOP], size: [across, bottom - TOP], stroke: Stroke::solid(FRAME) });
    drawing
}

/// A filled rectangle around a point, as a thick line.
fn square([x, y]: [f64; 2], [width, height]: [f64; 2], color: [u8; 3]) -> Mark {
    let (width, height) = (width.max(1.0), height.max(1.0));
    let line = vec![[x - width / 2.0, y], [x + width / 2.0, y]];
    Mark::Lines { lines: vec![line], stroke: Stroke { width: height, ..Stroke::solid(color) } }
}

/// The colour of a value, by its position between the lowest (0) and the highest (1).
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn color(share: f64) -> [u8; 3] {
    let (from, to, share) = match share < 0.5 {
        true => (COLORS[0], COLORS[1], share * 2.0),
        false => (COLORS[1], COLORS[2], share * 2.0 - 1.0),
    };
    [0, 1, 2].map(|channel: usize| (from[channel] + (to[channel] - from[channel]) * share).round() as u8)
}

/// A number of four digits.
fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    (rounded + 0.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_where_their_values_are() {
        let names = ["a", "b<c", "value"].map(str::to_owned);
        let columns = [vec![0.0, 1.0, 0.0, 1.0], vec![-5.0, -5.0, 5.0, 5.0], vec![2.0, 4.0, f64::NAN, 3.0]];
        let drawing = map("table", &names, &columns, PlotSize { width: 390, panel_height: 282 });
        // The field is 200 × 200 pixels from (80, 34); each of the four squares is a quarter of it.
        let has = |place: [f64; 2], color: [u8; 3]| drawing.marks.contains(&square(place, [99.0, 99.0], color));
        assert!(has([130.0, 184.0], [0, 114, 178]), "{drawing:?}");
        assert!(has([230.0, 184.0], [213, 94, 0]));
        assert!(has([130.0, 84.0], NO_VALUE));
        assert!(has([230.0, 84.0], [240, 228, 66]));
        let svg = drawing.to_svg();
        assert!(svg.contains("b&lt;c") && svg.contains("M80.50 184.00L179.50 184.00"), "{svg}");
        roxmltree::Document::parse(&svg).unwrap();
    }

    #[test]
    fn a_single_value_and_none_can_be_drawn() {
        let names = ["a", "b", "c"].map(str::to_owned);
        for columns in [[vec![], vec![], vec![]], [vec![1.0], vec![2.0], vec![3.0]]] {
            let svg = map("", &names, &columns, PlotSize { width: 390, panel_height: 282 }).to_svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            roxmltree::Document::parse(&svg).unwrap();
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(-300.0), "-300");
        assert_eq!(number(-0.0), "0");
    }
}
