//! Friction while sliding, for free bodies and for multibodies.

use std::sync::Arc;

use bunraku_body::Body;
use bunraku_body::dynamics::Twist;
use bunraku_physics::JointSolver;
use nalgebra::{Isometry3, Vector3};

use super::support::contact_wrench;
use crate::common::{G, World, body, cube, iterations_of};

/// A flat free block of 2 kg with a wheel of next to no mass in its middle: as a whole a multibody.
fn jointed_block() -> Arc<Body> {
    body(
        "  - { name: BLOCK, joint_type: free, mass: 2, inertia: [ 0.013, 0, 0, 0.013, 0, 0.013 ], elements: [ { type: Shape, geometry: { \
         type: Box, size: [ 0.2, 0.2, 0.2 ] } } ] }\n  - { name: WHEEL, parent: BLOCK, joint_type: revolute, joint_axis: Z, joint_id: 0, \
         mass: 0.001, inertia: [ 1e-6, 0, 0, 1e-6, 0, 1e-6 ] }\n",
    )
}

/// Two per cent: a friction model that couples friction to the wrong load is off by 7.
const STOP: f64 = 0.02;

#[test]
fn a_sliding_block_stops_where_coulomb_says() {
    let free = (cube("default"), vec![], JointSolver::Impulse);
    let multibody = (jointed_block(), vec![0.0], JointSolver::Multibody);
    for (block, displacements, solver) in [free, multibody] {
        for iterations in iterations_of(solver, [1, 2, 4, 8]) {
            let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), iterations).with_joints(solver);
            world.add_floor("default");
            let twist = Twist { linear: Vector3::x() * 2.0, ..Twist::ZERO };
            let entity = world.throw(&block, Isometry3::translation(0.0, 0.0, 0.1), &displacements, twist);
            world.run(200);
            let force = contact_wrench(&mut world, entity, 0).force;
            world.run(800);
            let distance = world.state(entity).link_poses[0].translation.x;
            let expected = 2.0 * 2.0 / (2.0 * 0.5 * G);
            let ratio = -force.x / force.z;
            println!(
                "{solver:?}, n = {iterations}: {distance:.4} m ({:+.2} %), friction {ratio:.5} of the load",
                (distance / expected - 1.0) * 100.0
            );
            assert!((distance / expected - 1.0).abs() < STOP);
            assert!((ratio - 0.5).abs() < STOP * 0.5);
        }
    }
}
