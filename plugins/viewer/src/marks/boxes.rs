//! Inertia displayed as a box.

use bunraku_body::MassProperties;
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

/// The box of uniform density with this mass and these moments of inertia: its pose in the link frame and its sides, m.
/// `None` without mass, or if no such box exists because a moment exceeds the sum of the others.
///
/// A box of mass m with sides a, b, c has the moment m·(b² + c²)/12 about the axis along a.
pub fn inertia_box(mass: &MassProperties) -> Option<(Isometry3<f64>, Vector3<f64>)> {
    if mass.mass <= 0.0 || !mass.mass.is_finite() || !mass.inertia.iter().all(|value| value.is_finite()) {
        return None;
    }
    let symmetric = (mass.inertia + mass.inertia.transpose()) / 2.0;
    let eigen = symmetric.symmetric_eigen();
    let mut axes: Matrix3<f64> = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        axes.swap_columns(0, 1);
    }
    // Moments in the order of the axes, which may have been swapped.
    let moments = Vector3::from_fn(|axis, _| axes.column(axis).dot(&(symmetric * axes.column(axis))));
    let half_sum = moments.sum() / 2.0;
    let squares = moments.map(|moment| 12.0 / mass.mass * (half_sum - moment));
    if squares.iter().any(|square| square.is_nan() || *square < -1e-9) {
        return None;
    }
    let sides = squares.map(|square| square.max(0.0).sqrt());
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    Some((Isometry3::from_parts(Translation3::from(mass.center_of_mass.coords), rotation), sides))
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;

    #[test]
    fn a_box_has_itself_as_its_inertia_box() {
        let (mass, sides) = (3.0, Vector3::new(0.2, 0.6, 1.0));
        let squares = sides.component_mul(&sides);
        let moments = Vector3::repeat(squares.sum()) - squares;
        let turn = Rotation3::from_euler_angles(0.3, -0.5, 1.2);
        let inertia = turn * Matrix3::from_diagonal(&(moments * mass / 12.0)) * turn.transpose();
        let properties = MassProperties { mass, center_of_mass: Point3::new(1.0, 2.0, 3.0), inertia };
        let (pose, found) = inertia_box(&properties).expect("there is a box");
        let mut sorted: Vec<f64> = found.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        for (found, expected) in sorted.iter().zip(sides.iter()) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        let longest = found.imax();
        let axis = pose.rotation * Vector3::ith(longest, 1.0);
        assert!((axis.dot(&(turn * Vector3::z())).abs() - 1.0).abs() < 1e-9);
        assert!((pose.translation.vector - Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-12);
    }

    #[test]
    fn impossible_inertias_have_no_box() {
        assert!(inertia_box(&MassProperties::ZERO).is_none());
        let thin = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 5.0));
        let point = Point3::origin();
        assert!(inertia_box(&MassProperties { mass: 1.0, center_of_mass: point, inertia: thin }).is_none());
        let nan = Matrix3::repeat(f64::NAN);
        assert!(inertia_box(&MassProperties { mass: 1.0, center_of_mass: point, inertia: nan }).is_none());
    }
}
