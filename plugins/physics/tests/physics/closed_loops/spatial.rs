//! Loops in space.

use bunraku_body::Drive;
use nalgebra::Isometry3;

use super::mechanism::{Bar, Mechanism, Motor, bar, errors, extra, links};
use super::run::{check, compare};
use crate::common::{World, body, for_both_solvers};

const SECONDS: f64 = 1.2;

/// Two arms of four hinges each, about axes that are nowhere parallel, hold hands.
fn two_arms(name: &'static str, kind: &str) -> Mechanism {
    let hinge = |name, parent, at, axis| Bar { axis, ..bar(name, parent, at, 0.3) };
    let end = [0.3, 0.0, 0.0];
    let bars = [
        hinge("A1", "BASE", [0.0, 0.0, 0.0], [0.1, 0.2, 1.0]),
        hinge("A2", "A1", end, [0.2, 1.0, -0.3]),
        hinge("A3", "A2", end, [-0.2, 0.9, 0.5]),
        hinge("A4", "A3", end, [1.0, 0.3, 0.4]),
        hinge("B1", "BASE", [0.8, 0.1, 0.0], [0.3, -0.1, 1.0]),
        hinge("B2", "B1", end, [0.1, 1.0, 0.2]),
        hinge("B3", "B2", end, [0.3, 0.8, -0.6]),
        hinge("B4", "B3", end, [1.0, -0.4, 0.2]),
    ];
    let ends = [extra(kind, [0.0, 1.0, 0.0], ("A4", end), ("B4", end))];
    let guess = [0.3, -0.8, 0.6, 0.2, 2.6, -0.7, 0.5, -0.2];
    Mechanism::new(name, &links(&bars), &ends, &guess, Motor::Sway { torque: 3.0, spring: 8.0 })
}

#[test]
fn two_joined_arms_sway_as_with_rapiers_step() {
    compare(&two_arms("4 + 4 hinges, ball", "ball"), SECONDS, 0.02);
    check(&two_arms("4 + 4 hinges, hinge", "hinge"), SECONDS);
}

/// A link that is free in the tree is attached by an extra joint alone: its rows are not in the tree's Jacobian, and
/// none may be left out.
#[test]
fn a_free_link_hangs_on_the_base_by_a_ball() {
    let hung = body(
        "  - { name: BASE, joint_type: fixed }\n  - { name: BALL, parent: BASE, joint_type: free, translation: [ 0.3, 0, 0 ], mass: 1, inertia: [ \
         0.01, 0, 0, 0.01, 0, 0.01 ] }\nextra_joints:\n  - { link1_name: BASE, link2_name: BALL, joint_type: ball, translation_in_link2: [ \
         -0.3, 0, 0 ] }\n",
    );
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let entity = world.add(&hung, Isometry3::translation(3.0, -7.0, 2.0), &[], Drive::Physics);
        let (mut gap, mut lowest) = (0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            world.run(1);
            let poses = &world.state(entity).link_poses;
            gap = gap.max(errors(&hung, poses).0);
            lowest = lowest.min(poses[1].translation.vector.z - poses[0].translation.vector.z);
        }
        println!("  gap {gap:.1e} m, lowest {lowest:.4} m");
        assert!(gap < 1e-3);
        // It swings through the lowest point of its circle.
        assert!((lowest + 0.3).abs() < 1e-3);
    });
}
