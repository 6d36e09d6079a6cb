//! Extra joints onto bodies that a motion leads, and onto static ones.

use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::{Drive, ExtraJointKind};
use bunraku_motion::{BodyMotion, MotionPlayer, Sequence};
use bunraku_test_support::Random;
use nalgebra::{Isometry3, Vector3};

use super::support::{HINGE, arm, free_bar, join, on, place};
use crate::common::{World, cube, for_both_solvers};

/// A block that goes to and fro along X of `root` by 0.1 m, once a second.
fn swaying(world: &mut World, root: Isometry3<f64>) -> Entity {
    let mut motion = BodyMotion::new(100.0);
    let at = |frame: i32| {
        let turn = std::f64::consts::TAU * f64::from(frame) / 100.0;
        root * Isometry3::translation(0.1 * (1.0 - turn.cos()), 0.0, 0.0)
    };
    motion.link_positions = Some(Sequence::new(100.0, 1, (0..=200).map(at).collect()).unwrap());
    let block = world.add(&cube("default"), root, &[], Drive::Motion);
    world.insert(block, MotionPlayer::new(Arc::new(motion)));
    block
}

#[test]
fn an_arm_is_led_by_what_plays_a_motion() {
    for_both_solvers(|solver| {
        let mut random = Random::new(11);
        for kind in [HINGE, ExtraJointKind::Ball] {
            let mut world = World::usual().with_joints(solver);
            let root = random.pose(10.0);
            // Two bars of 0.3 m, led from 0.3 m away to 0.5 m.
            let tip = 0.3;
            let elbow = (tip / 0.6_f64).acos();
            let arm = world.add(&arm(&[0.3, 0.3]), root, &[elbow, -2.0 * elbow], Drive::Physics);
            let block = swaying(&mut world, root * Isometry3::translation(0.3, 0.0, 0.0));
            join(&mut world, kind, on(block, 0, [0.0; 3]), on(arm, 2, [0.3, 0.0, 0.0]));
            let (mut gap, mut off) = (0.0_f64, 0.0_f64);
            for _ in 0..1000 {
                world.run(1);
                let end = place(&world, arm, 2, [0.3, 0.0, 0.0]);
                let led = place(&world, block, 0, [0.0; 3]);
                gap = gap.max((end - led).norm());
                let reach = (root.inverse() * led).coords.norm();
                off = off.max((world.state(arm).displacements[1] + 2.0 * (reach / 0.6).acos()).abs());
            }
            println!("{}, gap {gap:.1e} m, elbow {off:.1e} rad off", kind.as_str());
            assert!(gap < 2e-3, "{gap}");
            assert!(off < 0.02, "{off}");
        }
    });
}

#[test]
fn a_bar_hangs_from_a_link_of_a_static_body() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let gallows = world.add(&arm(&[0.4]), Isometry3::translation(5.0, 0.0, 1.0), &[0.5], Drive::Static);
        let tip = place(&world, gallows, 1, [0.4, 0.0, 0.0]);
        let bar = world.add(&free_bar(0.5), Isometry3::from(tip.coords), &[], Drive::Physics);
        join(&mut world, ExtraJointKind::Ball, on(gallows, 1, [0.4, 0.0, 0.0]), on(bar, 0, [0.0; 3]));
        let mut gap = 0.0_f64;
        for _ in 0..1000 {
            world.run(1);
            gap = gap.max((place(&world, bar, 0, [0.0; 3]) - tip).norm());
        }
        println!("gap {gap:.1e} m");
        assert!(gap < 1e-3, "{gap}");
        assert_ne!(place(&world, bar, 0, [0.5, 0.0, 0.0]), tip + Vector3::new(0.5, 0.0, 0.0), "it swings");
    });
}
