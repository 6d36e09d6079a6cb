//! The ends of joints hold, also after several turns.

// A test that cannot go on should say so loudly.
#![allow(clippy::panic, clippy::unwrap_used)]

mod common;

use std::f64::consts::{PI, TAU};

use bunraku_body::Drive;
use common::{World, arm, body, for_both_solvers};
use nalgebra::Isometry3;

/// Rapier's limits act once they are passed, as stiff springs.
const GIVES_WAY: f64 = 5e-3;

#[test]
fn an_arm_falls_to_the_end_of_its_range_and_rests_there() {
    for_both_solvers(|solver| {
        for (range, start, end) in [("[ 20, 180 ]", 1.5, 20.0_f64), ("[ -180, -35 ]", -2.0, -35.0)] {
            let mut world = World::usual().with_joints(solver);
            let arm = arm(&format!(", joint_range: {range}"));
            let entity = world.add(&arm, Isometry3::identity(), &[start], Drive::Physics);
            world.run(6000);
            let (angle, speed) = (world.state(entity).displacements[0], world.state(entity).velocities[0]);
            assert!((angle - end.to_radians()).abs() < GIVES_WAY && speed.abs() < 1e-2, "{angle} rad, {speed} rad/s");
        }
    });
}

#[test]
fn a_range_on_one_side_leaves_the_other_free() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let slider = body(
            "  - name: BASE\n  - { name: SLIDER, parent: BASE, joint_type: prismatic, joint_axis: X, joint_id: 0, mass: 1, \
             joint_range: [ -0.2, unlimited ] }\n",
        );
        let entity = world.add(&slider, Isometry3::identity(), &[0.0], Drive::Physics);
        world.set_efforts(entity, &[1.0]);
        world.run(2000);
        assert!((world.state(entity).displacements[0] - 2.0).abs() < 0.01);
        world.set_efforts(entity, &[-5.0]);
        world.run(3000);
        let displacement = world.state(entity).displacements[0];
        assert!((displacement + 0.2).abs() < GIVES_WAY, "{displacement} m");
    });
}

#[test]
fn a_winch_stops_after_its_turns() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let winch = body(
            "  - name: BASE\n  - { name: DRUM, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0, mass: 1, inertia: [ 0.02, 0, \
             0, 0.02, 0, 0.02 ], joint_range: [ -90, 1260 ] }\n",
        );
        let entity = world.add(&winch, Isometry3::identity(), &[0.0], Drive::Physics);
        world.set_efforts(entity, &[0.05]);
        world.run(8000);
        let angle = world.state(entity).displacements[0];
        assert!((angle - 3.5 * TAU).abs() < 0.02, "{angle} rad, not three turns and a half");
        world.set_efforts(entity, &[-0.05]);
        world.run(12_000);
        let angle = world.state(entity).displacements[0];
        assert!((angle + PI / 2.0).abs() < 0.02, "{angle} rad");
    });
}
