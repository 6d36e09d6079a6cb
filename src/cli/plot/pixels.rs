//! Rasterizes a plot from its SVG, so that both look the same. Only the SVG elements that plots contain are supported.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};
use image::{Rgb, RgbImage};
use roxmltree::{Document, Node};
use tiny_skia::{Color, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

/// Width of lines that specify none, pixels.
const LINE_WIDTH: f32 = 1.0;

/// Draws the SVG of a plot.
///
/// # Errors
/// If it is larger than a picture can be. Any other error is a bug of the program.
pub fn draw(svg: &str) -> Result<RgbImage, String> {
    let document = Document::parse(svg).map_err(|error| error.to_string())?;
    let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).map_err(|error| error.to_string())?;
    let top = document.root_element();
    let (width, height) = (whole(top, "width")?, whole(top, "height")?);
    let mut pixels = Pixmap::new(width, height).ok_or("it is too large")?;
    pixels.fill(Color::WHITE);
    let mut texts = Vec::new();
    for node in top.children().filter(Node::is_element) {
        match node.tag_name().name() {
            "path" => stroke(&mut pixels, node, path(node.attribute("d").unwrap_or_default())),
            "rect" if node.has_attribute("stroke") => stroke(&mut pixels, node, frame(node)),
            "text" => texts.push(node),
            // The white background and the title, which is not drawn.
            _ => {}
        }
    }
    let rgb = pixels.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
    let mut picture = RgbImage::from_raw(width, height, rgb.collect()).ok_or("it is too large")?;
    let usual = number(top, "font-size").unwrap_or(11.0);
    for node in texts {
        write(&mut picture, &font, node, usual);
    }
    Ok(picture)
}

fn number(node: Node<'_, '_>, name: &str) -> Option<f32> {
    node.attribute(name)?.parse().ok()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(node: Node<'_, '_>, name: &str) -> Result<u32, String> {
    number(node, name).map(|number| number.round() as u32).ok_or_else(|| format!("the plot has no {name}"))
}

fn stroke(pixels: &mut Pixmap, node: Node<'_, '_>, path: Option<Path>) {
    let Some(path) = path else { return };
    let dashes = node.attribute("stroke-dasharray").unwrap_or_default().split(' ').filter_map(|dash| dash.parse().ok());
    let stroke = Stroke {
        width: number(node, "stroke-width").unwrap_or(LINE_WIDTH),
        dash: StrokeDash::new(dashes.collect(), 0.0),
        ..Stroke::default()
    };
    let mut paint = Paint::default();
    let [red, green, blue] = color(node.attribute("stroke").unwrap_or_default());
    paint.set_color_rgba8(red, green, blue, u8::MAX);
    pixels.stroke_path(&path, &paint, &stroke, Transform::identity(), None);
}

/// The colour `#rrggbb` or `#rgb`; anything else is black.
fn color(text: &str) -> [u8; 3] {
    let digits: Vec<u8> = text.chars().filter_map(|letter| u8::try_from(letter.to_digit(16)?).ok()).collect();
    match digits[..] {
        [red, green, blue] => [red * 17, green * 17, blue * 17],
        [red, red_low, green, green_low, blue, blue_low] => {
            [red * 16 + red_low, green * 16 + green_low, blue * 16 + blue_low]
        }
        _ => [0; 3],
    }
}

/// The path in the attribute `d`: moves and lines, which may run along one axis only.
fn path(text: &str) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let (mut x, mut y) = (0.0, 0.0);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..)?;
        let end = rest.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (numbers, behind) = rest.split_at_checked(end)?;
        rest = behind;
        let numbers: Vec<f32> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
        match (letter, &numbers[..]) {
            ('M' | 'L', &[to_x, to_y]) => (x, y) = (to_x, to_y),
            ('H', &[to]) => x = to,
            ('V', &[to]) => y = to,
            ('h', &[by]) => x += by,
            _ => return None,
        }
        if letter == 'M' { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
    builder.finish()
}

/// The four sides of a rectangle as a path.
fn frame(node: Node<'_, '_>) -> Option<Path> {
    let of = |name| number(node, name);
    let rectangle = tiny_skia::Rect::from_xywh(of("x")?, of("y")?, of("width")?, of("height")?)?;
    Some(PathBuilder::from_rect(rectangle))
}

