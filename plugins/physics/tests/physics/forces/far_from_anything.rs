//! Rapier is told of a part only when it could come near anything: nobody is to notice.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextColliders, RapierRigidBodyHandle, RapierRigidBodySet};
use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyLinks, Drive};
use bunraku_physics::{JointSolver, RapierPoses};
use nalgebra::{Isometry3, Vector3};

use crate::common::{World, biped, body, cube};

/// Along x, m/s.
fn thrown(world: &mut World, x: f64, speed: f64) -> Entity {
    let twist = Twist { linear: Vector3::x() * speed, angular: Vector3::zeros() };
    world.throw(&cube("default"), Isometry3::translation(x, 0.0, 0.0), &[], twist)
}

/// Step in which a cube meets a slow one that it comes up to with a relative `speed` from `away`, m, and the gap between them
/// in this step and the nine after it; both `drift` besides, m/s.
fn meeting(away: f64, speed: f64, drift: f64) -> (usize, Vec<f64>) {
    let mut world = World::weightless().with_joints(JointSolver::Multibody);
    let bodies = [thrown(&mut world, 0.0, drift), thrown(&mut world, 0.2 + away, drift - speed)];
    let mut gaps = Vec::new();
    for step in 1..5000 {
        world.run(1);
        let [slow, fast] = bodies.map(|entity| world.state(entity).link_poses[0].translation.x);
        if slow < drift * step as f64 * 1e-3 - 1e-4 {
            gaps.push(fast - slow - 0.2);
        }
        if gaps.len() == 10 {
            return (step, gaps);
        }
    }
    panic!("they never meet");
}

#[test]
fn what_has_drifted_alone_is_hit_where_it_is() {
    let (mut worst, mut runs) = (0.0_f64, 0);
    for (speed, away) in [(3.0, 0.3), (20.0, 0.6), (30.0, 0.9), (150.0, 5.0)] {
        // Boxes of the broad phase may be entered anywhere in a step.
        for part in 0..20 {
            let away = away + speed * 1e-3 * f64::from(part) / 20.0;
            let at_rest = meeting(away, speed, 0.0);
            for drift in [0.8, -0.8] {
                let drifting = meeting(away, speed, drift);
                let off = at_rest.1.iter().zip(&drifting.1).map(|(one, other)| (one - other).abs());
                let off = off.fold(0.0, f64::max);
                assert!(at_rest.0 == drifting.0 && off < 1e-5, "{speed} m/s from {away} m: {off} m off");
                (worst, runs) = (worst.max(off), runs + 1);
            }
        }
    }
    println!("{runs} meetings, {worst:.1e} m off at most");
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
    for (poses, steps) in [(RapierPoses::EveryUpdate, 1), (RapierPoses::EveryUpdate, 40), (RapierPoses::EveryStep, 1)] {
        assert!(run(poses, steps) == expected, "{poses:?}, {steps} steps an update");
    }
}
