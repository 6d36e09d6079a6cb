//! Plots of curves over time.

use crate::drawing::{Anchor, Drawing, Mark, Stroke, Text};

/// A curve over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Name in the legend.
    pub name: String,
    /// Unit of the values, such as `rad`; curves with the same unit share a panel.
    pub unit: String,
    /// Time (s) and value, in order of time. Values that are not finite interrupt the curve.
    pub points: Vec<(f64, f64)>,
}

/// Size of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlotSize {
    /// Width, pixels.
    pub width: u32,
    /// Height of one panel, pixels; there is one panel for each unit.
    pub panel_height: u32,
}

impl Default for PlotSize {
    fn default() -> Self {
        Self { width: 900, panel_height: 320 }
    }
}

/// Colours that people with colour blindness can distinguish (Okabe and Ito, 2008).
pub const COLORS: [[u8; 3]; 7] =
    [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233], [0, 0, 0]];
/// Dashes for the second and third round of colours.
const DASHES: [&[f64]; 3] = [&[], &[6.0, 3.0], &[2.0, 2.0]];
/// Lines of the grid, and the frame of a panel.
const GRID: Stroke = Stroke { color: [0xdd; 3], width: 1.0, dashes: &[] };
const FRAME: Stroke = Stroke { color: [0x88; 3], width: 1.0, dashes: &[] };
/// Margin for numbers and the legend, pixels.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;
/// Height of a line of the legend, pixels. Lines that do not fit are left out.
const LEGEND_LINE: f64 = 15.0;

/// Curves in one panel for each unit, stacked vertically.
pub fn plot(title: &str, channels: &[Channel], size: PlotSize) -> Drawing {
    let mut units: Vec<&str> = Vec::new();
    for channel in channels {
        if !units.contains(&channel.unit.as_str()) {
            units.push(&channel.unit);
        }
    }
    let number = u32::try_from(units.len().max(1)).unwrap_or(u32::MAX);
    let mut marks = vec![Mark::Text(Text { size: 13.0, ..Text::new(title, [LEFT, 15.0], Anchor::Start) })];
    let times = Range::of(channels.iter().flat_map(|channel| &channel.points).map(|point| point.0));
    for (index, unit) in units.iter().enumerate() {
        let of_unit: Vec<&Channel> = channels.iter().filter(|channel| channel.unit == *unit).collect();
        let top = f64::from(size.panel_height) * index as f64;
        panel(&mut marks, &of_unit, unit, times, top, size);
    }
    Drawing { title: title.to_owned(), width: size.width, height: size.panel_height.saturating_mul(number), marks }
}

/// As [`plot`], as SVG. Equal curves give equal bytes.
pub fn plot_svg(title: &str, channels: &[Channel], size: PlotSize) -> String {
    plot(title, channels, size).to_svg()
}

/// Interval from the smallest to the largest of some numbers.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return Self { low: 0.0, high: 1.0 };
        }
        if high - low > (low.abs() + high.abs()) * 1e-12 {
            return Self { low, high };
        }
        // A constant is centred.
        let room = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
        Self { low: low - room, high: high + room }
    }

    /// The interval with a margin on both sides.
    fn widened(self) -> Self {
        let room = (self.high - self.low) * 0.05;
        Self { low: self.low - room, high: self.high + room }
    }

    /// Position of a value in the interval, from 0 to 1.
    fn share(self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// About five round numbers in the interval, and the number of decimals they need.
    fn ticks(self) -> (Vec<f64>, usize) {
        let raw = (self.high - self.low) / 5.0;
        let magnitude = libm::pow(10.0, libm::log10(raw).floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * magnitude).find(|step| *step >= raw).unwrap_or(raw);
        if !(step.is_finite() && step > 0.0) {
            return (Vec::new(), 0);
        }
        let first = (self.low / step).ceil();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let decimals = (-libm::log10(step).floor()).clamp(0.0, 12.0) as usize;
        let ticks =
            (0..20).map(|index| (first + f64::from(index)) * step).take_while(|tick| *tick <= self.high + step * 1e-9);
        (ticks.collect(), decimals)
    }
}

