//! Conversion of the numbers in a file to values, poses and vectors.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::pose_format::PoseFormat;
use crate::{ComponentKind, Interpolate, OtherFrames, Sequence};

/// Result of the conversion of a part.
pub enum Converted<T> {
    /// A value.
    Good(T),
    /// A pose whose quaternion had this norm instead of 1.
    OffNorm(T, f64),
    /// A quaternion of zeros, which is not a rotation.
    ZeroQuaternion,
}

/// One part of a frame: a number, a pose or a vector.
///
/// It is public for the sake of public types, but sealed: there are no other implementations.
pub trait Part: Interpolate {
    /// Kind of frames of such parts.
    const KIND: ComponentKind;

    /// Whether each part of a frame is a nested list.
    const NESTED: bool;

    /// Count of numbers of a part.
    fn width(format: PoseFormat) -> usize;

    /// The part from `width` finite numbers.
    fn convert(numbers: &[f64], format: PoseFormat) -> Converted<Self>;

    /// Frames of this kind as frames of any kind.
    fn wrap(frames: Sequence<Self>) -> OtherFrames;

    /// The frames, if they are of this kind.
    fn among(frames: &OtherFrames) -> Option<&Sequence<Self>>;
}

impl Part for f64 {
    const KIND: ComponentKind = ComponentKind::Values;
    const NESTED: bool = false;

    fn width(_: PoseFormat) -> usize {
        1
    }

    #[expect(clippy::indexing_slicing, reason = "callers give `width` numbers")]
    fn convert(numbers: &[f64], _: PoseFormat) -> Converted<Self> {
        Converted::Good(numbers[0])
    }

    fn wrap(frames: Sequence<Self>) -> OtherFrames {
        OtherFrames::Values(frames)
    }

    fn among(frames: &OtherFrames) -> Option<&Sequence<Self>> {
        if let OtherFrames::Values(frames) = frames { Some(frames) } else { None }
    }
}

impl Part for Vector3<f64> {
    const KIND: ComponentKind = ComponentKind::Vectors;
    const NESTED: bool = false;

    fn width(_: PoseFormat) -> usize {
        3
    }

    #[expect(clippy::indexing_slicing, reason = "callers give `width` numbers")]
    fn convert(numbers: &[f64], _: PoseFormat) -> Converted<Self> {
        Converted::Good(Self::new(numbers[0], numbers[1], numbers[2]))
    }

    fn wrap(frames: Sequence<Self>) -> OtherFrames {
        OtherFrames::Vectors(frames)
    }

    fn among(frames: &OtherFrames) -> Option<&Sequence<Self>> {
        if let OtherFrames::Vectors(frames) = frames { Some(frames) } else { None }
    }
}

impl Part for Isometry3<f64> {
    const KIND: ComponentKind = ComponentKind::Poses;
    const NESTED: bool = true;

    fn width(format: PoseFormat) -> usize {
        match format {
            PoseFormat::QuaternionWxyz | PoseFormat::QuaternionXyzw => 7,
            PoseFormat::RollPitchYaw => 6,
        }
    }

    #[expect(clippy::indexing_slicing, reason = "callers give `width` numbers")]
    fn convert(n: &[f64], format: PoseFormat) -> Converted<Self> {
        let translation = Translation3::new(n[0], n[1], n[2]);
        let quaternion = match format {
            PoseFormat::QuaternionWxyz => Quaternion::new(n[3], n[4], n[5], n[6]),
            PoseFormat::QuaternionXyzw => Quaternion::new(n[6], n[3], n[4], n[5]),
            PoseFormat::RollPitchYaw => {
                let rotation = UnitQuaternion::from_euler_angles(n[3], n[4], n[5]);
                return Converted::Good(Self::from_parts(translation, rotation));
            }
        };
        let Some((rotation, norm)) = normalize(quaternion) else { return Converted::ZeroQuaternion };
        let pose = Self::from_parts(translation, rotation);
        if (norm - 1.0).abs() > NORM_TOLERANCE { Converted::OffNorm(pose, norm) } else { Converted::Good(pose) }
    }

