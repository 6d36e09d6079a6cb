use nalgebra::{Matrix3, Vector3};

/// Columns with a smaller cosine count as perpendicular: a few roundings, well below any intended angle.
const PERPENDICULAR: f64 = 1e-14;
/// Maximum number of sweeps over the three pairs of columns; about five are needed.
const MOST_SWEEPS: usize = 60;

/// Shorter columns, as a share of the largest number, count as zero. Of linearly dependent columns one becomes so short.
const FLAT: f64 = 1e-100;

/// A matrix whose columns have been made perpendicular by a rotation: matrix · turn = columns · unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerpendicularColumns {
    /// Perpendicular columns, in multiples of `unit`: singular vectors times singular values, in no order.
    pub(crate) columns: Matrix3<f64>,
    /// A power of two near the largest number, so that squares of the columns are in range.
    pub(crate) unit: f64,
    /// A rotation; the identity if the columns were perpendicular.
    pub(crate) turn: Matrix3<f64>,
}

impl PerpendicularColumns {
    /// One-sided Jacobi rotations (Hestenes 1958) of finite numbers. Unlike decompositions of AᵀA, they keep the
    /// directions of columns that are much shorter than others.
    pub(crate) fn of(matrix: &Matrix3<f64>) -> Self {
        // The largest number with its exponent only.
        let exponent = matrix.amax().to_bits() & f64::INFINITY.to_bits();
        let unit = f64::from_bits(exponent).max(f64::MIN_POSITIVE);
        let (mut columns, mut turn) = (matrix / unit, Matrix3::identity());
        for _ in 0..MOST_SWEEPS {
            let mut is_done = true;
            for (first, second) in [(0, 1), (1, 2), (0, 2)] {
                let [a, b]: [Vector3<f64>; 2] = [first, second].map(|column| columns.column(column).into());
                let product = a.dot(&b);
                let is_flat = a.norm().min(b.norm()) <= FLAT;
                if is_flat || product.abs() <= PERPENDICULAR * a.norm() * b.norm() {
                    continue;
                }
                is_done = false;
                // Tangent of the smaller of the two angles after which they are perpendicular.
                let cotangent = (b.norm_squared() - a.norm_squared()) / (2.0 * product);
                let tangent = cotangent.signum() / (cotangent.abs() + (1.0 + cotangent * cotangent).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                let sine = cosine * tangent;
                for matrix in [&mut columns, &mut turn] {
                    let [a, b]: [Vector3<f64>; 2] = [first, second].map(|column| matrix.column(column).into());
                    matrix.set_column(first, &(a * cosine - b * sine));
                    matrix.set_column(second, &(a * sine + b * cosine));
                }
            }
            if is_done {
                break;
            }
        }
        for mut column in columns.column_iter_mut().filter(|column| column.norm() <= FLAT) {
            column.fill(0.0);
        }
        Self { columns, unit, turn }
    }

    /// Lengths of the columns: the singular values, in no order.
    pub(crate) fn lengths(&self) -> Vector3<f64> {
        Vector3::from_fn(|column, _| self.columns.column(column).norm())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Rotation3;

    use super::*;

    #[test]
    fn columns_become_perpendicular_whatever_their_lengths() {
        let turn = Rotation3::from_euler_angles(0.3, -1.2, 2.0);
        let shear = Matrix3::new(1.0, 0.5, 0.3, 0.0, 1.0, 0.7, 0.0, 0.0, 1.0);
        let flat = Matrix3::new(0.3, -0.96, 0.6, -0.1, 0.28, 0.5, 0.0, 0.0, 0.0);
        let line = Matrix3::new(0.3, 0.6, 0.9, -0.1, -0.2, -0.3, 0.7, 1.4, 2.1);
        let lengths = [[1.0, 1.0, 1.0], [1.0, 4e9, 3.0], [1e-30, 1.0, 1e30], [2.0, 0.0, 1.0], [0.0; 3], [3e-200; 3]];
        let sheared = lengths.map(|lengths| turn.matrix() * shear * Matrix3::from_diagonal(&lengths.into()));
        for matrix in sheared.into_iter().chain([flat, line, flat * 1e200]) {
            let found = PerpendicularColumns::of(&matrix);
            let lengths = found.lengths();
            for (first, second) in [(0, 1), (1, 2), (0, 2)] {
                let product = found.columns.column(first).dot(&found.columns.column(second));
                assert!(product.abs() <= 1e-14 * lengths[first] * lengths[second], "{matrix}");
            }
            assert!((found.turn.transpose() * found.turn - Matrix3::identity()).amax() < 1e-15);
            assert!(found.turn.determinant() > 0.0);
            let back = found.columns * found.turn.transpose() * found.unit;
            assert!((back - matrix).amax() <= 1e-15 * matrix.amax(), "{back} instead of {matrix}");
        }
    }

    #[test]
    fn perpendicular_columns_stay_as_they_are() {
        let matrix = Rotation3::from_euler_angles(0.3, -1.2, 2.0) * Matrix3::from_diagonal(&[1.0, -2.0, 0.0].into());
        let found = PerpendicularColumns::of(&matrix);
        assert_eq!((found.columns * found.unit, found.turn), (matrix, Matrix3::identity()));
    }
}
