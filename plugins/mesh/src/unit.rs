//! Directions and rotations from numbers of any size.

use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

/// The direction of a vector; `None` if it is not longer than `shortest` or not finite.
///
/// nalgebra squares the components, which overflows from 1e154 on: the direction of such a vector would be zero.
pub fn unit_vector(vector: Vector3<f64>, shortest: f64) -> Option<Unit<Vector3<f64>>> {
    let scale = scale(vector.amax())?;
    let scaled = vector / scale;
    (scaled.norm() * scale > shortest).then(|| Unit::new_normalize(scaled))
}

/// The rotation of a quaternion; `None` if its norm is not greater than `shortest` or not finite.
pub fn unit_quaternion(quaternion: Quaternion<f64>, shortest: f64) -> Option<UnitQuaternion<f64>> {
    let scale = scale(quaternion.coords.amax())?;
    let scaled = quaternion / scale;
    (scaled.norm() * scale > shortest).then(|| Unit::new_normalize(scaled))
}

/// By what to divide before squaring. Ordinary numbers are left alone, to the last bit.
fn scale(largest: f64) -> Option<f64> {
    match largest {
        1e-100..=1e100 => Some(1.0),
        _ => (largest > 0.0 && largest.is_finite()).then_some(largest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_huge_and_tiny_vectors_are_unit_vectors() {
        for size in [1e308, 1e160, 1.0, 1e-200, 1e-320] {
            let found = unit_vector(Vector3::new(0.0, size, 0.0), 0.0);
            assert_eq!(found, Some(Vector3::y_axis()), "{size}");
            let turn = unit_quaternion(Quaternion::new(0.0, size, 0.0, 0.0), 0.0).unwrap_or_default();
            assert_eq!(turn.coords, nalgebra::Vector4::x(), "{size}");
        }
        for vector in [Vector3::zeros(), Vector3::repeat(f64::NAN), Vector3::repeat(f64::INFINITY), Vector3::x() * 1e-7]
        {
            assert_eq!(unit_vector(vector, 1e-6), None);
        }
    }
}
