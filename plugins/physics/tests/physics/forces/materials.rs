//! Static and dynamic friction, and restitution, as the contact material table gives them.

use std::sync::Arc;

use bunraku_body::dynamics::Twist;
use bunraku_body::{Body, Drive};
use bunraku_physics::{JointSolver, SurfaceMaterials};
use nalgebra::{Isometry3, Vector3};

use crate::common::{G, World, body, iterations_of, table};

/// A free block with a small wheel in its middle, so that both joint solvers have something to do.
fn block() -> Arc<Body> {
    body(
        "  - { name: BLOCK, joint_type: free, material: Block, mass: 2, inertia: [ 0.013, 0, 0, 0.013, 0, 0.013 ], elements: [ { type: \
         Shape, geometry: { type: Box, size: [ 0.2, 0.2, 0.2 ] } } ] }\n  - { name: WHEEL, parent: BLOCK, joint_type: revolute, \
         joint_axis: Z, joint_id: 0, mass: 0.1, inertia: [ 1e-4, 0, 0, 1e-4, 0, 1e-4 ] }\n",
    )
}

/// Distance that a block moves in a second down a slope of tan = 0.5, pushed with `speed`, m.
fn slide(solver: JointSolver, iterations: usize, speed: f64) -> f64 {
    let slope = 0.5_f64.atan();
    let gravity = Vector3::new(slope.sin(), 0.0, -slope.cos()) * G;
    let mut world = World::new(0.001, gravity, iterations).with_joints(solver);
    let line = "  - { materials: [ Ground, Block ], static_friction: 0.6, dynamic_friction: 0.4 }\n";
    world.app.insert_resource(SurfaceMaterials(table(line)));
    world.add_floor("Ground");
    let twist = Twist { linear: Vector3::x() * speed, ..Twist::ZERO };
    let entity = world.throw(&block(), Isometry3::translation(0.0, 0.0, 0.1), &[0.0], twist);
    world.run(1000);
    world.state(entity).link_poses[0].translation.x
}

#[test]
fn between_the_two_angles_of_friction_a_block_stays_and_a_sliding_one_goes_on() {
    for solver in [JointSolver::Impulse, JointSolver::Multibody] {
        for iterations in iterations_of(solver, [1, 4]) {
            let slope = 0.5_f64.atan();
            let resting = slide(solver, iterations, 0.0);
            let sliding = slide(solver, iterations, 0.1);
            let expected = 0.1 + 0.5 * G * (slope.sin() - 0.4 * slope.cos());
            println!(
                "{solver:?}, n = {iterations}: at rest {resting:.1e} m; sliding {sliding:.4} m, expected {expected:.4} m"
            );
            // A resting block sinks into its springs and leans, but creeps by less than 0.1 mm in a second.
            assert!(resting.abs() < 1e-4);
            assert!((sliding / expected - 1.0).abs() < 0.02);
        }
    }
}

/// A ball; for a multibody with a small wheel in it. Between impulse joints a bounce is not passed on (rapier gives it to
/// the body that touches once its joints are solved), so that one is a ball alone.
fn ball(solver: JointSolver) -> (Arc<Body>, Vec<f64>) {
    let ball = "  - { name: BALL, joint_type: free, material: Ball, mass: 1, inertia: [ 0.004, 0, 0, 0.004, 0, 0.004 ], elements: [ { \
                type: Shape, geometry: { type: Sphere, radius: 0.1 } } ] }\n";
    let wheel = "  - { name: WHEEL, parent: BALL, joint_type: revolute, joint_axis: Z, joint_id: 0, mass: 0.1, inertia: [ 1e-4, 0, 0, \
                 1e-4, 0, 1e-4 ] }\n";
    match solver {
        JointSolver::Impulse => (body(ball), vec![]),
        JointSolver::Multibody => (body(&format!("{ball}{wheel}")), vec![0.0]),
    }
}

/// Speeds at impact are off by what a ball falls faster in a step, 0.3 % here, heights by twice as much, and both again on
/// the way back.
const HEIGHT: f64 = 0.015;
/// A ball bounces in the step in which it would touch, up to this high above the floor: 3.13 m/s · 1 ms.
const ABOVE: f64 = 0.0032;

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    for solver in [JointSolver::Impulse, JointSolver::Multibody] {
        for iterations in iterations_of(solver, [1, 4]) {
            for restitution in [0.3, 0.7, 1.0] {
                let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), iterations).with_joints(solver);
                let line =
                    format!("  - {{ materials: [ Ground, Ball ], friction: 0.5, restitution: {restitution} }}\n");
                world.app.insert_resource(SurfaceMaterials(table(&line)));
                world.add_floor("Ground");
                let drop = 0.5;
                let (ball, joints) = ball(solver);
                let entity = world.add(&ball, Isometry3::translation(0.0, 0.0, 0.1 + drop), &joints, Drive::Physics);
                // Until it is above the floor again at the top of its first bounce.
                let (mut height, mut highest, mut has_touched) = (drop, 0.0_f64, false);
                for _ in 0..2000 {
                    world.run(1);
                    let now = world.state(entity).link_poses[0].translation.z - 0.1;
                    has_touched |= now < 0.01;
                    if has_touched {
                        highest = highest.max(now);
                        if now < height && highest > 0.012 {
                            break;
                        }
                    }
                    height = now;
                }
                let expected = restitution * restitution * drop;
                let error = highest - expected;
                println!("{solver:?}, n = {iterations}, e = {restitution}: {highest:.4} m ({:+.2} mm)", error * 1e3);
                assert!(error.abs() < HEIGHT * expected + ABOVE, "{highest} m instead of {expected} m");
            }
        }
    }
}

#[test]
fn a_bouncy_ball_that_lies_stays_where_it_is() {
    for solver in [JointSolver::Impulse, JointSolver::Multibody] {
        let mut world = World::usual().with_joints(solver);
        let line = "  - { materials: [ Ground, Ball ], friction: 0.5, restitution: 1 }\n";
        world.app.insert_resource(SurfaceMaterials(table(line)));
        world.add_floor("Ground");
        let (ball, joints) = ball(solver);
        let entity = world.add(&ball, Isometry3::translation(0.0, 0.0, 0.1), &joints, Drive::Physics);
        let mut highest = 0.0_f64;
        for _ in 0..1000 {
            world.run(1);
            highest = highest.max((world.state(entity).link_poses[0].translation.z - 0.1).abs());
        }
        println!("{solver:?}: moved by {highest:.1e} m");
        assert!(highest < 1e-4);
    }
}
