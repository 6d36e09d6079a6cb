//! Drawings: lines, frames and texts, as data. They are written as SVG; a program may also draw them as pixels.

use std::fmt::Write;

/// A drawing on a white ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Title of the image, which is not drawn.
    pub title: String,
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// The marks, later ones above earlier ones, except texts, which are above all.
    pub marks: Vec<Mark>,
}

/// A part of a drawing. Coordinates are pixels to the right and down from the upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// Lines through points.
    Lines {
        /// Each line by its points; at least two.
        lines: Vec<Vec<[f64; 2]>>,
        /// Its look.
        stroke: Stroke,
    },
    /// The outline of a rectangle.
    Frame {
        /// Upper left corner.
        corner: [f64; 2],
        /// Width and height.
        size: [f64; 2],
        /// Its look.
        stroke: Stroke,
    },
    /// A line of text in black.
    Text(Text),
}

/// The look of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Red, green and blue, sRGB.
    pub color: [u8; 3],
    /// Width, pixels.
    pub width: f64,
    /// Lengths of dashes and gaps in turn, pixels; empty for a solid line.
    pub dashes: &'static [f64],
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Point on the base line.
    pub place: [f64; 2],
    /// Where on the text that point is.
    pub anchor: Anchor,
    /// Size of the letters, pixels.
    pub size: f64,
    /// Whether it runs upwards.
    pub is_turned: bool,
}

/// A point of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// Size of letters of a [`Text::new`], pixels.
const LETTERS: f64 = 11.0;

impl Text {
    /// A horizontal text of the usual size.
    pub fn new(text: impl Into<String>, place: [f64; 2], anchor: Anchor) -> Self {
        Self { text: text.into(), place, anchor, size: LETTERS, is_turned: false }
    }
}

impl Stroke {
    /// A solid line, 1 pixel wide.
    pub fn solid(color: [u8; 3]) -> Self {
        Self { color, width: 1.0, dashes: &[] }
    }
}

impl Drawing {
    /// The drawing as SVG. Equal drawings give equal bytes.
    pub fn to_svg(&self) -> String {
        let Self { title, width, height, marks } = self;
        let mut svg = String::new();
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"{LETTERS}\">"
        );
        let _ = writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
        let _ = writeln!(svg, "<title>{}</title>", escaped(title));
        let is_text = |mark: &&Mark| matches!(mark, Mark::Text(_));
        for mark in marks.iter().filter(|mark| !is_text(mark)).chain(marks.iter().filter(is_text)) {
            mark.write(&mut svg);
        }
        svg.push_str("</svg>\n");
        svg
    }
}

impl Mark {
    fn write(&self, svg: &mut String) {
        let _ = match self {
            Self::Lines { lines, stroke } => {
                let mut path = String::new();
                for line in lines {
                    for (index, [x, y]) in line.iter().enumerate() {
                        let _ = write!(path, "{}{x:.2} {y:.2}", if index == 0 { 'M' } else { 'L' });
                    }
                }
                writeln!(svg, "<path d=\"{path}\" fill=\"none\"{}/>", attributes(stroke))
            }
            Self::Frame { corner: [x, y], size: [width, height], stroke } => writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\"{}/>",
                attributes(stroke)
            ),
            Self::Text(Text { text, place: [x, y], anchor, size, is_turned }) => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let size = if *size == LETTERS { String::new() } else { format!(" font-size=\"{size}\"") };
                let turn = if *is_turned { format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"") } else { String::new() };
                writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor}{size}{turn}>{}</text>", escaped(text))
            }
        };
    }
}

fn attributes(Stroke { color: [red, green, blue], width, dashes }: &Stroke) -> String {
    let mut text = format!(" stroke=\"#{red:02x}{green:02x}{blue:02x}\"");
    if *width != 1.0 {
        let _ = write!(text, " stroke-width=\"{}\"", (width * 100.0).round() / 100.0);
    }
    if !dashes.is_empty() {
        let dashes: Vec<_> = dashes.iter().map(f64::to_string).collect();
        let _ = write!(text, " stroke-dasharray=\"{}\"", dashes.join(" "));
    }
    text
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
