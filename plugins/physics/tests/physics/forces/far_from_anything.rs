//! Rapier gets the pose of a part only when it may come near something, with the same results.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextColliders, RapierRigidBodyHandle, RapierRigidBodySet};
use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyLinks, Drive};
use bunraku_physics::{JointSolver, RapierPoses};
use nalgebra::{Isometry3, Vector3};

use crate::common::{World, biped, body, cube};

/// A cube that moves along x, m/s, 3 cm above where a floor may be.
fn thrown(world: &mut World, x: f64, speed: f64) -> Entity {
    let twist = Twist { linear: Vector3::x() * speed, angular: Vector3::zeros() };
    world.throw(&cube("default"), Isometry3::translation(x, 0.0, 0.13), &[], twist)
}

/// Where a cube is that drifts, and one that comes up to it, in the step in which they meet and the nine after it: along x, m.
fn meeting(away: f64, drift: f64, speed: f64, is_over_floor: bool) -> Vec<[f64; 2]> {
    let mut world = World::weightless().with_joints(JointSolver::Multibody);
    if is_over_floor {
        world.add_floor("default");
    }
    let bodies = [thrown(&mut world, 0.0, drift), thrown(&mut world, 0.2 + away, -speed)];
    let mut places = Vec::new();
    for step in 1..5000 {
        world.run(1);
        let [slow, fast] = bodies.map(|entity| world.state(entity).link_poses[0].translation.x);
        if slow < drift * f64::from(step) * 1e-3 - 1e-4 {
            places.push([slow, fast]);
        }
        if places.len() == 10 {
            return places;
        }
    }
    panic!("they never meet");
}

#[test]
fn what_has_drifted_alone_is_hit_where_it_is() {
    let mut worst = 0.0_f64;
    for (speed, away) in [(3.0, 0.3), (20.0, 0.6), (20.0, 0.55), (30.0, 0.9), (150.0, 5.0)] {
        // They may come into each other's boxes in any part of these.
        for more in 0..60 {
            let away = away + 1e-3 * f64::from(more);
            for drift in [1.25, -1.25] {
                // Rapier gets the poses of parts near a floor in each step.
                let [told, alone] = [true, false].map(|is_over_floor| meeting(away, drift, speed, is_over_floor));
                let off = told.iter().flatten().zip(alone.iter().flatten()).map(|(one, other)| (one - other).abs());
                let off = off.fold(0.0, f64::max);
                worst = worst.max(off);
                if off > 1e-6 {
                    println!("{told:?}\n{alone:?}");
                }
                assert!(off < 1e-6, "{speed} m/s from {away} m: {off} m off");
            }
        }
    }
    println!("{worst:.1e} m off at most");
}

/// Farthest of rapier's positions of a body's parts and their colliders from where they are, m.
fn off(world: &mut World, entity: Entity) -> f32 {
    let links = world.app.world().get::<BodyLinks>(entity).unwrap();
    let handle = world.app.world().get::<RapierRigidBodyHandle>(links.iter().next().unwrap()).unwrap().0;
    let is = world.state(entity).link_poses[0].translation.vector.cast::<f32>();
    let mut contexts = world.app.world_mut().query::<(&RapierRigidBodySet, &RapierContextColliders)>();
    let (set, colliders) = contexts.single(world.app.world()).unwrap();
    let part = &set.bodies[handle];
    let shapes = part.colliders().iter().map(|&handle| colliders.colliders[handle].position().translation);
    let is = Vec3::new(is.x, is.y, is.z);
    shapes.chain([part.position().translation]).map(|at| (at - is).length()).fold(0.0, f32::max)
}

#[test]
fn rapier_shows_where_bodies_are() {
    for poses in [RapierPoses::EveryStep, RapierPoses::EveryUpdate] {
        let mut world = World::weightless().with_joints(JointSolver::Multibody);
        world.app.insert_resource(poses);
        let entity = thrown(&mut world, 0.0, 0.5);
        for _ in 0..20 {
            world.run(7);
            let off = off(&mut world, entity);
            assert!(off < 1e-6, "{poses:?}: {off}");
        }
    }
}

#[test]
fn who_looks_and_when_changes_nothing() {
    let model = body(&biped());
    let run = |poses, steps_an_update: u32| {
        let mut world = World::usual().with_joints(JointSolver::Multibody);
        world.app.insert_resource(poses);
        world.add_floor("default");
        let entities = [0.95, 1.6].map(|height| {
            world.add(&model, Isometry3::translation(0.1 * height, 0.0, height), &[0.0; 12], Drive::Physics)
        });
        for _ in 0..1200 / steps_an_update {
            world.run(steps_an_update);
        }
        entities.map(|entity| world.state(entity).clone())
    };
    let expected = run(RapierPoses::EveryUpdate, 1200);
    assert!(expected[0].link_poses[0].translation.z < 0.9, "it has fallen");
    let others = [
        (RapierPoses::EveryUpdate, 1),
        (RapierPoses::EveryUpdate, 40),
        (RapierPoses::EveryStep, 1),
        (RapierPoses::Never, 40),
    ];
    for (poses, steps) in others {
        assert!(run(poses, steps) == expected, "{poses:?}, {steps} steps an update");
    }
}

/// A pile of boxes that falls over, beside it or far away a body at some speed: where the boxes end.
fn pile(beside: Option<f64>) -> Vec<Isometry3<f64>> {
    let mut world = World::usual().with_joints(JointSolver::Multibody);
    world.add_floor("default");
    let boxes: Vec<Entity> = (0..6)
        .map(|number: u32| {
            let number = f64::from(number);
            let turn = Vector3::new(0.3 * number, 0.7, 0.2 * number * number);
            world.add(
                &cube("default"),
                Isometry3::new(Vector3::new(0.05 * number.sin(), 0.04 * number.cos(), 0.25 + 0.3 * number), turn),
                &[],
                Drive::Physics,
            )
        })
        .collect();
    if let Some(speed) = beside {
        let twist = Twist { linear: Vector3::x() * speed, angular: Vector3::zeros() };
        world.throw(&cube("default"), Isometry3::translation(60.0, 0.0, 30.0), &[], twist);
    }
    world.run(1500);
    boxes.into_iter().map(|entity| world.state(entity).link_poses[0]).collect()
}

#[test]
fn a_fast_body_far_away_changes_nothing() {
    let alone = pile(None);
    for speed in [0.0, 8.0, 100.0] {
        assert!(pile(Some(speed)) == alone, "{speed} m/s");
    }
}