    fn wrap(frames: Sequence<Self>) -> OtherFrames {
        OtherFrames::Poses(frames)
    }

    fn among(frames: &OtherFrames) -> Option<&Sequence<Self>> {
        if let OtherFrames::Poses(frames) = frames { Some(frames) } else { None }
    }
}

/// Tolerance of the norm of a quaternion before a warning: files have about six digits.
const NORM_TOLERANCE: f64 = 1e-3;

/// A squared norm this close to 1 is rounding of an `f64` unit quaternion, which is kept bit for bit, so that a motion
/// reads back as it was written.
const UNIT_TOLERANCE: f64 = 1e-12;

/// The unit quaternion and the original norm; `None` for zero. The numbers are finite but may be of any magnitude.
fn normalize(quaternion: Quaternion<f64>) -> Option<(UnitQuaternion<f64>, f64)> {
    let squared = quaternion.norm_squared();
    if (squared - 1.0).abs() <= UNIT_TOLERANCE {
        return Some((UnitQuaternion::new_unchecked(quaternion), 1.0));
    }
    // The square overflows or underflows long before the number does.
    let largest = quaternion.coords.amax();
    if largest == 0.0 {
        return None;
    }
    let scaled =
        if (1e-100..1e100).contains(&largest) { quaternion } else { Quaternion::from(quaternion.coords / largest) };
    let norm = quaternion.norm();
    Some((UnitQuaternion::new_normalize(scaled), norm))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotation(numbers: [f64; 7]) -> Option<(UnitQuaternion<f64>, bool)> {
        match Isometry3::convert(&numbers, PoseFormat::QuaternionWxyz) {
            Converted::Good(pose) => Some((pose.rotation, false)),
            Converted::OffNorm(pose, _) => Some((pose.rotation, true)),
            Converted::ZeroQuaternion => None,
        }
    }

    #[test]
    fn quaternions_of_any_size_become_unit() {
        for size in [1.0, 1.0 + 1e-13, 0.9995, 2.0, 5e-324, 1e-200, 1e200, f64::MAX] {
            let (q, off) = rotation([0.0, 0.0, 0.0, 0.0, size, 0.0, 0.0]).unwrap();
            assert!((q.norm() - 1.0).abs() < 1e-12 && q.i > 0.9, "{size}");
            assert_eq!(off, (size - 1.0_f64).abs() > 1e-3, "{size}");
        }
        assert!(rotation([1.0, 2.0, 3.0, 0.0, 0.0, -0.0, 0.0]).is_none());
    }

    #[test]
    fn unit_quaternions_keep_their_bits() {
        let q = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
        let (read, _) = rotation([0.0, 0.0, 0.0, q.w, q.i, q.j, q.k]).unwrap();
        assert_eq!(read, q);
    }

    #[test]
    fn the_three_formats_are_equivalent() {
        let (roll, pitch, yaw) = (0.1, -0.4, 2.0);
        let rotation = nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), yaw)
            * nalgebra::Rotation3::from_axis_angle(&Vector3::y_axis(), pitch)
            * nalgebra::Rotation3::from_axis_angle(&Vector3::x_axis(), roll);
        let q = UnitQuaternion::from_rotation_matrix(&rotation);
        for (word, numbers) in [
            ("XYZQWQXQYQZ", vec![1.0, 2.0, 3.0, q.w, q.i, q.j, q.k]),
            ("XYZQXQYQZQW", vec![1.0, 2.0, 3.0, q.i, q.j, q.k, q.w]),
            ("XYZRPY", vec![1.0, 2.0, 3.0, roll, pitch, yaw]),
        ] {
            let format = PoseFormat::from_word(word).unwrap();
            assert_eq!(Isometry3::<f64>::width(format), numbers.len());
            let Converted::Good(pose) = Isometry3::convert(&numbers, format) else { panic!("{word}") };
            assert_eq!(pose.translation.vector, Vector3::new(1.0, 2.0, 3.0));
            assert!(pose.rotation.angle_to(&q) < 1e-12, "{word}");
        }
    }
}
