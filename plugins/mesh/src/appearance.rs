use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{Matrix2, Matrix2x3, Rotation2, Vector2, Vector3};

/// Appearance of a surface. Colours are factors 0…1 of red, green and blue, as written in the file (sRGB for a modern
/// renderer: the original displays them so).
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    /// Diffuse reflection: the base colour.
    pub diffuse: Vector3<f64>,
    /// Emitted light.
    pub emissive: Vector3<f64>,
    /// Colour of the highlight.
    pub specular: Vector3<f64>,
    /// Sharpness of the highlight (Phong exponent).
    pub specular_exponent: f64,
    /// Factor for ambient light.
    pub ambient: f64,
    /// 0 is opaque, 1 invisible.
    pub transparency: f64,
    /// Image on the surface, multiplied with the diffuse colour.
    pub texture: Option<Texture>,
}

/// Image on a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    /// Image data.
    pub image: TextureImage,
    /// Whether the image is repeated along S (to the right in the image) and T (up). Otherwise its border is extended.
    pub repeat: [bool; 2],
    /// Transformation of texture coordinates before the lookup.
    pub transform: TextureTransform,
}

/// Source of an image.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureImage {
    /// Image file that existed when the model was read.
    File(PathBuf),
    /// Encoded image file that is embedded in another file.
    Encoded(Arc<[u8]>),
    /// Pixels that are listed in a model file.
    Pixels(Arc<Pixels>),
}

/// Uncompressed image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and alpha of each pixel, row by row from the top.
    pub rgba: Vec<[u8; 4]>,
}

/// Transformation of texture coordinates by the formula of VRML97 §6.49: they are moved by `translation`, moved by
/// `center`, rotated, scaled, and moved back by `center`. It acts on the coordinates, so a scale of 2 shows the image
/// at half the size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// Centre of scale and rotation.
    pub center: Vector2<f64>,
    /// Rotation, rad, counter-clockwise.
    pub rotation: f64,
    /// Scale factors.
    pub scale: Vector2<f64>,
    /// Translation.
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
    /// The 2×3 matrix that maps (s, t, 1) to the coordinates of the lookup.
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
    fn texture_transform_follows_vrml97() {
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
