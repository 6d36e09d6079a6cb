//! Draws a plot as pixels.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};
use bunraku::motion::{Anchor, Drawing, Mark, Stroke, Text};
use tiny_skia::{Color, Paint, Path, PathBuilder, Pixmap, Rect, StrokeDash, Transform};

use crate::cli::bitmap::Bitmap;

/// Draws a plot.
///
/// # Errors
/// If it is larger than a picture can be. Any other error is a bug of the program.
pub fn draw(drawing: &Drawing) -> Result<Bitmap, String> {
    let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).map_err(|error| error.to_string())?;
    let &Drawing { width, height, .. } = drawing;
    let mut pixels = Pixmap::new(width, height).ok_or("it is too large")?;
    pixels.fill(Color::WHITE);
    let mut texts = Vec::new();
    for mark in &drawing.marks {
        match mark {
            Mark::Lines { lines, stroke: look } => stroke(&mut pixels, look, path(lines)),
            Mark::Frame { corner, size, stroke: look } => stroke(&mut pixels, look, frame(*corner, *size)),
            Mark::Text(text) => texts.push(text),
        }
    }
    let rgb = pixels.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
    let mut picture = Bitmap { width, height, pixels: rgb.collect() };
    for text in texts {
        write(&mut picture, &font, text);
    }
    Ok(picture)
}

/// A coordinate of tiny-skia.
#[allow(clippy::cast_possible_truncation)]
fn single(value: f64) -> f32 {
    value as f32
}

fn stroke(pixels: &mut Pixmap, Stroke { color, width, dashes }: &Stroke, path: Option<Path>) {
    let Some(path) = path else { return };
    let dashes = dashes.iter().copied().map(single).collect();
    let look =
        tiny_skia::Stroke { width: single(*width), dash: StrokeDash::new(dashes, 0.0), ..tiny_skia::Stroke::default() };
    let mut paint = Paint::default();
    let [red, green, blue] = *color;
    paint.set_color_rgba8(red, green, blue, u8::MAX);
    pixels.stroke_path(&path, &paint, &look, Transform::identity(), None);
}

fn path(lines: &[Vec<[f64; 2]>]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for line in lines {
        for (index, [x, y]) in line.iter().map(|place| place.map(single)).enumerate() {
            if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
        }
    }
    builder.finish()
}

/// The four sides of a rectangle as a path.
fn frame(corner: [f64; 2], size: [f64; 2]) -> Option<Path> {
    let ([x, y], [width, height]) = (corner.map(single), size.map(single));
    Some(PathBuilder::from_rect(Rect::from_xywh(x, y, width, height)?))
}

/// Draws a line of text in black; a turned one runs upwards.
fn write(picture: &mut Bitmap, font: &FontRef<'_>, text: &Text) {
    let [x, y] = text.place.map(single);
    // A font size is that of the em square; the crate scales by the height from the lowest to the highest glyph.
    let scale = PxScale::from(single(text.size) * font.height_unscaled() / font.units_per_em().unwrap_or(1000.0));
    let scaled = font.as_scaled(scale);
    let mut glyphs: Vec<Glyph> = Vec::new();
    let mut length = 0.0;
    for letter in text.text.chars().filter(|letter| !letter.is_control()) {
        let id = scaled.glyph_id(letter);
        if let Some(before) = glyphs.last() {
            length += scaled.kern(before.id, id);
        }
        glyphs.push(id.with_scale_and_position(scale, point(length, 0.0)));
        length += scaled.h_advance(id);
    }
    let start = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -length / 2.0,
        Anchor::End => -length,
    };
    for outlined in glyphs.into_iter().filter_map(|glyph| font.outline_glyph(glyph)) {
        let bounds = outlined.px_bounds();
        outlined.draw(|column, row, coverage| {
            // From the start of the line, to the right and downwards.
            #[allow(clippy::cast_precision_loss)]
            let (along, down) = (start + bounds.min.x + column as f32, bounds.min.y + row as f32);
            let place = if text.is_turned { (x + down, y - along) } else { (x + along, y + down) };
            blend(picture, place, coverage);
        });
    }
}

