//! Contact points of two convex shapes, and the convex parts of two shapes.

use nalgebra::Vector3;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::details::NormalConstraints;
use parry3d_f64::query::{ContactManifold, details};
use parry3d_f64::shape::{Shape, ShapeType};

use super::contact_point::ContactPoint;

/// Sine of the largest angle between the normal and the side of a cylinder that touches with its side.
pub(super) const SIDE: f64 = 0.2;
/// Parry's points on a cylinder are no farther from the exact ones, m.
const NEAR: f64 = 1e-4;

/// Contact points of two convex shapes.
pub(super) type Manifold = ContactManifold<(), ()>;

/// Convex parts of two shapes that may touch.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// Indices within the two shapes.
    pub numbers: [u32; 2],
    /// In the world.
    pub poses: [Pose; 2],
    pub shapes: [&'a dyn Shape; 2],
    /// Normals that the parts may have.
    pub normals: [Option<&'a dyn NormalConstraints>; 2],
}

impl Parts<'_> {
    /// Finds the points that are nearer than `prediction`, m, without any memory of earlier steps. Returns whether there are any.
    pub fn find(&self, prediction: f64, manifold: &mut Manifold) -> bool {
        let Self { poses: [pose1, pose2], shapes: [shape1, shape2], normals: [normals1, normals2], .. } = *self;
        manifold.clear();
        (manifold.local_n1, manifold.local_n2) = (Vector::ZERO, Vector::ZERO);
        let between = &pose1.inv_mul(&pose2);
        match (shape1.shape_type(), shape2.shape_type()) {
            (ShapeType::Ball, ShapeType::Ball) => {
                details::contact_manifold_ball_ball_shapes(between, shape1, shape2, prediction, manifold);
            }
            (ShapeType::Capsule, ShapeType::Capsule) => {
                details::contact_manifold_capsule_capsule_shapes(between, shape1, shape2, prediction, manifold);
            }
            (ShapeType::Ball, _) | (_, ShapeType::Ball) => details::contact_manifold_convex_ball_shapes(
                between, shape1, shape2, normals1, normals2, prediction, manifold,
            ),
            (ShapeType::Triangle, ShapeType::Cuboid) | (ShapeType::Cuboid, ShapeType::Triangle) => {
                details::contact_manifold_cuboid_triangle_shapes(
                    between, shape1, shape2, normals1, normals2, prediction, manifold,
                );
            }
            (ShapeType::HalfSpace, _) | (_, ShapeType::HalfSpace) => {
                details::contact_manifold_halfspace_pfm_shapes(between, shape1, shape2, prediction, manifold);
            }
            _ => details::contact_manifold_pfm_pfm_shapes(
                between, shape1, shape2, normals1, normals2, prediction, manifold,
            ),
        }
        !manifold.points.is_empty()
    }

    /// The points of a manifold of the two, with its normal: a unit vector out of the first, world axes.
    pub fn points<'a>(
        &'a self,
        manifold: &'a Manifold,
        normal: &'a Vector3<f64>,
    ) -> impl Iterator<Item = ContactPoint> + 'a {
        manifold.points.iter().map(move |point| {
            let on_first = self.on_surface(0, point.local_p1, normal);
            let on_second = self.on_surface(1, point.local_p2, &-normal);
            let gap = (on_second - on_first).dot(normal);
            let position = (on_first + on_second) * 0.5;
            ContactPoint { position, gap, features: [point.fid1.0, point.fid2.0], share: 1.0 }
        })
    }

    /// A point of a part, in its own frame, where its surface has the normal: parry finds the azimuth on a cylinder to 1e-6 rad only, and a wheel that
    /// touches a little before its axle is braked. In the world.
    fn on_surface(&self, side: usize, point: Vector, normal: &Vector3<f64>) -> Vector3<f64> {
        let pose = &self.poses[side];
        let exact = self.shapes[side].as_cylinder().and_then(|cylinder| {
            let local = pose.rotation.inverse() * Vector::new(normal.x, normal.y, normal.z);
            let across = Vector::new(local.x, 0.0, local.z);
            let exact = across.try_normalize()? * cylinder.radius + Vector::Y * point.y;
            (local.y.abs() < SIDE && exact.distance(point) < NEAR).then_some(exact)
        });
        from_parry(*pose * exact.unwrap_or(point))
    }

    /// The box about a part, m, world axes.
    pub fn bounds(&self, side: usize) -> Aabb {
        self.shapes[side].compute_aabb(&self.poses[side])
    }
}

/// Gives the convex parts of two shapes whose boxes are nearer than `prediction`, m.
pub(super) fn for_near_parts(
    poses: [Pose; 2],
    shapes: [&dyn Shape; 2],
    prediction: f64,
    give: &mut dyn FnMut(Parts<'_>),
) {
    if shapes.iter().all(|shape| shape.as_composite_shape().is_none()) {
        give(Parts { numbers: [0; 2], poses, shapes, normals: [None; 2] });
        return;
    }
    let within = |side: usize, other: &dyn Shape, pose: &Pose| {
        other.compute_aabb(&poses[side].inv_mul(pose)).loosened(prediction)
    };
    let [shape1, shape2] = shapes;
    for_near(shape1, &within(0, shape2, &poses[1]), &mut |number1, offset1, part1, normals1| {
        let pose1 = poses[0] * *offset1;
        for_near(shape2, &within(1, part1, &pose1), &mut |number2, offset2, part2, normals2| {
            give(Parts {
                numbers: [number1, number2],
                poses: [pose1, poses[1] * *offset2],
                shapes: [part1, part2],
                normals: [normals1, normals2],
            });
        });
    });
}

type TakePart<'a> = dyn FnMut(u32, &Pose, &dyn Shape, Option<&dyn NormalConstraints>) + 'a;

fn for_near(shape: &dyn Shape, near: &Aabb, give: &mut TakePart<'_>) {
    match shape.as_composite_shape() {
        None => give(0, &Pose::IDENTITY, shape, None),
        Some(composite) => {
            for number in composite.bvh().intersect_aabb(near) {
                composite.map_part_at(number, &mut |pose, part, normals| {
                    give(number, pose.unwrap_or(&Pose::IDENTITY), part, normals);
                });
            }
        }
    }
}

/// A vector of parry's.
pub(super) fn from_parry(vector: Vector) -> Vector3<f64> {
    Vector3::new(vector.x, vector.y, vector.z)
}
