//! Collision shapes in f64.
//!
//! Rapier keeps colliders in f32. Each shape is converted once; a collider whose shape was replaced is converted again.

use std::sync::Arc;

use bevy_rapier3d::parry;
use bevy_rapier3d::rapier::geometry::{ColliderHandle, ColliderSet};
use bevy_rapier3d::rapier::math::{Pose, Vector};
use nalgebra::Isometry3;
use parry::shape::TypedShape;
use parry3d_f64::math::Vector as Vector64;
use parry3d_f64::shape::{HalfSpace, Polyline, RoundShape, SharedShape, TriMesh};

use crate::world::convert::{from_pose, to_f64_pose};

/// The shapes of rapier's colliders in f64.
#[derive(Default)]
pub(super) struct Shapes {
    /// By the index part of the collider handle.
    by_collider: Vec<Option<Converted>>,
}

/// A collider as contacts are found with it.
pub(super) struct Converted {
    handle: ColliderHandle,
    /// Kept, so that its address identifies it.
    original: parry::shape::SharedShape,
    pub shape: SharedShape,
    /// In the frame of its part, or in the world if that does not move.
    pub pose: Isometry3<f64>,
}

impl Shapes {
    /// Converts a collider; its shape only if that was not done before. A kind of shape that parry cannot test is left out.
    pub fn prepare(&mut self, handle: ColliderHandle, moves: bool, colliders: &ColliderSet) {
        let Some(collider) = colliders.get(handle) else { return };
        let index = handle.into_raw_parts().0 as usize;
        if self.by_collider.len() <= index {
            self.by_collider.resize_with(index + 1, || None);
        }
        let original = collider.shared_shape();
        let known = self.by_collider[index]
            .take()
            .filter(|known| known.handle == handle && Arc::ptr_eq(&known.original.0, &original.0));
        let shape = known.map(|known| known.shape).or_else(|| converted(original.as_typed_shape()));
        let pose = from_pose(collider.position_wrt_parent().filter(|_| moves).unwrap_or(collider.position()));
        self.by_collider[index] = shape.map(|shape| Converted { handle, original: original.clone(), shape, pose });
    }

    /// A collider that was prepared.
    pub fn get(&self, handle: ColliderHandle) -> Option<&Converted> {
        let known = self.by_collider.get(handle.into_raw_parts().0 as usize)?.as_ref()?;
        (known.handle == handle).then_some(known)
    }
}

