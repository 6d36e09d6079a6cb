//! Where exactly a wheel or a ball touches something, in double precision.
//!
//! A point near the lowest line of a wheel is hardly higher than the line: parry's points, which are right to a thousandth of a millimetre across
//! the floor, are off by up to half a millimetre along it. Two wheels on one axle would then be told to roll along two lines that are not one, and
//! press against each other, sideways, with all that friction can do; and a point that is a millionth of a millimetre before the axle rises as
//! the wheel turns, where that of the other wheel does not. Of the points of a line only its ends count, and they have names of their own:
//! parry has up to four, and calls them one thing now and another in the next step, when all that is known of their loads would be lost.

use bevy_rapier3d::parry::shape::{Shape, TypedShape};
use nalgebra::{Isometry3, Vector3};

use super::surface_points::Point;

/// Sine of the smallest angle between the normal and the axis where a cylinder touches with its side.
const SIDE: f64 = 0.2;

/// Parry's points are no farther from the surfaces, m.
const ROUNDING: f64 = 3e-5;

/// What is deeper in each other does not touch along a line, m.
const DEEPEST: f64 = 1e-3;

/// Whether a shape is round or may have a part that is.
pub(super) fn may_be_round(shape: &dyn Shape) -> bool {
    matches!(shape.as_typed_shape(), TypedShape::Ball(_) | TypedShape::Cylinder(_) | TypedShape::Compound(_))
}

/// Moves the points of two shapes that touch to where they are on the one that is round, if the other has flat faces. The normal points out
/// of the first.
pub(super) fn refine(
    poses: &[Isometry3<f64>; 2],
    shapes: [&dyn Shape; 2],
    normal: &Vector3<f64>,
    points: &mut Vec<Point>,
) {
    let [first, second] = shapes.map(Shape::as_typed_shape);
    match (is_flat(&first), is_flat(&second)) {
        (false, true) => refine_side(&first, &poses[0], normal, points),
        (true, false) => refine_side(&second, &poses[1], &-normal, points),
        _ => {}
    }
}

fn is_flat(shape: &TypedShape<'_>) -> bool {
    use TypedShape::{ConvexPolyhedron, Cuboid, HalfSpace, Triangle};
    matches!(shape, Cuboid(_) | ConvexPolyhedron(_) | Triangle(_) | HalfSpace(_))
}

/// The normal points out of the shape.
fn refine_side(shape: &TypedShape<'_>, pose: &Isometry3<f64>, normal: &Vector3<f64>, points: &mut Vec<Point>) {
    let center = pose.translation.vector;
    match shape {
        TypedShape::Ball(ball) => {
            let on_ball = center + normal * f64::from(ball.radius);
            for point in points.iter_mut().filter(|point| point.touches(on_ball, normal)) {
                point.touch(on_ball, normal);
            }
        }
        TypedShape::Cylinder(cylinder) => {
            let axis = pose.rotation * Vector3::y();
            let across = normal - axis * axis.dot(normal);
            if across.norm() < SIDE {
                return;
            }
            let radius = across.normalize() * f64::from(cylinder.radius);
            let half_height = f64::from(cylinder.half_height);
            let along = |point: &Point| (point.position - center).dot(&axis).clamp(-half_height, half_height);
            let surface = |point: &Point| center + axis * along(point) + radius;
            // What touches an edge or is deep in the other does so beside the line.
            if points.iter().all(|point| point.touches(surface(point), normal)) {
                points.iter_mut().for_each(|point| point.touch(surface(point), normal));
                points.sort_by(|one, other| along(one).total_cmp(&along(other)));
                keep_ends_and_middle(points);
            }
        }
        _ => {}
    }
}

impl Point {
    /// How far the flat side is from the surface of the round one, m; the normal points out of the round one.
    fn gap_from(&self, surface: Vector3<f64>, normal: &Vector3<f64>) -> f64 {
        (self.position + normal * (0.5 * self.gap) - surface).dot(normal)
    }

    /// Whether a point of the surface is where this one should be.
    fn touches(&self, surface: Vector3<f64>, normal: &Vector3<f64>) -> bool {
        self.gap > -DEEPEST && (self.gap_from(surface, normal) - self.gap).abs() < ROUNDING
    }

    /// Moves it there.
    fn touch(&mut self, surface: Vector3<f64>, normal: &Vector3<f64>) {
        self.gap = self.gap_from(surface, normal);
        self.position = surface + normal * (0.5 * self.gap);
    }
}

