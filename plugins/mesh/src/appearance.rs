use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{Matrix2, Matrix2x3, Rotation2, Vector2, Vector3};

/// How a surface looks. Colours are factors 0…1 of red, green and blue, as written in the file (sRGB for a modern
/// renderer: that is how the original shows them).
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    /// Diffuse reflection: the colour of the thing.
    pub diffuse: Vector3<f64>,
    /// Light it gives off.
    pub emissive: Vector3<f64>,
    /// Colour of the highlight.
    pub specular: Vector3<f64>,
    /// Sharpness of the highlight (Phong exponent).
    pub specular_exponent: f64,
    /// Factor for ambient light.
    pub ambient: f64,
    /// 0 is opaque, 1 invisible.
    pub transparency: f64,
    /// A picture on it, multiplied with the diffuse colour.
    pub texture: Option<Texture>,
}

/// A picture on a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// The picture.
    pub image: TextureImage,
    /// Whether it is repeated along S (to the right in the picture) and T (up); its border goes on otherwise.
    pub repeat: [bool; 2],
    /// What is done to texture coordinates before they are looked up.
    pub transform: TextureTransform,
}

/// Where a picture comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureImage {
    /// A picture file; it was there when the model was read.
    File(PathBuf),
    /// A picture file inside another file.
    Encoded(Arc<[u8]>),
    /// Pixels that a model file spells out.
    Pixels(Arc<Pixels>),
}

/// An uncompressed picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and alpha of each pixel, row by row from the top.
    pub rgba: Vec<[u8; 4]>,
}

/// A change of texture coordinates by the formula of VRML97 §6.49: they are moved by `translation`, moved by `center`,
/// turned, scaled, and moved back by `center`. It acts on the coordinates, so that a scale of 2 shows the picture at half
/// the size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// Centre of scale and rotation.
    pub center: Vector2<f64>,
    /// Turn, rad, counter-clockwise.
    pub rotation: f64,
    /// Factors.
    pub scale: Vector2<f64>,
    /// Shift.
    pub translation: Vector2<f64>,
}

impl Default for Appearance {
    fn default() -> Self {
        Self {
            diffuse: Vector3::repeat(1.0),
            emissive: Vector3::zeros(),
            specular: Vector3::zeros(),
            specular_exponent: 25.0,
            ambient: 1.0,
            transparency: 0.0,
            texture: None,
        }
    }
}

impl Default for TextureTransform {
    fn default() -> Self {
        Self { center: Vector2::zeros(), rotation: 0.0, scale: Vector2::repeat(1.0), translation: Vector2::zeros() }
    }
}

impl TextureTransform {
    /// The 2×3 matrix that takes (s, t, 1) to the coordinates to look up.
    pub fn matrix(&self) -> Matrix2x3<f64> {
        let turn = Rotation2::new(self.rotation);
        let linear = Matrix2::from_diagonal(&self.scale) * turn.matrix();
        let shift = linear * (self.center + self.translation) - self.center;
        Matrix2x3::from_columns(&[linear.column(0).into(), linear.column(1).into(), shift])
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn a_texture_transform_is_that_of_vrml97() {
        let transform = TextureTransform {
            center: Vector2::new(0.5, 0.25),
            rotation: std::f64::consts::FRAC_PI_2,
            scale: Vector2::new(2.0, 3.0),
            translation: Vector2::new(0.1, 0.2),
        };
        // (1, 0) → (1.1, 0.2) → (1.6, 0.45) → (−0.45, 1.6) → (−0.9, 4.8) → (−1.4, 4.55)
        let moved = transform.matrix() * Vector3::new(1.0, 0.0, 1.0);
        assert!((moved - Vector2::new(-1.4, 4.55)).norm() < 1e-12, "{moved}");
        let unmoved = TextureTransform::default().matrix() * Vector3::new(0.3, 0.7, 1.0);
        assert_eq!(unmoved, Vector2::new(0.3, 0.7));
    }
}