fn panel(marks: &mut Vec<Mark>, channels: &[&Channel], unit: &str, times: Range, top: f64, size: PlotSize) {
    let values = Range::of(channels.iter().flat_map(|channel| &channel.points).map(|point| point.1)).widened();
    let (width, height) =
        ((f64::from(size.width) - LEFT - RIGHT).max(50.0), (f64::from(size.panel_height) - TOP - BOTTOM).max(50.0));
    let x = |time: f64| LEFT + width * times.share(time);
    let y = |value: f64| top + TOP + height * (1.0 - values.share(value));
    let bottom = top + TOP + height;
    let line = |from: [f64; 2], to: [f64; 2], stroke: Stroke| Mark::Lines { lines: vec![vec![from, to]], stroke };
    let text = |text: &str, place: [f64; 2], anchor: Anchor| Mark::Text(Text::new(text, place, anchor));
    let (ticks, decimals) = values.ticks();
    for tick in ticks {
        let y = y(tick);
        marks.push(line([LEFT, y], [LEFT + width, y], GRID));
        marks.push(text(&tidy(tick, decimals), [LEFT - 6.0, y + 4.0], Anchor::End));
    }
    let (ticks, decimals) = times.ticks();
    for tick in ticks {
        let x = x(tick);
        marks.push(line([x, top + TOP], [x, bottom], GRID));
        marks.push(text(&tidy(tick, decimals), [x, bottom + 14.0], Anchor::Middle));
    }
    marks.push(text("time, s", [LEFT + width / 2.0, bottom + 29.0], Anchor::Middle));
    let name = Text::new(unit, [14.0, top + TOP + height / 2.0], Anchor::Middle);
    marks.push(Mark::Text(Text { is_turned: true, ..name }));
    marks.push(Mark::Frame { corner: [LEFT, top + TOP], size: [width, height], stroke: FRAME });
    let looks = DASHES.iter().flat_map(|dashes| COLORS.iter().map(move |color| (*color, *dashes))).cycle();
    for ((index, channel), (color, dashes)) in channels.iter().enumerate().zip(looks) {
        let lines = curve(&channel.points, width, x, y);
        marks.push(Mark::Lines { lines, stroke: Stroke { color, width: 1.3, dashes } });
        let height = top + TOP + LEGEND_LINE * (index as f64 + 0.7);
        let left = LEFT + width + 10.0;
        if height + LEGEND_LINE > bottom && index + 1 < channels.len() {
            if height <= bottom {
                let rest = format!("and {} more", channels.len() - index);
                marks.push(text(&rest, [left, height], Anchor::Start));
            }
            continue;
        }
        marks.push(line([left, height - 4.0], [left + 18.0, height - 4.0], Stroke { color, width: 2.0, dashes }));
        marks.push(text(&channel.name, [left + 24.0, height], Anchor::Start));
    }
}

