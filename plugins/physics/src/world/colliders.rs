//! Collision shapes of links as rapier colliders.

use crate::model::collision::LinkCollision;
use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bunraku_body::{Geometry, Shape};
use bunraku_mesh::Primitive;
use nalgebra::{Affine3, Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

/// A collider and its pose in the frame of `shape`; `None` if the shape has no volume.
///
/// Primitives remain primitives, of any `collision`, unless their scale prevents it.
pub(crate) fn collider(shape: &Shape, moves: bool, collision: LinkCollision) -> Option<(Collider, Isometry3<f64>)> {
    if collision == LinkCollision::Nothing {
        return None;
    }
    if let Geometry::Primitive { primitive, .. } = &shape.geometry
        && let Some((pose, scale)) = rigid_motion_and_scale(&shape.transform)
        && let Some(collider) = exact(primitive, &scale)
    {
        return Some((collider, pose));
    }
    let mesh = shape.geometry.triangles();
    let points = mesh.vertices.iter().map(|vertex| point(&(shape.transform * vertex.cast::<f64>())));
    let points: Vec<Vec3> = points.collect();
    // An unevenly scaled primitive is convex still, so that its hull is the shape itself.
    let is_mesh = matches!(shape.geometry, Geometry::Mesh(_));
    let collider = match collision {
        LinkCollision::ConvexParts if is_mesh => {
            (!mesh.triangles.is_empty()).then(|| Collider::convex_decomposition(&points, &mesh.triangles))
        }
        LinkCollision::Triangles if is_mesh => Collider::trimesh(points, mesh.triangles.clone()).ok(),
        LinkCollision::Automatic if is_mesh && !moves => Collider::trimesh(points, mesh.triangles.clone()).ok(),
        _ => Collider::convex_hull(&points),
    };
    Some((collider?, Isometry3::identity()))
}

/// The primitive itself, if the scale leaves it one.
#[allow(clippy::cast_possible_truncation)]
fn exact(primitive: &Primitive, scale: &Vector3<f64>) -> Option<Collider> {
    let even = (scale.max() - scale.min()).abs() <= 1e-9 * scale.max();
    let round = even.then_some(scale.x);
    match *primitive {
        Primitive::Box { size } => {
            let half = size.component_mul(scale) / 2.0;
            (half.min() > 0.0).then(|| Collider::cuboid(half.x as f32, half.y as f32, half.z as f32))
        }
        Primitive::Sphere { radius } => round.map(|scale| Collider::ball((radius * scale) as f32)),
        Primitive::Cylinder { radius, height, .. } => {
            round.map(|scale| Collider::cylinder((height * scale / 2.0) as f32, (radius * scale) as f32))
        }
        Primitive::Cone { radius, height, .. } => {
            round.map(|scale| Collider::cone((height * scale / 2.0) as f32, (radius * scale) as f32))
        }
        Primitive::Capsule { radius, height } => {
            round.map(|scale| Collider::capsule_y((height * scale / 2.0) as f32, (radius * scale) as f32))
        }
    }
}

/// An affine map as scaling along the axes, then a rigid motion; `None` if it shears or mirrors.
fn rigid_motion_and_scale(transform: &Affine3<f64>) -> Option<(Isometry3<f64>, Vector3<f64>)> {
    let matrix = transform.matrix();
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    let scale = Vector3::from_fn(|axis, _| linear.column(axis).norm());
    if scale.min() <= 0.0 || linear.determinant() <= 0.0 {
        return None;
    }
    let rotation =
        Matrix3::from_columns(&[linear.column(0) / scale.x, linear.column(1) / scale.y, linear.column(2) / scale.z]);
    // Tolerance of orthogonality: rounding of a product of a dozen rotations.
    const SQUARE: f64 = 1e-9;
    if (rotation.transpose() * rotation - Matrix3::identity()).norm() > SQUARE {
        return None;
    }
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    let translation: Vector3<f64> = matrix.fixed_view::<3, 1>(0, 3).into_owned();
    Some((Isometry3::from_parts(Translation3::from(translation), rotation), scale))
}

fn point(point: &Point3<f64>) -> Vec3 {
    crate::world::convert::to_vec3(&point.coords)
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix4;

    use super::*;

    fn shape(primitive: Primitive, transform: Matrix4<f64>) -> Shape {
        Shape::new(Geometry::primitive(primitive), Affine3::from_matrix_unchecked(transform), Default::default())
    }

    #[test]
    fn a_turned_and_stretched_box_stays_a_box() {
        let pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, -0.2, 0.9));
        let transform = pose.to_homogeneous() * Matrix4::new_nonuniform_scaling(&Vector3::new(1.0, 2.0, 3.0));
        let (collider, found) =
            collider(&shape(Primitive::Box { size: Vector3::repeat(1.0) }, transform), true, LinkCollision::Automatic)
                .unwrap();
        let half = collider.as_cuboid().unwrap().half_extents();
        assert!((half - Vec3::new(0.5, 1.0, 1.5)).length() < 1e-6);
        assert!((found.to_homogeneous() - pose.to_homogeneous()).norm() < 1e-12);
    }

    #[test]
    fn a_stretched_sphere_is_a_hull() {
        let transform = Matrix4::new_nonuniform_scaling(&Vector3::new(1.0, 1.0, 2.0));
        let (collider, _) =
            collider(&shape(Primitive::Sphere { radius: 0.5 }, transform), true, LinkCollision::Automatic).unwrap();
        assert!(collider.as_convex_polyhedron().is_some());
    }

    #[test]
    fn a_link_may_choose_what_its_meshes_become() {
        let cube = Primitive::Box { size: Vector3::repeat(1.0) }.tessellate(4);
        let shape = Shape::new(Geometry::Mesh(cube.into()), Affine3::identity(), Default::default());
        let made = |moves, collision| collider(&shape, moves, collision).map(|(collider, _)| collider);
        for (moves, collision) in
            [(true, LinkCollision::Automatic), (true, LinkCollision::ConvexHull), (false, LinkCollision::ConvexHull)]
        {
            assert!(made(moves, collision).unwrap().as_convex_polyhedron().is_some());
        }
        for (moves, collision) in [(false, LinkCollision::Automatic), (true, LinkCollision::Triangles)] {
            assert!(made(moves, collision).unwrap().as_trimesh().is_some());
        }
        assert!(made(true, LinkCollision::ConvexParts).unwrap().as_compound().is_some());
        assert!(made(true, LinkCollision::Nothing).is_none());
    }

    #[test]
    fn a_box_without_volume_is_a_flat_hull_or_nothing() {
        let flat = shape(Primitive::Box { size: Vector3::new(1.0, 0.0, 1.0) }, Matrix4::identity());
        // Rapier may make a hull of it or nothing, but no other shape, and does not bring the program down.
        if let Some((collider, pose)) = collider(&flat, true, LinkCollision::Automatic) {
            assert_eq!(pose, Isometry3::identity());
            assert!((collider.raw.compute_local_aabb().half_extents() - Vec3::new(0.5, 0.0, 0.5)).length() < 1e-6);
        }
    }
}
