//! A body that passes through a wall within a step is a warning.

use bunraku_body::Drive;
use bunraku_body::dynamics::Twist;
use bunraku_physics::JointSolver;
use bunraku_simulation::SimulationWarnings;
use nalgebra::{Isometry3, Vector3};

use crate::common::{World, body};

/// Warnings of a rod of 0.1 m that flies at a wall of 20 mm, and where it is in the end, m before the wall.
fn shot(speed: f64, away: f64) -> (Vec<String>, f64) {
    let mut world = World::weightless().with_joints(JointSolver::Multibody);
    let wall = body(
        "  - { name: WALL, joint_type: fixed, elements: [ { type: Shape, geometry: { type: Box, size: [ 0.02, 4, 4 ] } } ] }\n",
    );
    let rod = body(
        "  - { name: ROD, joint_type: free, mass: 0.1, inertia: [ 1e-5, 0, 0, 1e-4, 0, 1e-4 ], elements: [ { type: Shape, geometry: { type: \
         Box, size: [ 0.1, 0.01, 0.01 ] } } ] }\n",
    );
    world.add(&wall, Isometry3::identity(), &[], Drive::Static);
    let twist = Twist { linear: Vector3::x() * speed, angular: Vector3::zeros() };
    let rod = world.throw(&rod, Isometry3::translation(-away, 0.0, 0.0), &[], twist);
    world.run(((2.0 * away / speed) / 0.001).ceil() as u32);
    let warnings = world.app.world().resource::<SimulationWarnings>().as_slice().iter();
    (warnings.map(|warning| warning.message.clone()).collect(), world.state(rod).link_poses[0].translation.x)
}

#[test]
fn a_rod_that_passes_through_a_wall_between_two_steps_is_reported() {
    let mut passed = 0;
    for speed in [20.0, 100.0, 300.0, 700.0] {
        for more in 0..20 {
            let (warnings, end) = shot(speed, 2.0 + 0.017 * f64::from(more));
            let is_through = end > 0.0;
            passed += u32::from(is_through);
            let is_reported = warnings.iter().any(|message| message.contains("passed through"));
            assert_eq!(is_through, is_reported, "{speed} m/s: ends at {end} m, {warnings:?}");
        }
    }
    println!("{passed} of 80 passed through");
    let (warnings, _) = shot(700.0, 2.3);
    assert!(warnings.iter().all(|message| message.contains("`Thing` passed through `Thing` at t = ")), "{warnings:?}");
}
