//! Conversions between nalgebra's types, in f64, and Bevy's, in f32.

use bevy::math::{Quat, Vec3};
use bevy::transform::components::Transform;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// Converts to Bevy's type, rounded to f32.
pub trait ToBevy {
    /// Bevy's type.
    type Bevy;

    /// The same in Bevy's type.
    fn to_bevy(&self) -> Self::Bevy;
}

/// Converts to nalgebra's type.
pub trait ToNalgebra {
    /// nalgebra's type.
    type Nalgebra;

    /// The same in nalgebra's type.
    fn to_nalgebra(&self) -> Self::Nalgebra;
}

impl ToBevy for Vector3<f64> {
    type Bevy = Vec3;

    fn to_bevy(&self) -> Vec3 {
        let [x, y, z] = self.cast::<f32>().into();
        Vec3::new(x, y, z)
    }
}

impl ToBevy for Point3<f64> {
    type Bevy = Vec3;

    fn to_bevy(&self) -> Vec3 {
        self.coords.to_bevy()
    }
}

impl ToBevy for UnitQuaternion<f64> {
    type Bevy = Quat;

    fn to_bevy(&self) -> Quat {
        let [x, y, z, w] = self.coords.cast::<f32>().into();
        Quat::from_xyzw(x, y, z, w)
    }
}

impl ToBevy for Isometry3<f64> {
    type Bevy = Transform;

    fn to_bevy(&self) -> Transform {
        Transform {
            translation: self.translation.vector.to_bevy(),
            rotation: self.rotation.to_bevy(),
            scale: Vec3::ONE,
        }
    }
}

impl ToNalgebra for Vec3 {
    type Nalgebra = Vector3<f64>;

    fn to_nalgebra(&self) -> Vector3<f64> {
        Vector3::from(self.to_array()).cast()
    }
}

impl ToNalgebra for Quat {
    type Nalgebra = UnitQuaternion<f64>;

    /// The quaternion of length 1: rounding to f32 is taken out.
    fn to_nalgebra(&self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_quaternion(Quaternion::from(self.to_array()).cast())
    }
}

impl ToNalgebra for Transform {
    type Nalgebra = Isometry3<f64>;

    /// Without the scale.
    fn to_nalgebra(&self) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::from(self.translation.to_nalgebra()), self.rotation.to_nalgebra())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_comes_back_from_a_transform_but_for_rounding() {
        let turn = UnitQuaternion::from_euler_angles(0.3, -0.7, 2.0);
        let pose = Isometry3::from_parts(Translation3::new(0.1, -20.0, 3.0), turn);
        let again = pose.to_bevy().to_nalgebra();
        assert!((again.translation.vector - pose.translation.vector).norm() < 1e-5);
        assert!(again.rotation.angle_to(&turn) < 1e-6);
        assert!((again.rotation.norm() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_quarter_turn_about_z_is_the_same_in_both() {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
        let moved = turn.to_bevy() * Vec3::X;
        assert!((moved - Vec3::Y).length() < 1e-6);
        assert!((turn * Vector3::x() - moved.to_nalgebra()).norm() < 1e-6);
    }
}
