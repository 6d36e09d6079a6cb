//! Flat impacts: all points of a contact are hit at once.

use std::sync::Arc;

use bunraku_body::{Body, Drive};
use bunraku_physics::JointSolver;
use nalgebra::Isometry3;

use crate::common::{World, body, for_both_solvers};

fn block() -> Arc<Body> {
    body(
        "  - { name: BLOCK, joint_type: free, material: Brick, mass: 2, inertia: [ 0.0133, 0, 0, 0.0133, 0, 0.0133 ], elements: [ { type: \
         Shape, geometry: { type: Box, size: [ 0.2, 0.2, 0.2 ] } } ] }\n",
    )
}

fn bouncing(restitution: f64) -> World {
    let mut world = World::usual();
    world
        .set_materials(&format!("  - {{ materials: [ Brick, Ground ], friction: 0.5, restitution: {restitution} }}\n"));
    world
}

/// A block that falls by 1 m bounces to e² of it, and does not turn. Rapier's step makes it turn.
#[test]
fn a_block_dropped_flat_rises_by_the_square_of_the_restitution() {
    for_both_solvers(|solver| {
        for (restitution, height) in [(0.5, 0.25), (0.9, 0.81), (0.0, 0.0)] {
            let mut world = bouncing(restitution).with_joints(solver);
            world.add_floor("Ground");
            let entity = world.add(&block(), Isometry3::translation(0.0, 0.0, 1.1), &[], Drive::Physics);
            // It meets the floor after 0.452 s, and is at its highest again after as long times the restitution.
            world.run(456);
            let (mut top, mut turn) = (0.0_f64, 0.0_f64);
            for _ in 0..600 {
                world.run(1);
                let pose = world.state(entity).link_poses[0];
                if pose.translation.z - 0.1 < top - 0.01 {
                    break;
                }
                top = top.max(pose.translation.z - 0.1);
                turn = turn.max(pose.rotation.angle());
            }
            println!("e = {restitution}: rises to {top:.4} of {height} m, turns by {turn:.1e} rad");
            let (off, turned) = if solver == JointSolver::Multibody { (1e-4, 1e-3) } else { (0.04, 4.0) };
            assert!((top - height).abs() < off, "{solver:?}: {top} m of {height} m");
            assert!(turn < turned, "{solver:?}: turns by {turn} rad");
        }
    });
}

/// Five cubes of 50 mm, one upon the other, dropped together: none leaves the stack.
#[test]
fn a_dropped_stack_of_cubes_stays_a_stack() {
    let mut world = bouncing(0.0);
    world.add_floor("Ground");
    let cube = body(
        "  - { name: CUBE, joint_type: free, material: Brick, mass: 0.1, inertia: [ 4.2e-5, 0, 0, 4.2e-5, 0, 4.2e-5 ], elements: [ { type: \
         Shape, geometry: { type: Box, size: [ 0.05, 0.05, 0.05 ] } } ] }\n",
    );
    let cubes: Vec<_> = (0..5)
        .map(|number| {
            let height = 0.2 + 0.025 + 0.05 * f64::from(number);
            world.add(&cube, Isometry3::translation(0.0, 0.0, height), &[], Drive::Physics)
        })
        .collect();
    world.run(3000);
    let mut worst = 0.0_f64;
    for (number, cube) in cubes.iter().enumerate() {
        let pose = world.state(*cube).link_poses[0];
        let aside = pose.translation.vector.xy().norm();
        println!(
            "cube {number}: {:.1} mm aside, {:.1} mm up, turned by {:.1e} rad",
            aside * 1e3,
            pose.translation.z * 1e3,
            pose.rotation.angle()
        );
        worst = worst.max(aside);
    }
    assert!(worst < 1e-3, "{worst} m");
}

/// A car of four wheels, the same on both sides, keeps its line.
#[test]
fn a_symmetric_car_drives_straight() {
    for_both_solvers(|solver| {
        let mut text = "  - { name: CAR, joint_type: free, mass: 10, center_of_mass: [ 0, 0, 0.02 ], inertia: [ 0.1, 0, 0, 0.3, 0, 0.35 ] }\n".to_owned();
        for (number, (x, y)) in [(0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15)].into_iter().enumerate() {
            text += &format!(
                "  - {{ name: WHEEL{number}, parent: CAR, translation: [ {x}, {y}, 0 ], joint_type: revolute, joint_axis: Y, joint_id: {number}, \
                 mass: 0.5, inertia: [ 0.0008, 0, 0, 0.00125, 0, 0.0008 ], elements: [ {{ type: Shape, geometry: {{ type: Cylinder, radius: 0.07, \
                 height: 0.04 }} }} ] }}\n"
            );
        }
        let mut world = World::usual().with_joints(solver);
        world.add_floor("default");
        let car = world.add(&body(&text), Isometry3::translation(-4.0, 0.0, 0.07), &[0.0; 4], Drive::Physics);
        for _ in 0..2500 {
            world.set_efforts(car, &[0.2; 4]);
            world.run(1);
        }
        let pose = world.state(car).link_poses[0];
        let way = pose.translation.x + 4.0;
        println!(
            "{way:.2} m ahead, {:.2} mm aside, turned by {:.1e} rad",
            pose.translation.y * 1e3,
            pose.rotation.angle()
        );
        // Lines of contact in single precision: it wanders by some mm, to either side.
        assert!(way > 2.0 && pose.translation.y.abs() < 3e-3 * way);
    });
}
