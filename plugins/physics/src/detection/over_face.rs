//! Shapes above the inside of a face of a box.
//!
//! Where all lowest points of a convex shape lie above one face of a box and not near its edges, they are the contact points, and the normal
//! is that of the face. This needs no iteration, and the figures are exact: parry finds the normal of a wheel to 1e-6 rad only.

use nalgebra::Vector3;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::shape::{Shape, TypedShape};

use super::contact_point::ContactPoint;
use super::manifold::{Parts, SIDE, from_parry};

/// Finds the points of two parts of which one is above a face of the other, a box that does not move. Returns the normal: a
/// unit vector out of the first part, world axes. `None` if it is not as simple as that within `prediction`, m, of the surface.
pub(super) fn find(
    parts: &Parts<'_>,
    moves: [bool; 2],
    prediction: f64,
    points: &mut Vec<ContactPoint>,
) -> Option<Vector3<f64>> {
    (0..2).filter(|&side| !moves[side]).find_map(|side| find_on(parts, side, prediction, points))
}

fn find_on(parts: &Parts<'_>, side: usize, prediction: f64, points: &mut Vec<ContactPoint>) -> Option<Vector3<f64>> {
    let half = parts.shapes[side].as_cuboid()?.half_extents;
    let [of_box, of_other] = [parts.poses[side], parts.poses[1 - side]];
    let between = of_box.inv_mul(&of_other);
    let outside = between.translation.abs() - half;
    let axis = outside.to_array().into_iter().enumerate().max_by(|one, other| one.1.total_cmp(&other.1))?.0;
    if outside[axis] <= 0.0 {
        return None;
    }
    let mut normal = Vector::ZERO;
    normal[axis] = between.translation[axis].signum();
    points.clear();
    let start = points.len();
    let (mut deepest, mut is_inside) = (0.0_f64, true);
    let far = half - Vector::splat(prediction);
    let mut add = |on_shape: Vector, number: u32, share: f64| {
        let point = between * on_shape;
        let gap = point.dot(normal) - half[axis];
        deepest = deepest.min(gap);
        is_inside &= (0..3).all(|other| other == axis || point[other].abs() < far[other]);
        let position = from_parry(of_box * (point - normal * (0.5 * gap)));
        let features = if side == 0 { [0, number] } else { [number, 0] };
        points.push(ContactPoint { position, gap, features, share });
    };
    add_lowest(parts.shapes[1 - side], &between, -normal, &mut add)?;
    // Deeper in the box, an edge could be nearer than the face.
    if !is_inside || deepest < -prediction {
        points.truncate(start);
        return None;
    }
    let normal = from_parry(of_box.rotation * normal);
    Some(if side == 0 { normal } else { -normal })
}

