//! Plots of curves over time as SVG images.

use std::fmt::Write;

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
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
/// Dashes for the second and third round of colours.
const DASHES: [&str; 3] = ["", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 2\""];
/// Margin for numbers and the legend, pixels.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;
/// Height of a line of the legend, pixels. Lines that do not fit are left out.
const LEGEND_LINE: f64 = 15.0;

/// Plots curves in one panel for each unit, stacked vertically. Equal curves give equal bytes.
pub fn plot_svg(title: &str, channels: &[Channel], size: PlotSize) -> String {
    let mut units: Vec<&str> = Vec::new();
    for channel in channels {
        if !units.contains(&channel.unit.as_str()) {
            units.push(&channel.unit);
        }
    }
    let height = f64::from(size.panel_height) * units.len().max(1) as f64;
    let mut svg = String::new();
    // Writing to a `String` cannot fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"11\">",
        size.width, height
    );
    let _ = writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
    let _ = writeln!(svg, "<title>{}</title>", escaped(title));
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"15\" font-size=\"13\">{}</text>", escaped(title));
    let times = Range::of(channels.iter().flat_map(|channel| &channel.points).map(|point| point.0));
    for (index, unit) in units.iter().enumerate() {
        let of_unit: Vec<&Channel> = channels.iter().filter(|channel| channel.unit == *unit).collect();
        let top = f64::from(size.panel_height) * index as f64;
        panel(&mut svg, &of_unit, unit, times, top, size);
    }
    svg.push_str("</svg>\n");
    svg
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
        let magnitude = 10.0_f64.powf(raw.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * magnitude).find(|step| *step >= raw).unwrap_or(raw);
        if !(step.is_finite() && step > 0.0) {
            return (Vec::new(), 0);
        }
        let first = (self.low / step).ceil();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let ticks =
            (0..20).map(|index| (first + f64::from(index)) * step).take_while(|tick| *tick <= self.high + step * 1e-9);
        (ticks.collect(), decimals)
    }
}

fn panel(svg: &mut String, channels: &[&Channel], unit: &str, times: Range, top: f64, size: PlotSize) {
    let values = Range::of(channels.iter().flat_map(|channel| &channel.points).map(|point| point.1)).widened();
    let (width, height) =
        ((f64::from(size.width) - LEFT - RIGHT).max(50.0), (f64::from(size.panel_height) - TOP - BOTTOM).max(50.0));
    let x = |time: f64| LEFT + width * times.share(time);
    let y = |value: f64| top + TOP + height * (1.0 - values.share(value));
    let bottom = top + TOP + height;
    let (ticks, decimals) = values.ticks();
    for tick in ticks {
        let y = y(tick);
        let _ = writeln!(svg, "<path d=\"M{LEFT} {y:.1}H{:.1}\" stroke=\"#ddd\"/>", LEFT + width);
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 4.0,
            tidy(tick, decimals)
        );
    }
    let (ticks, decimals) = times.ticks();
    for tick in ticks {
        let x = x(tick);
        let _ = writeln!(svg, "<path d=\"M{x:.1} {:.1}V{bottom:.1}\" stroke=\"#ddd\"/>", top + TOP);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 14.0,
            tidy(tick, decimals)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">time, s</text>",
        LEFT + width / 2.0,
        bottom + 29.0
    );
    let middle = top + TOP + height / 2.0;
    let _ = writeln!(
        svg,
        "<text x=\"14\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {middle:.1})\">{}</text>",
        escaped(unit)
    );
    let _ = writeln!(
        svg,
        "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#888\"/>",
        top + TOP
    );
    for (index, channel) in channels.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let dash = DASHES[index / COLORS.len() % DASHES.len()];
        let path = curve(&channel.points, width, x, y);
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.3\"{dash}/>");
        let line = top + TOP + LEGEND_LINE * (index as f64 + 0.7);
        let left = LEFT + width + 10.0;
        if line + LEGEND_LINE > bottom && index + 1 < channels.len() {
            if line <= bottom {
                let _ =
                    writeln!(svg, "<text x=\"{left:.1}\" y=\"{line:.1}\">and {} more</text>", channels.len() - index);
            }
            continue;
        }
        let _ =
            writeln!(svg, "<path d=\"M{left:.1} {:.1}h18\" stroke=\"{color}\" stroke-width=\"2\"{dash}/>", line - 4.0);
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{line:.1}\">{}</text>", left + 24.0, escaped(&channel.name));
    }
}

/// Path of the curve. Where points are closer than pixels, only the lowest and the highest of each half pixel are
/// drawn.
fn curve(points: &[(f64, f64)], width: f64, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> String {
    let is_dense = points.len() as f64 > width * 4.0;
    let mut pen = Pen::default();
    for &(time, value) in points {
        if !(time.is_finite() && value.is_finite()) {
            pen.lift();
            continue;
        }
        let point = (x(time), y(value));
        if pen.pending.first().is_some_and(|first| !is_dense || (point.0 * 2.0).floor() != (first.0 * 2.0).floor()) {
            pen.draw();
        }
        pen.pending.push(point);
    }
    pen.lift();
    pen.path
}

/// Writer of a path.
#[derive(Default)]
struct Pen {
    path: String,
    is_down: bool,
    /// Points within one half pixel.
    pending: Vec<(f64, f64)>,
}

impl Pen {
    fn go(&mut self, point: (f64, f64)) {
        let _ = write!(self.path, "{}{:.2} {:.2}", if self.is_down { 'L' } else { 'M' }, point.0, point.1);
        self.is_down = true;
    }

    /// Draws the lowest and the highest of the pending points, in their order.
    fn draw(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let order = |one: &usize, other: &usize| pending[*one].1.total_cmp(&pending[*other].1);
        let (lowest, highest) = ((0..pending.len()).min_by(order), (0..pending.len()).max_by(order));
        if let (Some(lowest), Some(highest)) = (lowest, highest) {
            self.go(pending[lowest.min(highest)]);
            if lowest != highest {
                self.go(pending[lowest.max(highest)]);
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

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
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
