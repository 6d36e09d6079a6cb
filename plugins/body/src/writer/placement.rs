//! Decomposition of affine maps into `translation`, `rotation` and `scale`.

#![expect(clippy::indexing_slicing, reason = "axes are 0, 1 and 2")]

use nalgebra::{Affine3, Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::numbers::tidy;
use crate::model::PerpendicularColumns;

/// The product translation · rotation · scale · inner rotation.
pub(super) struct Placement {
    pub(super) translation: Vector3<f64>,
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) scale: Vector3<f64>,
    /// Rotation before the scale; only for a sheared frame.
    pub(super) inner: Option<UnitQuaternion<f64>>,
}

impl Placement {
    pub(super) fn new(transform: &Affine3<f64>) -> Self {
        let matrix = transform.matrix();
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into();
        let translation = matrix.fixed_view::<3, 1>(0, 3).into();
        if linear == Matrix3::from_diagonal(&linear.diagonal()) {
            return Self { translation, rotation: UnitQuaternion::identity(), scale: linear.diagonal(), inner: None };
        }
        let found = PerpendicularColumns::of(&linear);
        let (rotation, scale) = rotation_and_scale(&found.columns, found.lengths());
        let (scale, turn) = (scale * found.unit, found.turn);
        if turn == Matrix3::identity() {
            return Self { translation, rotation, scale: scale.map(tidy), inner: None };
        }
        Self { translation, rotation, scale, inner: Some(quaternion(turn.transpose())) }
    }
}

/// Decomposition of a matrix with perpendicular columns of these lengths.
fn rotation_and_scale(linear: &Matrix3<f64>, lengths: Vector3<f64>) -> (UnitQuaternion<f64>, Vector3<f64>) {
    let mut turn = Matrix3::zeros();
    for column in 0..3 {
        if lengths[column] > 0.0 {
            turn.set_column(column, &(linear.column(column) / lengths[column]));
        }
    }
    // A flattened axis may have any direction perpendicular to the others.
    for column in (0..3).filter(|&column| lengths[column] <= 0.0) {
        let across = |axis: Vector3<f64>| axis - turn * (turn.transpose() * axis);
        let candidates = [column, 0, 1, 2].map(|axis| across(Matrix3::identity().column(axis).into()));
        let longest = candidates.into_iter().find(|axis| axis.norm() > 0.5);
        turn.set_column(column, &longest.map_or_else(Vector3::zeros, |axis| axis.normalize()));
    }
    let mut scale = lengths;
    if turn.determinant() < 0.0 {
        // Mirrored: along the axis that gives the smallest rotation.
        let mirrored = (0..3).min_by(|&first, &second| turn[(first, first)].total_cmp(&turn[(second, second)]));
        let axis = mirrored.unwrap_or(0);
        turn.column_mut(axis).neg_mut();
        scale[axis] = -scale[axis];
    }
    (quaternion(turn), scale)
}

fn quaternion(turn: Matrix3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(linear: [f64; 9], sheared: bool) {
        let linear = Matrix3::from_row_slice(&linear);
        let mut matrix = linear.to_homogeneous();
        matrix[(0, 3)] = 7.0;
        let placement = Placement::new(&Affine3::from_matrix_unchecked(matrix));
        assert_eq!(placement.translation, Vector3::new(7.0, 0.0, 0.0));
        assert_eq!(placement.inner.is_some(), sheared, "{linear}");
        let inner = placement.inner.unwrap_or_default().to_rotation_matrix();
        let product = placement.rotation.to_rotation_matrix().matrix()
            * Matrix3::from_diagonal(&placement.scale)
            * inner.matrix();
        assert!((product - linear).amax() <= 1e-14 * linear.amax(), "{product} instead of {linear}");
    }

    #[test]
    fn the_parts_make_the_whole() {
        let (c, s) = (0.6, 0.8);
        check([1.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 3.0], false);
        check([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0], false);
        check([2.0 * c, -s, 0.0, 2.0 * s, c, 0.0, 0.0, 0.0, -1.0], false);
        check([c, 0.0, 0.0, s, 0.0, 0.0, 0.0, 0.0, 1.0], false);
        check([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], false);
        check([1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], true);
        check([1.0, 0.5, 0.2, 0.0, -1.0, 0.0, 3.0, 0.0, 1.0], true);
        check([1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], true);
        check([0.28, -0.96, 0.59, -0.11, 0.28, 0.5, 0.0, 0.0, 0.0], true);
        check([2e-200, 1e-200, 0.0, 0.0, 1e-200, 0.0, 0.0, 0.0, 1e-200], true);
        check([0.17, -4e9, 0.06, 2.4, 3e8, 0.9, 0.9, 0.0, 1.6], true);
    }
}
