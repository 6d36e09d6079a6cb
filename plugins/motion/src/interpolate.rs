use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// A type of frame data that can be interpolated.
pub trait Interpolate: Copy {
    /// The value at `fraction` (0 to 1) between `self` and `other`.
    #[must_use]
    fn interpolate(&self, other: &Self, fraction: f64) -> Self;
}

impl Interpolate for f64 {
    fn interpolate(&self, other: &Self, fraction: f64) -> Self {
        self + (other - self) * fraction
    }
}

impl Interpolate for Vector3<f64> {
    fn interpolate(&self, other: &Self, fraction: f64) -> Self {
        self + (other - self) * fraction
    }
}

/// The translation is interpolated linearly, the rotation along the shorter arc at constant speed.
impl Interpolate for Isometry3<f64> {
    fn interpolate(&self, other: &Self, fraction: f64) -> Self {
        let translation = self.translation.vector.interpolate(&other.translation.vector, fraction);
        Self::from_parts(Translation3::from(translation), slerp(&self.rotation, &other.rotation, fraction))
    }
}

/// Below this angle between two quaternions (rad) linear interpolation is as accurate as the arc, and a division by
/// `sin` would lose digits.
const SMALL_ANGLE: f64 = 1e-6;

// nalgebra's slerp panics if the sine is zero.
fn slerp(from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>, fraction: f64) -> UnitQuaternion<f64> {
    let (from, mut to) = (from.coords, to.coords);
    // Both signs of a quaternion are the same rotation: the nearer one is used.
    if from.dot(&to) < 0.0 {
        to = -to;
    }
    // Computed from the chord, which is exact for small angles, unlike the cosine.
    let angle = 2.0 * libm::asin((0.5 * (to - from).norm()).min(1.0));
    let mixed = if angle < SMALL_ANGLE {
        from + (to - from) * fraction
    } else {
        from * libm::sin((1.0 - fraction) * angle) + to * libm::sin(fraction * angle)
    };
    UnitQuaternion::new_normalize(Quaternion::from(mixed))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn about_z(angle: f64) -> Isometry3<f64> {
        Isometry3::rotation(Vector3::z() * angle)
    }

    #[test]
    fn half_way_is_half_the_angle() {
        for angle in [1e-9, 1e-3, 0.5, 3.0, PI] {
            let half = about_z(0.0).interpolate(&about_z(angle), 0.5);
            assert!((half.rotation.angle() - angle / 2.0).abs() < 1e-12, "{angle}");
        }
    }

    #[test]
    fn the_sign_of_a_quaternion_is_ignored() {
        let flipped = Isometry3::from_parts(
            Translation3::identity(),
            UnitQuaternion::new_unchecked(-about_z(0.4).rotation.into_inner()),
        );
        let half = about_z(0.2).interpolate(&flipped, 0.5);
        assert!(half.rotation.angle_to(&about_z(0.3).rotation) < 1e-12);
    }

    #[test]
    fn opposite_rotations_give_some_unit_quaternion() {
        let (a, b) = (about_z(0.0), Isometry3::rotation(Vector3::x() * PI));
        let mixed = a.interpolate(&b, 0.5).rotation;
        assert!((mixed.norm() - 1.0).abs() < 1e-12);
    }
}
