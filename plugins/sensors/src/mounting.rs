//! Pose of a device on its link.

use bunraku_body::Device;
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion};

/// Pose of the device frame in the link frame.
///
/// Enclosing nodes of a device in a model file may scale it. Its frame keeps orthonormal axes: the rotation nearest to
/// that of the file. `None` if the axes in the file are degenerate or not finite.
pub fn mounting(device: &Device) -> Option<Isometry3<f64>> {
    let matrix = device.transform.matrix();
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    if !matrix.iter().all(|value| value.is_finite()) {
        return None;
    }
    // Exactly as written if there is no scale, which is nearly always so.
    let rotation = if (linear.transpose() * linear - Matrix3::identity()).amax() < 1e-12 && linear.determinant() > 0.0 {
        linear
    } else {
        let parts = linear.svd(true, true);
        let (left, mut right) = (parts.u?, parts.v_t?);
        if parts.singular_values.min() <= f64::EPSILON * parts.singular_values.max() {
            return None;
        }
        if (left * right).determinant() < 0.0 {
            right.row_mut(2).neg_mut();
        }
        left * right
    };
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    let translation = Translation3::new(matrix[(0, 3)], matrix[(1, 3)], matrix[(2, 3)]);
    Some(Isometry3::from_parts(translation, rotation))
}
