//! Pose of a device on its link.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::Device;
use crate::model::PerpendicularColumns;

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
    // nalgebra's `Rotation3::from_matrix` would loop without bound for some matrices, and its decomposition of 3×3
    // matrices is of AᵀA, which loses the directions of short axes beside long ones.
    let found = PerpendicularColumns::of(linear);
    let lengths = found.lengths();
    if lengths.min() <= f64::EPSILON * lengths.max() {
        return None;
    }
    let mut axes = found.columns * Matrix3::from_diagonal(&lengths.map(f64::recip));
    if axes.determinant() < 0.0 {
        axes.column_mut(mirrored_axis(&axes, &found.turn, &lengths)).neg_mut();
    }
    Some(Rotation3::from_matrix_unchecked(axes * found.turn.transpose()))
}

/// The axis along which a mirrored frame is mirrored back: the shortest, or of equal ones that with the smallest
/// rotation.
fn mirrored_axis(axes: &Matrix3<f64>, turn: &Matrix3<f64>, lengths: &Vector3<f64>) -> usize {
    let shortest = lengths.min() * (1.0 + 1e-9);
    let along = |axis: usize| axes.column(axis).dot(&turn.column(axis));
    let equal = (0..3).filter(|&axis| lengths.get(axis).is_some_and(|length| *length <= shortest));
    equal.min_by(|&first, &second| along(first).total_cmp(&along(second))).unwrap_or(0)
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
    fn short_axes_beside_a_long_one_keep_their_directions() {
        // A = R·S with S symmetric and positive definite: R is the nearest rotation (polar decomposition).
        let turn = Rotation3::from_euler_angles(0.3, -1.2, 2.0);
        let stretch = Matrix3::new(2.5, 0.0, 0.9, 0.0, 4e9, 0.0, 0.9, 0.0, 1.5);
        let found = nearest_rotation(&(turn.matrix() * stretch)).unwrap();
        assert!((found.matrix() - turn.matrix()).amax() < 1e-12, "{found} instead of {turn}");
    }

    #[test]
    fn a_mirrored_frame_keeps_its_other_axes() {
        for axis in 0..3 {
            let mut mirrored = Matrix3::identity();
            mirrored[(axis, axis)] = -2.0;
            let found = nearest_rotation(&mirrored).unwrap();
            // The longest axis is not the one to mirror: the smallest rotation among the others turns two axes.
            assert_eq!(found.angle(), std::f64::consts::PI, "{found}");
            mirrored[(axis, axis)] = -1.0;
            assert_eq!(nearest_rotation(&mirrored), Some(Rotation3::identity()));
        }
    }

    #[test]
    fn degenerate_axes_have_no_rotation() {
        assert_eq!(nearest_rotation(&Matrix3::zeros()), None);
        assert_eq!(nearest_rotation(&Matrix3::from_diagonal(&[1.0, 1.0, 0.0].into())), None);
    }
}
