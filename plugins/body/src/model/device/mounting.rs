//! Pose of a device on its link.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion};

use super::Device;

/// Most steps of the singular value decomposition; 3×3 matrices take about ten.
const MOST_STEPS: usize = 1_000;

impl Device {
    /// Pose of the device frame in the link frame.
    ///
    /// Enclosing nodes of a device in a model file may scale it. Its frame keeps orthonormal axes: the rotation nearest
    /// to that of the file. `None` if the axes in the file are degenerate or not finite.
    pub fn mounting(&self) -> Option<Isometry3<f64>> {
        let matrix = self.transform.matrix();
        if !matrix.iter().all(|value| value.is_finite()) {
            return None;
        }
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let rotation = UnitQuaternion::from_rotation_matrix(&nearest_rotation(&linear)?);
        let translation: Translation3<f64> = matrix.fixed_view::<3, 1>(0, 3).into_owned().into();
        Some(Isometry3::from_parts(translation, rotation))
    }
}

/// The rotation nearest to a matrix of finite numbers; `None` for a degenerate one.
fn nearest_rotation(linear: &Matrix3<f64>) -> Option<Rotation3<f64>> {
    // Exactly as written if there is no scale, which is nearly always so.
    if (linear.transpose() * linear - Matrix3::identity()).amax() < 1e-12 && linear.determinant() > 0.0 {
        return Some(Rotation3::from_matrix_unchecked(*linear));
    }
    let size = linear.amax();
    if size == 0.0 {
        return None;
    }
    // The decomposition squares the numbers, which must neither become infinite nor zero. nalgebra's
    // `Rotation3::from_matrix` would loop without bound for some matrices.
    let parts = (linear / size).try_svd(true, true, f64::EPSILON, MOST_STEPS)?;
    let (left, mut right) = (parts.u?, parts.v_t?);
    let is_regular = parts.singular_values.min() > f64::EPSILON * parts.singular_values.max();
    if (left * right).determinant() < 0.0 {
        right.row_mut(2).neg_mut();
    }
    is_regular.then(|| Rotation3::from_matrix_unchecked(left * right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_of_any_size_leaves_the_axes() {
        let turn = Rotation3::from_euler_angles(0.3, -1.2, 2.0);
        for size in [1e-200, 1e-9, 2.0, 1e9, 1e200] {
            let found = nearest_rotation(&(turn.matrix() * size)).unwrap();
            assert!((found.matrix() - turn.matrix()).amax() < 1e-12, "{size:e}: {found}");
        }
    }

    #[test]
    fn degenerate_axes_have_no_rotation() {
        assert_eq!(nearest_rotation(&Matrix3::zeros()), None);
        assert_eq!(nearest_rotation(&Matrix3::from_diagonal(&[1.0, 1.0, 0.0].into())), None);
    }
}
