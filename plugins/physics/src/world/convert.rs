//! Between f64 (nalgebra) and rapier's f32 (glam): the one place where physics changes precision.

use bevy::math::{DQuat, DVec3, Quat, Vec3};
use bevy_rapier3d::rapier::math::Pose;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

pub(crate) fn to_vec3(vector: &Vector3<f64>) -> Vec3 {
    let vector = vector.cast::<f32>();
    Vec3::new(vector.x, vector.y, vector.z)
}

pub(crate) fn to_quat(rotation: &UnitQuaternion<f64>) -> Quat {
    let coordinates = rotation.quaternion().coords.cast::<f32>();
    Quat::from_xyzw(coordinates.x, coordinates.y, coordinates.z, coordinates.w)
}

pub(crate) fn from_vec3(vector: Vec3) -> Vector3<f64> {
    Vector3::new(f64::from(vector.x), f64::from(vector.y), f64::from(vector.z))
}

/// A rapier pose in f64. The quaternion is normalised in f64, so that angles read from it carry no length error.
pub(crate) fn from_pose(pose: &Pose) -> Isometry3<f64> {
    let [x, y, z, w] = pose.rotation.to_array().map(f64::from);
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    Isometry3::from_parts(Translation3::from(from_vec3(pose.translation)), rotation)
}

pub(crate) fn to_pose(pose: &Isometry3<f64>) -> Pose {
    Pose::from_parts(to_vec3(&pose.translation.vector), to_quat(&pose.rotation))
}

/// A pose as parry has it in f64.
pub(crate) fn to_f64_pose(pose: &Isometry3<f64>) -> parry3d_f64::math::Pose {
    let [x, y, z] = pose.translation.vector.into();
    let [i, j, k, w] = pose.rotation.coords.into();
    parry3d_f64::math::Pose::from_parts(DVec3::new(x, y, z), DQuat::from_xyzw(i, j, k, w))
}