/// Adds the points of a shape that are the farthest in a direction, with numbers of their own.
fn add_lowest(shape: &dyn Shape, pose: &Pose, direction: Vector, add: &mut dyn FnMut(Vector, u32, f64)) -> Option<()> {
    let local = pose.rotation.inverse() * direction;
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => add(local * ball.radius, 0, 1.0),
        TypedShape::Capsule(capsule) => {
            add(capsule.segment.a + local * capsule.radius, 0, 1.0);
            add(capsule.segment.b + local * capsule.radius, 1, 1.0);
        }
        TypedShape::Cuboid(cuboid) => {
            let half = cuboid.half_extents;
            let axis = local.abs().max_position();
            let [one, two] = [(axis + 1) % 3, (axis + 2) % 3];
            for index in 0..4 {
                let mut signs = Vector::splat(local[axis].signum());
                signs[one] = if index & 1 == 0 { -1.0 } else { 1.0 };
                signs[two] = if index & 2 == 0 { -1.0 } else { 1.0 };
                let number = (0..3).map(|axis| u32::from(signs[axis] > 0.0) << axis).sum();
                add(half * signs, number, 1.0);
            }
        }
        TypedShape::Cylinder(cylinder) if local.y.abs() < SIDE => {
            let across = Vector::new(local.x, 0.0, local.z).normalize() * cylinder.radius;
            add(across - Vector::Y * cylinder.half_height, 0, 1.0);
            add(across + Vector::Y * cylinder.half_height, 1, 1.0);
            // The middle carries half of the load, as in the trapezoidal rule: friction about it is then that of a line, and a wheel that turns as
            // it rolls does so about its middle, not about one of its edges.
            add(across, 2, 2.0);
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use parry3d_f64::shape::{Capsule, Cuboid, Cylinder, SharedShape};

    use super::*;

    const PREDICTION: f64 = 0.002;

    /// A normal, and points with their heights.
    type Found = (Vector3<f64>, Vec<(ContactPoint, f64)>);

    /// Normal and points of a shape at a pose relative to a slanted ground, in the frame of the ground; each point with its height above the
    /// surface, m.
    fn found(shape: SharedShape, pose: &Pose, ground_is_first: bool) -> Option<Found> {
        let ground = Pose::new(Vector::new(1.0, -2.0, 0.3), Vector::new(0.2, -0.1, 0.4));
        let floor = Cuboid::new(Vector::new(5.0, 4.0, 0.5));
        let (mut poses, mut shapes, mut moves) =
            ([ground, ground * *pose], [&floor as &dyn Shape, &*shape.0], [false, true]);
        if !ground_is_first {
            poses.reverse();
            shapes.reverse();
            moves.reverse();
        }
        let mut points = Vec::new();
        let parts = Parts { numbers: [0; 2], poses, shapes, normals: [None; 2] };
        let normal = find(&parts, moves, PREDICTION, &mut points)?;
        let up = |vector: Vector3<f64>| ground.rotation.inverse() * Vector::new(vector.x, vector.y, vector.z);
        let height = |point: &ContactPoint| {
            ground.inverse_transform_point(Vector::from(<[f64; 3]>::from(point.position))).z - 0.5
        };
        Some((from_parry(up(normal)), points.iter().map(|point| (*point, height(point))).collect()))
    }

    #[test]
    fn the_lowest_corners_of_a_box_are_exact() {
        let half = Vector::new(0.125, 0.0625, 0.25);
        let pose = Pose::new(Vector::new(0.3, 1.2, 0.5 + 0.0645), Vector::new(1.57, 0.02, 0.0));
        for (is_first, up) in [(true, 1.0), (false, -1.0)] {
            let (normal, points) = found(SharedShape::cuboid(half.x, half.y, half.z), &pose, is_first).unwrap();
            assert!((normal - Vector3::z() * up).norm() < 1e-14, "{normal}");
            let mut gaps: Vec<f64> = points.iter().map(|(point, _)| point.gap).collect();
            let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
            let mut expected = corners.map(|[x, z]| (pose * (half * Vector::new(x, -1.0, z))).z - 0.5);
            gaps.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            assert!(gaps.iter().zip(expected).all(|(gap, expected)| (gap - expected).abs() < 1e-14), "{gaps:?}");
            assert!(points.iter().all(|(point, height)| (height - 0.5 * point.gap).abs() < 1e-14));
        }
    }

    #[test]
    fn a_wheel_and_a_capsule_touch_along_their_lowest_line() {
        let rolled = Pose::new(Vector::new(-2.0, 0.0, 0.75), Vector::new(0.0, 1.3, 0.0));
        let wheel = SharedShape::new(Cylinder::new(0.0625, 0.25));
        let capsule = SharedShape::new(Capsule::new_y(0.0625, 0.25));
        let shares = |shape: SharedShape| {
            let (_, points) = found(shape, &rolled, true).unwrap();
            assert!(points.iter().all(|(point, _)| point.gap.abs() < 1e-14), "{points:?}");
            let length = (points[0].0.position - points[1].0.position).norm();
            assert!((length - 0.125).abs() < 1e-14, "{length}");
            points.iter().map(|(point, _)| point.share).collect::<Vec<_>>()
        };
        assert_eq!(shares(wheel.clone()), [1.0, 1.0, 2.0]);
        assert_eq!(shares(capsule), [1.0, 1.0]);
        let standing = Pose::new(Vector::new(-2.0, 0.0, 0.5625), Vector::new(1.57, 0.0, 0.0));
        assert!(found(wheel, &standing, true).is_none());
    }

    #[test]
    fn what_may_touch_an_edge_is_left_to_other_methods() {
        let cube = || SharedShape::cuboid(0.1, 0.1, 0.1);
        let at = |x: f64, z: f64| Pose::translation(x, 0.0, z);
        assert!(found(cube(), &at(4.89, 0.6), true).is_some());
        assert!(found(cube(), &at(4.9, 0.6), true).is_none(), "at an edge of the ground");
        assert!(found(cube(), &at(0.0, 0.58), true).is_none(), "an edge may be nearer than the face");
        assert!(found(cube(), &at(0.0, 0.5), true).is_none(), "in the ground");
    }
}