/// Lines of the curve. Where points are closer than pixels, only the lowest and the highest of each half pixel are
/// drawn.
fn curve(points: &[(f64, f64)], width: f64, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> Vec<Vec<[f64; 2]>> {
    let is_dense = points.len() as f64 > width * 4.0;
    let mut pen = Pen::default();
    for &(time, value) in points {
        if !(time.is_finite() && value.is_finite()) {
            pen.lift();
            continue;
        }
        let point = [x(time), y(value)];
        if pen.pending.first().is_some_and(|first| !is_dense || (point[0] * 2.0).floor() != (first[0] * 2.0).floor()) {
            pen.draw();
        }
        pen.pending.push(point);
    }
    pen.lift();
    pen.lines
}

/// Writer of lines.
#[derive(Default)]
struct Pen {
    lines: Vec<Vec<[f64; 2]>>,
    is_down: bool,
    /// Points within one half pixel.
    pending: Vec<[f64; 2]>,
}

impl Pen {
    fn go(&mut self, point: [f64; 2]) {
        match self.lines.last_mut().filter(|_| self.is_down) {
            Some(line) => line.push(point),
            None => self.lines.push(vec![point]),
        }
        self.is_down = true;
    }

    /// Draws the lowest and the highest of the pending points, in their order.
    fn draw(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let points = || pending.iter().enumerate();
        let order = |one: &(usize, &[f64; 2]), other: &(usize, &[f64; 2])| one.1[1].total_cmp(&other.1[1]);
        if let (Some(lowest), Some(highest)) = (points().min_by(order), points().max_by(order)) {
            let (first, second) = if lowest.0 < highest.0 { (lowest, highest) } else { (highest, lowest) };
            self.go(*first.1);
            if first.0 != second.0 {
                self.go(*second.1);
            }
        }
    }

    /// Begins a new segment with the next point.
    fn lift(&mut self) {
        self.draw();
        self.is_down = false;
    }
}

/// Label of an axis.
fn tidy(value: f64, decimals: usize) -> String {
    if value != 0.0 && (value.abs() >= 1e6 || decimals > 6) {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.decimals$}");
    if text.trim_start_matches(['-', '0', '.']).is_empty() { text.trim_start_matches('-').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(name: &str, unit: &str, points: Vec<(f64, f64)>) -> Channel {
        Channel { name: name.to_owned(), unit: unit.to_owned(), points }
    }

    /// Points of the paths of curves.
    fn curves(svg: &str) -> Vec<&str> {
        svg.lines().filter(|line| line.contains("stroke-width=\"1.3\"")).collect()
    }

    #[test]
    fn curves_of_one_unit_share_a_panel() {
        let line = |slope: f64| (0..=10).map(|frame| (f64::from(frame) * 0.1, f64::from(frame) * slope)).collect();
        let channels =
            [channel("a", "rad", line(1.0)), channel("b<c", "m", line(2.0)), channel("d", "rad", line(-1.0))];
        let svg = plot_svg("arm & hand", &channels, PlotSize { width: 460, panel_height: 264 });
        assert!(svg.contains("height=\"528\""), "two panels");
        assert_eq!(curves(&svg).len(), 3);
        assert!(svg.contains("arm &amp; hand") && svg.contains("b&lt;c"));
        // From the left to the right edge; −10 and 10 are at 5 % from the edges of the panel.
        assert!(
            curves(&svg)[0].contains("M70.00 124.00") && curves(&svg)[0].contains("L270.00 33.09"),
            "{}",
            curves(&svg)[0]
        );
        assert_closed(&svg);
    }

    /// Asserts that each tag is closed.
    fn assert_closed(svg: &str) {
        let open = svg.matches('<').count() - svg.matches("</").count();
        assert_eq!(open, svg.matches("/>").count() + svg.matches("</").count(), "{svg}");
    }

    #[test]
    fn dense_curves_keep_their_extremes_and_gaps() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|frame| (f64::from(frame), 0.0)).collect();
        points[50_000].1 = 1.0;
        points[70_000].1 = f64::NAN;
        let svg = plot_svg("", &[channel("a", "", points)], PlotSize { width: 460, panel_height: 264 });
        let [curve] = curves(&svg)[..] else { panic!("{svg}") };
        assert!(curve.len() < 20_000, "{}", curve.len());
        assert!(curve.contains(" 33.09"), "the peak is there");
        assert_eq!(curve.matches('M').count(), 2, "what is not finite breaks it");
    }

    #[test]
    fn constants_and_empty_plots_can_be_drawn() {
        let none = plot_svg("", &[], PlotSize::default());
        assert!(none.starts_with("<svg") && none.ends_with("</svg>\n"));
        let flat = plot_svg("", &[channel("a", "m", vec![(1.0, 3.0)])], PlotSize::default());
        assert_eq!(curves(&flat).len(), 1);
        assert!(!flat.contains("NaN") && !flat.contains("inf"), "{flat}");
    }

    #[test]
    fn ticks_are_round() {
        let (ticks, decimals) = Range { low: -0.13, high: 0.42 }.ticks();
        let texts: Vec<_> = ticks.iter().map(|tick| tidy(*tick, decimals)).collect();
        assert_eq!(texts, ["0.0", "0.2", "0.4"]);
    }
}