fn converted(shape: TypedShape<'_>) -> Option<SharedShape> {
    Some(match shape {
        TypedShape::Ball(ball) => SharedShape::ball(ball.radius.into()),
        TypedShape::Cuboid(cuboid) => {
            let half = wide(cuboid.half_extents);
            SharedShape::cuboid(half.x, half.y, half.z)
        }
        TypedShape::Capsule(capsule) => {
            SharedShape::capsule(wide(capsule.segment.a), wide(capsule.segment.b), capsule.radius.into())
        }
        TypedShape::Cylinder(cylinder) => SharedShape::cylinder(cylinder.half_height.into(), cylinder.radius.into()),
        TypedShape::Cone(cone) => SharedShape::cone(cone.half_height.into(), cone.radius.into()),
        TypedShape::Segment(segment) => SharedShape::segment(wide(segment.a), wide(segment.b)),
        TypedShape::Triangle(triangle) => SharedShape::triangle(wide(triangle.a), wide(triangle.b), wide(triangle.c)),
        TypedShape::HalfSpace(half_space) => SharedShape::new(HalfSpace::new(wide(half_space.normal).normalize())),
        TypedShape::ConvexPolyhedron(hull) => {
            let (points, triangles) = hull.to_trimesh();
            let points = all_wide(&points);
            SharedShape::convex_mesh(points.clone(), &triangles).or_else(|| SharedShape::convex_hull(&points))?
        }
        TypedShape::TriMesh(mesh) => triangles(mesh.vertices(), mesh.indices())?,
        TypedShape::HeightField(field) => {
            let (points, indices) = field.to_trimesh();
            triangles(&points, &indices)?
        }
        TypedShape::Voxels(voxels) => {
            let (points, indices) = voxels.to_trimesh();
            triangles(&points, &indices)?
        }
        TypedShape::Polyline(line) => {
            SharedShape::new(Polyline::new(all_wide(line.vertices()), Some(line.indices().to_vec())))
        }
        TypedShape::Compound(compound) => {
            let parts = compound
                .shapes()
                .iter()
                .map(|(pose, shape)| Some((wide_pose(pose), converted(shape.as_typed_shape())?)));
            SharedShape::compound(parts.collect::<Option<_>>()?)
        }
        TypedShape::RoundCuboid(round) => {
            let half = wide(round.inner_shape.half_extents);
            SharedShape::round_cuboid(half.x, half.y, half.z, round.border_radius.into())
        }
        TypedShape::RoundTriangle(round) => {
            let triangle = &round.inner_shape;
            SharedShape::round_triangle(
                wide(triangle.a),
                wide(triangle.b),
                wide(triangle.c),
                round.border_radius.into(),
            )
        }
        TypedShape::RoundCylinder(round) => {
            let cylinder = &round.inner_shape;
            let [half_height, radius, border] = [cylinder.half_height, cylinder.radius, round.border_radius];
            SharedShape::round_cylinder(half_height.into(), radius.into(), border.into())
        }
        TypedShape::RoundCone(round) => {
            let cone = &round.inner_shape;
            SharedShape::round_cone(cone.half_height.into(), cone.radius.into(), round.border_radius.into())
        }
        TypedShape::RoundConvexPolyhedron(round) => {
            let hull = converted(TypedShape::ConvexPolyhedron(&round.inner_shape))?;
            let inner_shape = hull.as_convex_polyhedron()?.clone();
            SharedShape::new(RoundShape { inner_shape, border_radius: round.border_radius.into() })
        }
        TypedShape::Custom(_) => return None,
    })
}

fn triangles(points: &[Vector], indices: &[[u32; 3]]) -> Option<SharedShape> {
    TriMesh::new(all_wide(points), indices.to_vec()).ok().map(SharedShape::new)
}

fn wide(vector: Vector) -> Vector64 {
    vector.as_dvec3()
}

fn all_wide(points: &[Vector]) -> Vec<Vector64> {
    points.iter().map(|&point| wide(point)).collect()
}

fn wide_pose(pose: &Pose) -> parry3d_f64::math::Pose {
    to_f64_pose(&from_pose(pose))
}

#[cfg(test)]
mod tests {
    use bevy_rapier3d::rapier::geometry::SharedShape as Original;

    use super::*;

    #[test]
    fn every_kind_of_shape_keeps_its_size() {
        let corner = |x: f32, y: f32, z: f32| Vector::new(x, y, z);
        let points = [corner(0.0, 0.0, 0.1), corner(1.0, 0.0, 0.0), corner(0.0, 2.0, 0.0), corner(0.0, 0.0, 3.0)];
        let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let [a, b, c, d] = points;
        let originals = [
            Original::ball(0.3),
            Original::cuboid(0.1, 0.2, 0.3),
            Original::capsule(a, b, 0.2),
            Original::cylinder(0.1, 0.4),
            Original::cone(0.1, 0.4),
            Original::segment(a, b),
            Original::triangle(b, c, d),
            Original::convex_hull(&points).unwrap(),
            Original::trimesh(points.to_vec(), faces).unwrap(),
            Original::polyline(points.to_vec(), None),
            Original::round_cuboid(0.1, 0.2, 0.3, 0.05),
            Original::round_triangle(b, c, d, 0.05),
            Original::round_cylinder(0.1, 0.4, 0.05),
            Original::round_cone(0.1, 0.4, 0.05),
            Original::round_convex_hull(&points, 0.05).unwrap(),
            Original::compound(vec![(Pose::translation(1.0, 2.0, 3.0), Original::ball(0.3))]),
        ];
        for original in originals {
            let shape = converted(original.as_typed_shape()).unwrap();
            let (is, was) = (shape.compute_local_aabb(), original.compute_local_aabb());
            let off = (is.mins - wide(was.mins)).length() + (is.maxs - wide(was.maxs)).length();
            assert!(off < 1e-5, "{:?}: {is:?} {was:?}", original.shape_type());
        }
    }
}
