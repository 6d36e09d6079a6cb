//! Small and real scenes.

use std::path::Path;
use std::sync::Arc;

use bunraku_body::{Appearance, Body, Geometry, LoadOptions, Shape};
use bunraku_document::{Reporter, SearchRoots};
use bunraku_mesh::Primitive;
use bunraku_render::{Model, Scene, Textures};
use nalgebra::{Affine3, Isometry3, Vector3};

pub fn load(corpus: &Path, model: &str) -> Body {
    let options = LoadOptions { roots: SearchRoots::new(Some(corpus.join("share"))), ..LoadOptions::default() };
    bunraku_body::load(&corpus.join("share/model").join(model), &options, &Reporter::new()).unwrap()
}

pub fn place(model: &[Shape], pose: Isometry3<f64>) -> (Arc<Model>, Isometry3<f64>) {
    (Arc::new(Model::new(model, &mut Textures::default())), pose)
}

pub fn shape(primitive: Primitive, divisions: u32) -> Shape {
    Shape::new(Geometry::Primitive { primitive, divisions }, Affine3::identity(), Appearance::default())
}

/// A wall whose face is the plane at `distance` m along a direction.
pub fn wall(direction: Vector3<f64>, distance: f64) -> (Arc<Model>, Isometry3<f64>) {
    let plate = shape(Primitive::Box { size: Vector3::new(1000.0, 1000.0, 1.0) }, 0);
    let turn = nalgebra::UnitQuaternion::rotation_between(&Vector3::z(), &direction)
        .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
    let center = direction.normalize() * (distance + 0.5);
    place(&[plate], Isometry3::from_parts(center.into(), turn))
}

/// All links of bodies at their poses.
pub fn scene(bodies: &[(&Body, Vec<Isometry3<f64>>)]) -> Scene {
    let mut textures = Textures::default();
    let mut instances = Vec::new();
    for (body, poses) in bodies {
        let models = Model::of_links(body, &mut textures);
        instances.extend(models.into_iter().zip(poses).filter_map(|(model, pose)| Some((model?, *pose))));
    }
    Scene::new(instances)
}
