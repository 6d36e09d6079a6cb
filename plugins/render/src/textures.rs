//! Images on surfaces.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use bunraku_document::Diagnostic;
use bunraku_mesh::{MAX_TEXTURE_SIDE, Pixels, Shape, TextureImage};
use nalgebra::Matrix2x3;

use crate::color::Linear;

/// Maximum number of pixels of all images, 1 GiB of memory: sixteen of 4096 × 4096.
const MOST_PIXELS: u64 = 1 << 28;
/// Maximum number of triangles of all models: each takes about 300 bytes with its part of the tree. A large robot has
/// half a million.
const MOST_TRIANGLES: usize = 4_000_000;

/// Reads the images of models, each file once, and counts the resources of all models created with it.
#[derive(Debug)]
pub struct Textures {
    files: HashMap<PathBuf, Option<Arc<Picture>>>,
    /// Images that could not be read, once each; and shapes left out because of a limit for all models: `limit-pixels`,
    /// `limit-triangles`.
    pub diagnostics: Vec<Diagnostic>,
    pixels_left: u64,
    triangles_left: usize,
}

impl Default for Textures {
    fn default() -> Self {
        Self {
            files: HashMap::new(),
            diagnostics: Vec::new(),
            pixels_left: MOST_PIXELS,
            triangles_left: MOST_TRIANGLES,
        }
    }
}

/// A picture in memory.
#[derive(Debug)]
pub struct Picture {
    pixels: Arc<Pixels>,
    /// Linear value of each byte.
    table: [f32; 256],
}

/// An image and its mapping on the surface.
#[derive(Clone, Debug)]
pub struct PlacedPicture {
    /// Image, shared by the surfaces that use it.
    pub picture: Arc<Picture>,
    /// Whether it is repeated to the right and up; otherwise its border is extended.
    pub repeat: [bool; 2],
    /// Transform from the texture coordinates of the surface (s to the right, t up, 1) to those of the image, from 0 to
    /// 1.
    pub transform: Matrix2x3<f32>,
}

impl Textures {
    /// Reads an image; `None`, reported once, if it is invalid.
    pub(crate) fn read(&mut self, image: &TextureImage) -> Option<Arc<Picture>> {
        let name = match image {
            TextureImage::File(path) => {
                if let Some(known) = self.files.get(path) {
                    return known.clone();
                }
                format!("the picture {}", path.display())
            }
            TextureImage::Encoded(_) | TextureImage::Pixels(_) => "a picture inside the model".to_owned(),
        };
        let pixels = image.pixels(MAX_TEXTURE_SIDE);
        let picture = match pixels {
            Ok(pixels) if !self.take_pixels([pixels.width, pixels.height]) => {
                self.limit(
                    "limit-pixels",
                    format!("{name} is not shown: all pictures have more than {MOST_PIXELS} pixels together"),
                );
                None
            }
            Ok(pixels) => Some(Arc::new(Picture::new(pixels))),
            Err(reason) => {
                let message = format!("{name} is not shown: {reason}");
                if !self.diagnostics.iter().any(|known| known.message == message) {
                    self.diagnostics.push(Diagnostic::warning("unreadable-texture", message));
                }
                None
            }
        };
        if let TextureImage::File(path) = image {
            self.files.insert(path.clone(), picture.clone());
        }
        picture
    }

    /// Counts the triangles of a shape; false, after an error, if the limit is exceeded.
    pub(crate) fn take_triangles(&mut self, number: usize, owner: &str) -> bool {
        let left = self.triangles_left.checked_sub(number);
        if left.is_none() {
            let message =
                format!("all shapes together have more than {MOST_TRIANGLES} triangles: {owner} is not shown");
            self.limit("limit-triangles", message);
        }
        self.triangles_left = left.unwrap_or(self.triangles_left);
        left.is_some()
    }

