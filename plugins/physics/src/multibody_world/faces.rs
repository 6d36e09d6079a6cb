//! The normals of the faces of boxes, exactly.
//!
//! Two wheels that roll on one floor are told two normals by single precision, 1e-7 rad apart. As long as they roll that makes one rise by some
//! 1e-8 m/s where the other does not, and a rigid rover on four edges of two wheels would have to take up the difference: its load goes from edge to
//! edge, and no sweep comes to an end.

use bevy_rapier3d::rapier::math::Vector;
use nalgebra::Vector3;

use super::surface_points::Side;
use crate::world::convert::from_vec3;

/// A normal that is no farther from that of a face is that of the face: rounding, as a sine.
const ROUNDING: f64 = 1e-5;

/// The normal of the face that it is the normal of, or itself: a unit vector, world axes. A side that does not move comes first: all that touches a
/// floor has one normal.
pub(super) fn exact_normal(normal: Vector, sides: &[Side<'_>; 2]) -> Vector3<f64> {
    let normal = from_vec3(normal).normalize();
    let [first, second] = sides;
    let in_order = if second.moves { [first, second] } else { [second, first] };
    in_order.into_iter().find_map(|side| face_normal(side, &normal)).unwrap_or(normal)
}

fn face_normal(side: &Side<'_>, normal: &Vector3<f64>) -> Option<Vector3<f64>> {
    side.collider.shape().as_cuboid()?;
    let local = side.pose.rotation.inverse() * normal;
    let axis = local.iamax();
    let is_face = (0..3).all(|other| other == axis || local[other].abs() < ROUNDING);
    is_face.then(|| side.pose.rotation * Vector3::ith(axis, local[axis].signum()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_rapier3d::rapier::geometry::{Collider, ColliderBuilder};
    use nalgebra::Isometry3;

    #[test]
    fn a_normal_off_by_rounding_is_that_of_the_face() {
        let cube = ColliderBuilder::cuboid(1.0, 1.0, 1.0).build();
        let ball = ColliderBuilder::ball(1.0).build();
        let pose = Isometry3::rotation(Vector3::new(0.6, 0.0, 0.8) * 0.7);
        let of = |collider: &Collider, normal: Vector3<f64>| {
            let other =
                Side { collider: &ball, pose: Isometry3::identity(), moves: true, margin: 0.0, is_in_loop: false };
            let side = Side { collider, pose, moves: false, margin: 0.0, is_in_loop: false };
            #[allow(clippy::cast_possible_truncation)]
            let normal = Vector::new(normal.x as f32, normal.y as f32, normal.z as f32);
            exact_normal(normal, &[other, side])
        };
        let face = pose * Vector3::new(0.0, -1.0, 0.0);
        let near = face + Vector3::new(2e-7, -3e-7, 1e-7);
        assert!((of(&cube, near) - face).norm() < 1e-15);
        let beside = pose * Vector3::new(0.0, 1.0, 1e-3).normalize();
        assert!((of(&cube, beside) - beside).norm() < 1e-6);
        assert!((of(&ball, near) - face).norm() > 1e-8);
    }
}
