//! Terrain from a picture: lighter pixels are higher.

use std::fmt::Write;

use bunraku_document::{Mapping, read_bytes};
use bunraku_mesh::decode_picture;

use super::context::SceneContext;

/// Maximum number of pixels along an edge: half a million triangles.
const MOST_PIXELS: u32 = 512;

/// The keys of a `Shape` node for a height picture. The size of the terrain is x, y, and the height of white above
/// black, m. The origin is in its middle; black is at z = 0. The first row of the picture is at +Y.
pub(super) fn read(mapping: &Mapping<'_, '_>, context: &SceneContext<'_>) -> Option<String> {
    let reporter = context.reporter;
    let node = mapping.required_or(&["image"], "write `image:` and the path of a PNG or JPEG file")?;
    let size_node = mapping.required_or(&["size"], "write `size: [ x, y, height ]` in metres");
    let size = mapping.array::<3>(&["size"]);
    let file = context.file(node)?;
    let [x, y, height] = size?;
    if x <= 0.0 || y <= 0.0 {
        reporter.report(size_node?.error("not-positive", "the edges of a heightfield must be positive"));
        return None;
    }
    let bytes = read_bytes(&file, &context.options.limits)
        .map_err(|error| reporter.report(error.to_diagnostic().at(node.source(), node.span())))
        .ok()?;
    let picture = match decode_picture(&bytes, MOST_PIXELS) {
        Ok(picture) => picture,
        Err(error) => {
            let message = format!("the picture cannot be read: {error}");
            let help =
                format!("a heightfield takes PNG and JPEG files of at most {MOST_PIXELS} × {MOST_PIXELS} pixels");
            reporter.report(node.error("bad-image", message).help(help));
            return None;
        }
    };
    let (columns, rows) = picture.dimensions();
    if columns < 2 || rows < 2 {
        reporter.report(node.error("bad-image", "a heightfield needs two pixels in each direction at least"));
        return None;
    }
    // 16 bits per pixel: 8 make steps that a foot would notice.
    let heights = picture.luminances();
    let spacings = [x / f64::from(columns - 1), y / f64::from(rows - 1)];
    // The grid of model files lies in the XZ plane with heights along Y. A rotation by 90° about X maps its Z to −Y.
    let mut text = format!(
        "        translation: [ {}, {}, 0 ]\n        rotation: [ 1, 0, 0, 90 ]\n        geometry:\n          type: ElevationGrid\n          \
         x_dimension: {columns}\n          z_dimension: {rows}\n          x_spacing: {}\n          z_spacing: {}\n          \
         crease_angle: 60\n          height: [",
        -x / 2.0,
        y / 2.0,
        spacings[0],
        spacings[1]
    );
    for (index, value) in heights.into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{:.6}", if index == 0 { " " } else { ", " }, f64::from(value) / 65535.0 * height);
    }
    text.push_str(" ]\n");
    Some(text)
}
