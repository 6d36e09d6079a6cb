//! Where a device is on its link.

use bunraku_body::Device;
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion};

/// Pose of the device's own frame in the link frame.
///
/// What encloses a device in a model file may scale it; its frame stays one of unit axes at right angles then: the
/// rotation that is nearest to the file's. `None` if the file leaves no
/// axes at all, or numbers that are none.
pub fn mounting(device: &Device) -> Option<Isometry3<f64>> {
    let matrix = device.transform.matrix();
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    if !matrix.iter().all(|value| value.is_finite()) {
        return None;
    }
    // Exactly as written where nothing scales, which is nearly always.
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
