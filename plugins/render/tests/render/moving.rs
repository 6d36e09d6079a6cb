//! Rays at times within the motions of models.

use std::sync::Arc;

use bunraku_body::Geometry;
use bunraku_mesh::Primitive;
use bunraku_render::{Hit, InstanceIndex, Model, Motion, Ray, Reach, Scene, Threads};
use bunraku_test_support::Random;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::common::{model, shape, soup};

fn pose(random: &mut Random, spread: f64) -> Isometry3<f64> {
    Isometry3::new(random.direction().into_inner() * spread, random.direction().into_inner() * 1.5)
}

/// Primitives and meshes.
fn models(random: &mut Random) -> Vec<Arc<Model>> {
    let primitives = [
        Primitive::Sphere { radius: 0.4 },
        Primitive::Box { size: Vector3::new(0.3, 0.5, 0.7) },
        Primitive::Cylinder { radius: 0.2, height: 0.9, top: true, bottom: true },
    ];
    let primitives = primitives.map(|primitive| model(&[shape(Geometry::primitive(primitive))]));
    let meshes: Vec<_> = (0..3).map(|_| model(&[shape(Geometry::Mesh(Arc::new(soup(200, random))))])).collect();
    primitives.into_iter().chain(meshes).collect()
}

#[test]
fn a_motion_moves_along_a_line_and_turns_uniformly() {
    let start = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::z() * 0.2);
    let end = Isometry3::new(Vector3::new(2.0, 0.0, 3.5), Vector3::z() * 1.0);
    let motion = Motion::new(start, end);
    assert_eq!((motion.at(0.0), motion.at(1.0), motion.at(-1.0), motion.at(2.0)), (start, end, start, end));
    let quarter = motion.at(0.25);
    assert!((quarter.translation.vector - Vector3::new(1.25, 1.5, 3.125)).norm() < 1e-15);
    assert!(quarter.rotation.angle_to(&UnitQuaternion::from_scaled_axis(Vector3::z() * 0.4)) < 1e-12);
    assert_eq!(Motion::still(end).at(0.3), end);
    let twice = motion.stretched(2.0);
    assert_eq!(twice.at(1.0), end);
    for share in [0.0, 0.3, 0.9] {
        let (found, expected) = (twice.at(0.5 + share / 2.0), motion.at(share));
        assert!((found.translation.vector - expected.translation.vector).norm() < 1e-14);
        assert!(found.rotation.angle_to(&expected.rotation) < 1e-7);
    }
}

/// A ray at a time sees what a scene at rest shows at that time, alone and in a packet.
#[test]
fn rays_meet_everything_where_it_is_at_their_time() {
    let mut random = Random::new(5);
    let models = models(&mut random);
    let motions: Vec<Motion> =
        models.iter().map(|_| Motion::new(pose(&mut random, 1.5), pose(&mut random, 1.5))).collect();
    let mut moving = Scene::new(models.iter().map(|model| (Arc::clone(model), Isometry3::identity())));
    moving.set_motions(motions.iter().enumerate().map(|(index, motion)| (InstanceIndex(index), *motion)));
    let (mut met, mut rays) = (0, Vec::new());
    for group in 0..400 {
        // Rays that begin near each other and go in similar directions, like those of a scanner that drives.
        let (origin, ahead) = (random.direction().into_inner() * 4.0, random.direction().into_inner());
        let towards = ahead * 0.8 - origin;
        for lane in 0..16 {
            let share = f64::from(lane) / 15.0;
            let direction = towards + random.direction().into_inner() * 0.3;
            let origin = Point3::from(origin + Vector3::new(0.01 * share, 0.02, 0.0) * f64::from(group % 2));
            let direction = nalgebra::Unit::new_normalize(direction);
            rays.push(Ray { time: share, ..Ray::new(origin, direction) });
        }
    }
    let together = moving.cast_all(&rays, Reach::ALL, Threads::ONE);
    for (ray, together) in rays.iter().zip(&together) {
        let still =
            Scene::new(models.iter().zip(&motions).map(|(model, motion)| (Arc::clone(model), motion.at(ray.time))));
        let expected = still.cast(ray, Reach::ALL);
        assert_eq!(*together, moving.cast(ray, Reach::ALL));
        let instance = |hit: &Option<Hit>| hit.map(|hit| hit.instance);
        assert_eq!(instance(together), instance(&expected));
        if let (Some(found), Some(expected)) = (together, expected) {
            assert!((found.distance - expected.distance).abs() < 1e-13, "{found:?} {expected:?}");
        }
        met += usize::from(expected.is_some());
    }
    assert!(met > rays.len() / 3, "{met} of {}", rays.len());
}

#[test]
fn what_does_not_move_gives_the_same_bits_as_before() {
    let mut random = Random::new(6);
    let models = models(&mut random);
    let poses: Vec<_> = models.iter().map(|_| pose(&mut random, 1.5)).collect();
    let still = Scene::new(models.iter().cloned().zip(poses.iter().copied()));
    let mut moved = Scene::new(models.iter().map(|model| (Arc::clone(model), Isometry3::identity())));
    moved.set_motions(poses.iter().enumerate().map(|(index, pose)| (InstanceIndex(index), Motion::new(*pose, *pose))));
    for _ in 0..5000 {
        let origin = Point3::from(random.direction().into_inner() * 4.0);
        let towards = random.direction().into_inner() - origin.coords;
        let ray = Ray { time: random.unit(), ..Ray::new(origin, nalgebra::Unit::new_normalize(towards)) };
        assert_eq!(moved.cast(&ray, Reach::ALL), still.cast(&ray, Reach::ALL));
    }
}

#[test]
fn a_scene_that_has_moved_is_a_new_one_bit_for_bit() {
    let mut random = Random::new(7);
    let models: Vec<_> = (0..5).flat_map(|_| models(&mut random)).collect();
    let mut poses: Vec<_> = models.iter().map(|_| pose(&mut random, 1.5)).collect();
    let mut moved = Scene::new(models.iter().cloned().zip(poses.iter().copied()));
    for step in 0..60 {
        // Small steps first, which keep the tree; then far ones, which make it useless.
        let size = if step < 40 { 0.02 } else { 3.0 };
        for pose in poses.iter_mut().step_by(2) {
            *pose =
                Isometry3::new(random.direction().into_inner() * size, random.direction().into_inner() * size) * *pose;
        }
        moved.set_poses(poses.iter().enumerate().map(|(index, pose)| (InstanceIndex(index), *pose)));
        let new = Scene::new(models.iter().cloned().zip(poses.iter().copied()));
        let mut hits = 0;
        for _ in 0..300 {
            let origin = Point3::from(random.direction().into_inner() * 4.0);
            let towards = random.direction().into_inner() - origin.coords;
            let ray = Ray::new(origin, nalgebra::Unit::new_normalize(towards));
            let expected = new.cast(&ray, Reach::ALL);
            assert_eq!(moved.cast(&ray, Reach::ALL), expected, "after {step} steps");
            hits += usize::from(expected.is_some());
        }
        assert!(hits > 20, "{hits} after {step} steps");
    }
}
