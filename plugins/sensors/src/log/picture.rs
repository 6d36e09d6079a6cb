//! Images as PNG files.

use std::io::Write;
use std::path::Path;

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};

use super::LogError;
use super::whole::write_whole;

/// Unit of depths in a PNG, m.
const DEPTH_UNIT: f32 = 0.001;

/// Channels of a pixel, and the bits of each.
type Format = (ColorType, BitDepth);
const COLOR: Format = (ColorType::Rgb, BitDepth::Eight);
const GRAY: Format = (ColorType::Grayscale, BitDepth::Sixteen);

/// Writes an image of `width` × `height` pixels, row by row from the upper left, red, green and blue (sRGB).
///
/// # Errors
/// If the number of pixels differs, or the file cannot be written.
pub fn write_color_png(path: &Path, pixels: &[[u8; 3]], width: u32, height: u32) -> Result<(), LogError> {
    write(path, pixels.as_flattened(), pixels.len(), (width, height), COLOR)
}

/// As [`write_color_png`], as the bytes of a file; `path` is its name in messages.
///
/// # Errors
/// If the number of pixels differs.
pub fn encode_color_png(path: &Path, pixels: &[[u8; 3]], width: u32, height: u32) -> Result<Vec<u8>, LogError> {
    check(path, pixels.len(), width, height)?;
    let mut bytes = Vec::new();
    let encoded = encode(&mut bytes, pixels.as_flattened(), (width, height), COLOR);
    encoded.map_err(|reason| LogError::File { path: path.to_owned(), reason })?;
    Ok(bytes)
}

/// Writes depths (m) as a grey image of 16 bits: mm, from 1 to 65535. Depths beyond 65.535 m and pixels without a hit
/// are 0.
///
/// # Errors
/// If the number of depths differs, or the file cannot be written.
pub fn write_depth_png(path: &Path, depths: &[f32], width: u32, height: u32) -> Result<(), LogError> {
    let millimetres = |depth: f32| {
        let value = (depth / DEPTH_UNIT).round();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let value = if value <= f32::from(u16::MAX) { value.max(1.0) as u16 } else { 0 };
        value
    };
    let bytes: Vec<u8> = depths.iter().flat_map(|&depth| millimetres(depth).to_be_bytes()).collect();
    write(path, &bytes, depths.len(), (width, height), GRAY)
}

/// Writes labels as a grey image of 16 bits; labels beyond 65535 are 0.
///
/// # Errors
/// If the number of labels differs, or the file cannot be written.
pub fn write_label_png(path: &Path, labels: &[u32], width: u32, height: u32) -> Result<(), LogError> {
    let bytes: Vec<u8> = labels.iter().flat_map(|&label| u16::try_from(label).unwrap_or(0).to_be_bytes()).collect();
    write(path, &bytes, labels.len(), (width, height), GRAY)
}

fn write(
    path: &Path,
    bytes: &[u8],
    values: usize,
    (width, height): (u32, u32),
    format: Format,
) -> Result<(), LogError> {
    check(path, values, width, height)?;
    write_whole(path, |writer| encode(writer, bytes, (width, height), format))
}

fn check(path: &Path, values: usize, width: u32, height: u32) -> Result<(), LogError> {
    if values == 0 || u64::from(width) * u64::from(height) != values as u64 {
        let (width, height) = (width as usize, height as usize);
        return Err(LogError::Shape { path: path.to_owned(), values, width, height });
    }
    Ok(())
}

fn encode(writer: impl Write, bytes: &[u8], (width, height): (u32, u32), (color, depth): Format) -> Result<(), String> {
    let write = || -> Result<(), EncodingError> {
        let mut encoder = Encoder::new(writer, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        // There are many images.
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Sub);
        encoder.write_header()?.write_image_data(bytes)
    };
    write().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("depth.png");
        write_depth_png(&path, &[0.5, 1.2344, f32::INFINITY, 70.0, 65.535, 0.0], 3, 2).unwrap();
        let depth = image::open(&path).unwrap().into_luma16();
        assert_eq!(depth.dimensions(), (3, 2));
        assert_eq!(depth.into_raw(), [500, 1234, 0, 0, 65535, 1]);
        let path = folder.path().join("labels.png");
        write_label_png(&path, &[0, 1, 258, 70_000], 2, 2).unwrap();
        assert_eq!(image::open(&path).unwrap().into_luma16().into_raw(), [0, 1, 258, 0]);
        let path = folder.path().join("color.png");
        write_color_png(&path, &[[1, 2, 3], [4, 5, 6]], 1, 2).unwrap();
        assert_eq!(image::open(&path).unwrap().into_rgb8().into_raw(), [1, 2, 3, 4, 5, 6]);
        assert!(matches!(write_color_png(&path, &[], 0, 0), Err(LogError::Shape { .. })));
    }
}