    /// Whether models of all these shapes are within the limits, without creating their triangles. Exceeded limits are
    /// errors among the findings.
    pub fn have_room<'s>(&mut self, shapes: impl IntoIterator<Item = (&'s Shape, String)>) -> bool {
        let before = self.triangles_left;
        let fits = shapes.into_iter().all(|(shape, owner)| self.take_triangles(shape.geometry.num_triangles(), &owner));
        self.triangles_left = before;
        fits
    }

    fn take_pixels(&mut self, [width, height]: [u32; 2]) -> bool {
        let left = self.pixels_left.checked_sub(u64::from(width) * u64::from(height));
        self.pixels_left = left.unwrap_or(self.pixels_left);
        left.is_some()
    }

    fn limit(&mut self, code: &'static str, message: String) {
        // One finding of each code is enough.
        if !self.diagnostics.iter().any(|known| known.code == code) {
            let help = match code {
                "limit-pixels" => "use smaller pictures",
                _ => "use a smaller `division_number`, or simpler meshes",
            };
            self.diagnostics.push(Diagnostic::error(code, message).help(help));
        }
    }
}

impl Picture {
    fn new(pixels: Arc<Pixels>) -> Self {
        let mut table = [0.0; 256];
        for (value, linear) in (0..=u8::MAX).zip(&mut table) {
            *linear = Linear::from_pixel([value; 3]).0[0];
        }
        Self { pixels, table }
    }

    /// Red, green, blue (sRGB) and alpha, row by row from the upper left.
    pub fn pixels(&self) -> &Pixels {
        &self.pixels
    }

    fn pixel(&self, x: u32, y: u32) -> (Linear, f32) {
        let index = y as usize * self.pixels.width as usize + x as usize;
        let [red, green, blue, alpha] = self.pixels.rgba[index];
        (Linear([red, green, blue].map(|value| self.table[usize::from(value)])), f32::from(alpha) / 255.0)
    }
}

impl PlacedPicture {
    /// Colour and alpha at texture coordinates (s to the right, t up), with bilinear interpolation.
    pub(crate) fn sample(&self, s: f32, t: f32) -> (Linear, f32) {
        let uv = self.transform * nalgebra::Vector3::new(s, t, 1.0);
        let &Pixels { width, height, .. } = &*self.picture.pixels;
        let [x0, x1, x] = neighbours(uv.x, width, self.repeat[0]);
        let [y0, y1, y] = neighbours(1.0 - uv.y, height, self.repeat[1]);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let pixel = |x: f32, y: f32| self.picture.pixel((x as u32).min(width - 1), (y as u32).min(height - 1));
        let mix = |a: (Linear, f32), b: (Linear, f32), weight: f32| (a.0.mix(b.0, weight), a.1 + (b.1 - a.1) * weight);
        mix(mix(pixel(x0, y0), pixel(x1, y0), x), mix(pixel(x0, y1), pixel(x1, y1), x), y)
    }
}

/// The two pixels around a coordinate (0 to 1 over the image) and the weight of the second.
fn neighbours(coordinate: f32, count: u32, repeat: bool) -> [f32; 3] {
    let count = count as f32;
    let coordinate = if !coordinate.is_finite() {
        0.0
    } else if repeat {
        coordinate - coordinate.floor()
    } else {
        coordinate.clamp(0.0, 1.0)
    };
    let position = coordinate * count - 0.5;
    let first = position.floor();
    let weight = position - first;
    let into = |pixel: f32| {
        if repeat { pixel.rem_euclid(count) } else { pixel.clamp(0.0, count - 1.0) }
    };
    [into(first), into(first + 1.0), weight]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_pictures_of_8192_pixels_a_side_are_too_many_together() {
        let mut textures = Textures::default();
        let taken = (0..12).filter(|_| textures.take_pixels([8192, 8192])).count();
        assert_eq!(taken, 4, "1 GiB");
        assert!(!textures.take_pixels([1, 1]));
    }
}
