//! The ends of joints hold, also after several turns.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use bunraku_body::{Drive, JointIndex};
use bunraku_physics::{JointLimits, JointSolver, JointsBeyondRange};
use nalgebra::Isometry3;

use crate::common::{World, arm, body, for_both_solvers};

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
    let mut world = World::weightless();
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
}

/// An arm on a floating trunk, both 1 kg, whose joint may turn by 5°.
fn narrow() -> std::sync::Arc<bunraku_body::Body> {
    body(
        "  - { name: TRUNK, joint_type: free, mass: 1, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ { type: Shape, geometry: { type: \
         Box, size: [ 0.2, 0.2, 0.2 ] } } ] }\n  - { name: ARM, parent: TRUNK, translation: [ 0, 0, 0.2 ], joint_type: revolute, joint_axis: \
         Y, joint_id: 0, joint_range: [ -5, 5 ], mass: 1, center_of_mass: [ 0.1, 0, 0 ], inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ \
         { type: Shape, geometry: { type: Box, size: [ 0.1, 0.1, 0.1 ] } } ] }\n",
    )
}

/// It was thrown 94 m away in a second.
#[test]
fn a_joint_that_starts_outside_its_range_comes_back_slowly() {
    for_both_solvers(|solver| {
        // Rapier knows angles within half a turn.
        let starts = if solver == JointSolver::Impulse { [-90.0_f64, 90.0, 170.0] } else { [-90.0, 90.0, 400.0] };
        for start in starts {
            let mut world = World::weightless().with_joints(solver);
            let entity = world.add(&narrow(), Isometry3::identity(), &[start.to_radians()], Drive::Physics);
            let steps = (start.abs().to_radians() / 0.001) as u32 + 1000;
            // Between two steps: what brings it back is no velocity that lasts.
            let mut fastest = 0.0_f64;
            let mut before = start.to_radians();
            for _ in 0..steps {
                world.run(1);
                let now = world.state(entity).displacements[0];
                fastest = fastest.max((now - before).abs() / 0.001);
                before = now;
            }
            let (angle, place) =
                (world.state(entity).displacements[0], world.state(entity).link_poses[0].translation.vector.norm());
            println!(
                "  from {start}° to {:.3}°, at most {fastest:.2} rad/s, trunk {place:.3} m away",
                angle.to_degrees()
            );
            // Rapier's own bound is 3 rad/s.
            let bound = if solver == JointSolver::Impulse { 3.01 } else { 2.5 };
            assert!(fastest < bound, "{fastest} rad/s");
            assert!(angle.to_degrees().abs() < 5.1, "{} degrees", angle.to_degrees());
        }
        // On a floor it falls, and stays where it fell.
        let mut world = World::usual().with_joints(solver);
        world.add_floor("default");
        let entity = world.add(&narrow(), Isometry3::translation(0.0, 0.0, 0.5), &[FRAC_PI_2], Drive::Physics);
        world.run(3000);
        let place = world.state(entity).link_poses[0].translation.vector;
        println!("  on a floor at {place}");
        assert!(place.norm() < 0.6, "{place}");
    });
}

/// Choreonoid's simulator does not keep joints in their ranges, and the OpenHRP manual has limits as data for controllers.
#[test]
fn a_range_that_is_reported_stops_nothing_and_is_noted() {
    for_both_solvers(|solver| {
        // A range of the single value 0, and one that the arm falls out of.
        for (range, begins) in [("[ 0, 0 ]", 0.0), ("[ -5, 5 ]", 5.0_f64.to_radians())] {
            let mut world = World::usual().with_joints(solver);
            let entity =
                world.add(&arm(&format!(", joint_range: {range}")), Isometry3::identity(), &[0.0], Drive::Physics);
            let free = world.add(&arm(""), Isometry3::translation(0.0, 5.0, 0.0), &[0.0], Drive::Physics);
            world.insert(entity, JointLimits::Report);
            world.set_efforts(entity, &[1.5]);
            world.set_efforts(free, &[1.5]);
            world.run(500);
            let angle = world.state(entity).displacements[0];
            assert!(angle.abs() > 0.2, "{angle} rad");
            assert!((angle - world.state(free).displacements[0]).abs() < 1e-5, "as without a range");
            let noted: Vec<_> = world.app.world().resource::<JointsBeyondRange>().iter().collect();
            let [(body, joint, beyond)] = noted[..] else { panic!("{noted:?}") };
            assert_eq!((body, joint), (entity, JointIndex(0)));
            assert!((beyond.excess() + begins - beyond.farthest.abs()).abs() < 1e-12, "{beyond:?}");
            assert!(beyond.time > 0.0 && beyond.time < 0.4, "{beyond:?}");
            // From now on it is kept.
            world.insert(entity, JointLimits::Enforce);
            world.set_efforts(entity, &[0.0]);
            world.run(12_000);
            let angle = world.state(entity).displacements[0];
            assert!(angle.abs() < begins + GIVES_WAY, "{angle} rad");
        }
    });
}
