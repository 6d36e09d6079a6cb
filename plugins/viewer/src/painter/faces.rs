//! Fisheye lenses composed of perspective images: the faces of a cube around the eye.

use bunraku_render::Linear;
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

use super::canvas::Drawn;

/// A face of the cube: its direction, and the axes right and up in its image, in the optical frame of the lens.
pub struct Face {
    right: Vector3<f64>,
    up: Vector3<f64>,
    ahead: Vector3<f64>,
}

/// A point of a face, pixels from its upper left corner.
pub struct Spot {
    pub face: usize,
    x: f64,
    y: f64,
}

/// All six: left, right, below, above, behind, ahead.
pub fn faces() -> [Face; 6] {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let face = |ahead: Vector3<f64>, up: Vector3<f64>| Face { right: ahead.cross(&up), up, ahead };
    [face(-x, y), face(x, y), face(-y, -z), face(y, z), face(z, y), face(-z, y)]
}

impl Face {
    /// Its optical frame in that of the lens.
    pub fn turn(&self) -> Rotation3<f64> {
        Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[self.right, self.up, -self.ahead]))
    }
}

/// Intersection of a direction with the cube, whose faces have `side` × `side` pixels.
pub fn spot(direction: &Unit<Vector3<f64>>, faces: &[Face; 6], side: u32) -> Spot {
    let axis = direction.iamax();
    let face =
        if axis == 2 { 4 + usize::from(direction.z < 0.0) } else { 2 * axis + usize::from(direction[axis] > 0.0) };
    let Face { right, up, ahead } = &faces[face];
    let depth = direction.dot(ahead);
    let half = f64::from(side) / 2.0;
    Spot { face, x: half * (1.0 + direction.dot(right) / depth), y: half * (1.0 - direction.dot(up) / depth) }
}

/// The colour at a spot of a face, with bilinear interpolation, and the distance along the ray of the pixel that
/// contains it.
pub fn look_up(spot: &Spot, drawn: &Drawn, side: u32) -> ([u8; 3], f32) {
    let last = side.saturating_sub(1);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let near = |value: f64| ((value.max(0.0)) as u32).min(last);
    let index = |x: u32, y: u32| y as usize * side as usize + x as usize;
    let color = |x: u32, y: u32| Linear::from_pixel(drawn.colors.get(index(x, y)).copied().unwrap_or_default());
    let (x, y) = (spot.x - 0.5, spot.y - 0.5);
    let (left, above) = (near(x.floor()), near(y.floor()));
    let (right, below) = (near(x.floor() + 1.0), near(y.floor() + 1.0));
    let (across, down) = ((x - x.floor()) as f32, (y - y.floor()) as f32);
    let upper = color(left, above).mix(color(right, above), across);
    let lower = color(left, below).mix(color(right, below), across);
    let depth = drawn.depths.get(index(near(spot.x), near(spot.y))).copied().unwrap_or(f32::INFINITY);
    let half = f64::from(side) / 2.0;
    let slant =
        Vector3::new(f64::from(near(spot.x)) + 0.5 - half, f64::from(near(spot.y)) + 0.5 - half, half).norm() / half;
    (upper.mix(lower, down).to_pixel(), depth * slant as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_is_on_the_face_of_its_side() {
        let faces = faces();
        let side = 10;
        for (x, y, z) in
            [(0.1, 0.2, -1.0), (0.1, 0.2, 1.0), (1.0, 0.3, -0.2), (-1.0, 0.3, 0.2), (0.2, 1.0, 0.1), (0.2, -1.0, 0.1)]
        {
            let direction = Unit::new_normalize(Vector3::new(x, y, z));
            let spot = spot(&direction, &faces, side);
            // Converts from the pixel back to the direction, through the frame of the face.
            let half = f64::from(side) / 2.0;
            let local = Vector3::new(spot.x - half, half - spot.y, -half);
            let back = faces[spot.face].turn() * local.normalize();
            assert!((back - direction.into_inner()).norm() < 1e-12, "{direction:?} {back:?}");
            assert!((faces[spot.face].turn().matrix().determinant() - 1.0).abs() < 1e-12);
        }
    }
}
