//! Small scenes.

use std::sync::Arc;

use bunraku_body::{Appearance, Geometry, Shape};
use bunraku_mesh::{Primitive, TriangleMesh};
use bunraku_render::{Model, Ray, Scene, Textures};
use bunraku_test_support::Random;
use nalgebra::{Affine3, Isometry3, Matrix4, Point3, Unit, Vector3};

pub fn model(shapes: &[Shape]) -> Arc<Model> {
    Arc::new(Model::new(shapes, &mut Textures::default()))
}

pub fn shape(geometry: Geometry) -> Shape {
    Shape::new(geometry, Affine3::identity(), Appearance::default())
}

pub fn cuboid(size: [f64; 3]) -> Shape {
    shape(Geometry::primitive(Primitive::Box { size: size.into() }))
}

pub fn scaled(mut shape: Shape, scale: [f64; 3]) -> Shape {
    shape.transform = Affine3::from_matrix_unchecked(Matrix4::new_nonuniform_scaling(&scale.into()));
    shape
}

/// Random triangles of various sizes and positions.
pub fn soup(count: usize, random: &mut Random) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for index in 0..count as u32 {
        let center = Vector3::from_fn(|_, _| 4.0 * random.unit() - 2.0);
        let size = 10.0_f64.powf(-3.0 * random.unit());
        for _ in 0..3 {
            mesh.vertices.push(Point3::from(center + random.direction().into_inner() * size).cast());
        }
        mesh.triangles.push([3 * index, 3 * index + 1, 3 * index + 2]);
    }
    mesh
}

pub fn one(shape: Shape) -> Scene {
    Scene::new([(model(&[shape]), Isometry3::identity())])
}

pub fn ray(origin: [f64; 3], direction: [f64; 3]) -> Ray {
    Ray::new(origin.into(), Unit::new_normalize(direction.into()))
}