/// Darkens a pixel if it is inside the picture.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn blend(picture: &mut Bitmap, (x, y): (f32, f32), coverage: f32) {
    if x < 0.0 || y < 0.0 {
        return;
    }
    let (x, y) = (x.round() as u32, y.round() as u32);
    if x >= picture.width || y >= picture.height {
        return;
    }
    if let Some(pixel) = picture.pixels.get_mut(y as usize * picture.width as usize + x as usize) {
        for channel in pixel {
            *channel = (f32::from(*channel) * (1.0 - coverage.clamp(0.0, 1.0))).round() as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use bunraku::motion::{Channel, PlotSize};

    use super::*;

    const SIZE: PlotSize = PlotSize { width: 500, panel_height: 264 };

    fn plot(channels: &[Channel]) -> Bitmap {
        draw(&bunraku::motion::plot("arm & hand", channels, SIZE)).unwrap()
    }

    /// The mean position of the pixels of a colour, and their number.
    fn middle(picture: &Bitmap, is_of: impl Fn(&[u8; 3]) -> bool) -> ([f64; 2], usize) {
        let width = picture.width as usize;
        let found: Vec<_> = (0..picture.pixels.len()).filter(|index| is_of(&picture.pixels[*index])).collect();
        let sum = found
            .iter()
            .fold([0.0, 0.0], |sum, index| [sum[0] + (index % width) as f64, sum[1] + (index / width) as f64]);
        (sum.map(|sum| sum / found.len() as f64), found.len())
    }

    /// Whether a pixel has the blue of the first curve.
    fn is_blue(pixel: &[u8; 3]) -> bool {
        pixel[2] > 150 && pixel[0] < 60
    }

    #[test]
    fn curves_are_at_their_positions() {
        let level = |value: f64| Channel {
            name: "a".to_owned(),
            unit: "rad".to_owned(),
            points: vec![(0.0, 0.0), (0.4, value), (0.6, value), (1.0, 1.0)],
        };
        let picture = plot(&[level(0.9)]);
        assert_eq!((picture.width, picture.height), (500, 264));
        // The panel is 240 pixels wide starting at 70 and 200 high starting at 24, with a margin of a twentieth above
        // and below.
        let column: Vec<u32> = (0..264).filter(|y| is_blue(&picture.pixels[*y as usize * 500 + 190])).collect();
        let expected = 24.0 + 200.0 * (1.0 - (0.9 + 0.05) / 1.1);
        assert!(
            !column.is_empty() && column.iter().all(|y| (f64::from(*y) - expected).abs() < 2.0),
            "{column:?} {expected}"
        );
        assert!(middle(&picture, is_blue).1 > 200, "as long as the panel");
    }

    #[test]
    fn texts_are_written_at_their_positions() {
        let usual = Text::new("time, s", [60.0, 50.0], Anchor::Start);
        let drawn = |text: Text| {
            let drawing = Drawing { title: String::new(), width: 120, height: 100, marks: vec![Mark::Text(text)] };
            let ([x, y], count) = middle(&draw(&drawing).unwrap(), |pixel| pixel[0] < 200);
            assert!(count > 40, "{count} pixels are dark");
            [x, y]
        };
        let anchored = |anchor: Anchor| Text { anchor, ..usual.clone() };
        let [x, y] = drawn(anchored(Anchor::Middle));
        assert!((x - 60.0).abs() < 3.0 && (40.0..50.0).contains(&y), "{x} {y}");
        assert!(drawn(usual.clone())[0] > 65.0 && drawn(anchored(Anchor::End))[0] < 55.0);
        let [x, y] = drawn(Text { is_turned: true, ..anchored(Anchor::Middle) });
        assert!((y - 50.0).abs() < 3.0 && (50.0..60.0).contains(&x), "{x} {y}");
        assert!(drawn(Text { size: 22.0, ..usual.clone() })[0] > drawn(usual.clone())[0] + 10.0);
    }
}