/// Where along a line.
#[derive(Clone, Copy)]
enum On {
    Lower,
    Middle,
    Upper,
}

/// Leaves the ends of a line, and its middle. That bears half of the load, as in the trapezoidal rule: friction about it is then that of a line,
/// and a wheel that turns as it rolls does so about its middle, not about one of its edges.
fn keep_ends_and_middle(points: &mut Vec<Point>) {
    let [lower, .., upper] = points[..] else { return };
    let middle = Point {
        position: 0.5 * (lower.position + upper.position),
        gap: 0.5 * (lower.gap + upper.gap),
        features: [On::Middle as u32; 2],
        share: 2.0,
    };
    points.clear();
    points.push(Point { features: [On::Lower as u32; 2], ..lower });
    points.push(middle);
    points.push(Point { features: [On::Upper as u32; 2], ..upper });
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_rapier3d::parry::shape::{Ball, Cuboid, Cylinder};
    use bevy_rapier3d::rapier::math::Vector;

    fn near(one: Vector3<f64>, other: Vector3<f64>) -> bool {
        (one - other).norm() < 1e-8
    }

    #[test]
    fn points_beside_the_lowest_line_of_a_wheel_come_onto_it() {
        let (floor, wheel) = (Cuboid::new(Vector::splat(1.0)), Cylinder::new(0.015, 0.08));
        // Its axis along y, its lowest line 1 µm in the floor, whose top is at z = 0.
        let [below, above] = [-1.0, 0.08 - 1e-6].map(|z| Isometry3::translation(0.0, 0.0, z));
        let found = Point { position: Vector3::new(0.4e-3, 0.015, 0.0), gap: 0.0, features: [7, 8], share: 1.0 };
        let [middle, end] = [0.0, -0.015].map(|y| Point { position: Vector3::new(0.0, y, 0.0), ..found });
        let mut points = vec![found, middle, end];
        refine(&[below, above], [&floor, &wheel], &Vector3::z(), &mut points);
        let [low, middle, high] = &points[..] else { panic!("a line has two ends and a middle") };
        assert!(near(high.position, Vector3::new(0.0, 0.015, -0.5e-6)) && (high.gap + 1e-6).abs() < 1e-8);
        assert!(near(low.position, Vector3::new(0.0, -0.015, -0.5e-6)) && low.features != high.features);
        assert!(near(middle.position, Vector3::new(0.0, 0.0, -0.5e-6)) && middle.share == low.share + high.share);
        // The same the other way round.
        let mut points = vec![found];
        refine(&[above, below], [&wheel, &floor], &-Vector3::z(), &mut points);
        assert!(near(points[0].position, Vector3::new(0.0, 0.015, -0.5e-6)) && (points[0].gap + 1e-6).abs() < 1e-8);
    }

    #[test]
    fn a_ball_touches_below_its_centre() {
        let (floor, ball) = (Cuboid::new(Vector::splat(1.0)), Ball::new(0.1));
        let [below, above] = [-1.0, 0.1].map(|z| Isometry3::translation(0.0, 0.0, z));
        let mut points =
            vec![Point { position: Vector3::new(1e-4, -1e-4, 0.0), gap: 0.0, features: [7, 8], share: 1.0 }];
        refine(&[below, above], [&floor, &ball], &Vector3::z(), &mut points);
        assert!(near(points[0].position, Vector3::zeros()) && points[0].gap.abs() < 1e-8);
        assert_eq!(points[0].features, [7, 8]);
    }

    #[test]
    fn a_face_of_a_cylinder_and_two_round_shapes_stay_as_they_are() {
        let (floor, wheel, ball) = (Cuboid::new(Vector::splat(1.0)), Cylinder::new(0.015, 0.08), Ball::new(0.1));
        let poses = [Isometry3::identity(); 2];
        let found = Point { position: Vector3::new(0.03, 0.015, 0.02), gap: 1e-3, features: [0, 0], share: 1.0 };
        let mut points = vec![found];
        refine(&poses, [&floor, &wheel], &Vector3::y(), &mut points);
        refine(&poses, [&ball, &wheel], &Vector3::z(), &mut points);
        refine(&poses, [&floor, &floor], &Vector3::z(), &mut points);
        assert!(points[0].position == found.position && points[0].gap == found.gap);
    }
}
