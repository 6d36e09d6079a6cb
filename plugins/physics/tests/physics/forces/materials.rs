//! Static and dynamic friction, and restitution, as the contact material table gives them.

use bunraku_body::dynamics::Twist;
use nalgebra::{Isometry3, Vector3};

use super::support::contact_wrench;
use crate::common::{G, World, body, cube, for_both_solvers};

#[test]
fn between_the_two_angles_of_friction_a_block_stays_and_a_sliding_one_goes_on() {
    for_both_solvers(|solver| {
        let slope = 0.5_f64.atan();
        // The way in a second down a slope, pushed with a speed.
        let slide = |speed: f64| {
            let gravity = Vector3::new(slope.sin(), 0.0, -slope.cos()) * G;
            let mut world = World::new(0.001, gravity, 4).with_joints(solver);
            world.set_materials("  - { materials: [ Ground, Block ], static_friction: 0.6, dynamic_friction: 0.4 }\n");
            world.add_floor("Ground");
            let twist = Twist { linear: Vector3::x() * speed, ..Twist::ZERO };
            let entity = world.throw(&cube("Block"), Isometry3::translation(0.0, 0.0, 0.1), &[], twist);
            world.run(1000);
            world.state(entity).link_poses[0].translation.x
        };
        let (resting, sliding) = (slide(0.0), slide(0.1));
        let expected = 0.1 + 0.5 * G * (slope.sin() - 0.4 * slope.cos());
        println!("at rest {resting:.1e} m; sliding {sliding:.4} m, expected {expected:.4} m");
        // Rapier's block sinks into its springs and leans, but creeps by less than 0.1 mm in a second.
        assert!(resting.abs() < 1e-4);
        assert!((sliding / expected - 1.0).abs() < 0.02);
    });
}

/// Two per cent: a friction model that couples friction to the wrong load is off by 7.
const STOP: f64 = 0.02;

#[test]
fn a_sliding_block_stops_where_coulomb_says() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        world.add_floor("default");
        let twist = Twist { linear: Vector3::x() * 2.0, ..Twist::ZERO };
        let entity = world.throw(&cube("default"), Isometry3::translation(0.0, 0.0, 0.1), &[], twist);
        world.run(200);
        let force = contact_wrench(&mut world, entity, 0).force;
        world.run(800);
        let distance = world.state(entity).link_poses[0].translation.x;
        let expected = 2.0 * 2.0 / (2.0 * 0.5 * G);
        let ratio = -force.x / force.z;
        println!("{distance:.4} m ({:+.2} %), friction {ratio:.5} of the load", (distance / expected - 1.0) * 100.0);
        assert!((distance / expected - 1.0).abs() < STOP);
        assert!((ratio - 0.5).abs() < STOP * 0.5);
    });
}

#[test]
fn a_bouncy_ball_that_lies_stays_where_it_is() {
    let ball = body(
        "  - { name: BALL, joint_type: free, material: Ball, mass: 1, inertia: [ 0.004, 0, 0, 0.004, 0, 0.004 ], elements: [ { type: Shape, \
         geometry: { type: Sphere, radius: 0.1 } } ] }\n",
    );
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        world.set_materials("  - { materials: [ Ground, Ball ], friction: 0.5, restitution: 1 }\n");
        world.add_floor("Ground");
        let entity = world.throw(&ball, Isometry3::translation(0.0, 0.0, 0.1), &[], Twist::ZERO);
        let mut highest = 0.0_f64;
        for _ in 0..1000 {
            world.run(1);
            highest = highest.max((world.state(entity).link_poses[0].translation.z - 0.1).abs());
        }
        println!("moved by {highest:.1e} m");
        assert!(highest < 1e-4);
    });
}