/// Draws a line of text in black; a rotated one runs upwards.
fn write(picture: &mut RgbImage, font: &FontRef<'_>, node: Node<'_, '_>, usual: f32) {
    let (Some(x), Some(y)) = (number(node, "x"), number(node, "y")) else { return };
    let text = node.text().unwrap_or_default();
    let size = number(node, "font-size").unwrap_or(usual);
    // A font size is that of the em square; the crate scales by the height from the lowest to the highest glyph.
    let scale = PxScale::from(size * font.height_unscaled() / font.units_per_em().unwrap_or(1000.0));
    let scaled = font.as_scaled(scale);
    let mut glyphs: Vec<Glyph> = Vec::new();
    let mut length = 0.0;
    for letter in text.chars() {
        let id = scaled.glyph_id(letter);
        if let Some(before) = glyphs.last() {
            length += scaled.kern(before.id, id);
        }
        glyphs.push(id.with_scale_and_position(scale, point(length, 0.0)));
        length += scaled.h_advance(id);
    }
    let start = match node.attribute("text-anchor") {
        Some("middle") => -length / 2.0,
        Some("end") => -length,
        _ => 0.0,
    };
    let is_turned = node.has_attribute("transform");
    for outlined in glyphs.into_iter().filter_map(|glyph| font.outline_glyph(glyph)) {
        let bounds = outlined.px_bounds();
        outlined.draw(|column, row, coverage| {
            // From the start of the line, to the right and downwards.
            #[allow(clippy::cast_precision_loss)]
            let (along, down) = (start + bounds.min.x + column as f32, bounds.min.y + row as f32);
            let place = if is_turned { (x + down, y - along) } else { (x + along, y + down) };
            blend(picture, place, coverage);
        });
    }
}

/// Darkens a pixel if it is inside the picture.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn blend(picture: &mut RgbImage, (x, y): (f32, f32), coverage: f32) {
    if x < 0.0 || y < 0.0 {
        return;
    }
    if let Some(Rgb(pixel)) = picture.get_pixel_mut_checked(x.round() as u32, y.round() as u32) {
        for channel in pixel {
            *channel = (f32::from(*channel) * (1.0 - coverage.clamp(0.0, 1.0))).round() as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use bunraku::motion::{Channel, PlotSize, plot_svg};

    use super::*;

    const SIZE: PlotSize = PlotSize { width: 500, panel_height: 264 };

    fn plot(channels: &[Channel]) -> RgbImage {
        draw(&plot_svg("arm & hand", channels, SIZE)).unwrap()
    }

    /// The mean position of the pixels of a colour, and their number.
    fn middle(picture: &RgbImage, is_of: impl Fn(&[u8; 3]) -> bool) -> ([f64; 2], usize) {
        let found: Vec<_> = picture.enumerate_pixels().filter(|(.., pixel)| is_of(&pixel.0)).collect();
        let sum = found.iter().fold([0.0, 0.0], |sum, (x, y, _)| [sum[0] + f64::from(*x), sum[1] + f64::from(*y)]);
        (sum.map(|sum| sum / found.len() as f64), found.len())
    }

    /// Whether a pixel has the blue of the first curve.
    fn is_blue(pixel: &[u8; 3]) -> bool {
        pixel[2] > 150 && pixel[0] < 60
    }

    #[test]
    fn curves_are_at_the_positions_of_the_svg() {
        let level = |value: f64| Channel {
            name: "a".to_owned(),
            unit: "rad".to_owned(),
            points: vec![(0.0, 0.0), (0.4, value), (0.6, value), (1.0, 1.0)],
        };
        let picture = plot(&[level(0.9)]);
        assert_eq!(picture.dimensions(), (500, 264));
        // The panel is 240 pixels wide starting at 70 and 200 high starting at 24, with a margin of a twentieth above
        // and below.
        let column: Vec<u32> = (0..264).filter(|y| is_blue(&picture.get_pixel(190, *y).0)).collect();
        let expected = 24.0 + 200.0 * (1.0 - (0.9 + 0.05) / 1.1);
        assert!(
            !column.is_empty() && column.iter().all(|y| (f64::from(*y) - expected).abs() < 2.0),
            "{column:?} {expected}"
        );
        assert!(middle(&picture, is_blue).1 > 200, "as long as the panel");
    }

    #[test]
    fn texts_are_written_at_their_positions() {
        let svg = |attributes: &str| {
            let text = format!("<text x=\"60\" y=\"50\" {attributes}>time, s</text>");
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"120\" height=\"100\" font-size=\"11\">{text}</svg>"
            );
            let ([x, y], count) = middle(&draw(&svg).unwrap(), |pixel| pixel[0] < 200);
            assert!(count > 40, "{count} pixels are dark");
            [x, y]
        };
        let [x, y] = svg("text-anchor=\"middle\"");
        assert!((x - 60.0).abs() < 3.0 && (40.0..50.0).contains(&y), "{x} {y}");
        assert!(svg("")[0] > 65.0 && svg("text-anchor=\"end\"")[0] < 55.0);
        let [x, y] = svg("text-anchor=\"middle\" transform=\"rotate(-90 60 50)\"");
        assert!((y - 50.0).abs() < 3.0 && (50.0..60.0).contains(&x), "{x} {y}");
        assert!(svg("font-size=\"22\"")[0] > svg("")[0] + 10.0);
    }

    #[test]
    fn colours_have_three_digits_or_six() {
        assert_eq!((color("#ddd"), color("#0072b2"), color("none!")), ([0xdd; 3], [0, 0x72, 0xb2], [0; 3]));
    }
}
