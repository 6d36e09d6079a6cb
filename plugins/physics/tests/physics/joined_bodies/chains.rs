//! Chains of joined bodies.

use bunraku_body::{Drive, ExtraJointKind};
use bunraku_test_support::Random;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::support::{HINGE, arm, free_bar, join, on, on_world, place};
use crate::common::{G, World, for_both_solvers};

const LENGTHS: [f64; 3] = [0.5, 0.4, 0.3];

/// Three bars straight out to the side of a hinge, let go: the chain as one body, and as three.
///
/// Gravity is along −Y of the chain, whose hinges are about Z; both stand anywhere and are turned in any way.
fn tips_apart(world: &mut World, root: Isometry3<f64>, split: usize, seconds: f64) -> (f64, f64) {
    let whole = arm(&LENGTHS);
    let reference = world.add(&whole, root, &[0.0; 3], Drive::Physics);
    // The first `split` bars are an arm, or nothing; the others are bodies.
    let mut last = None;
    let mut reach = 0.0;
    let mut bars = Vec::new();
    if split > 0 {
        let entity = world.add(&arm(&LENGTHS[..split]), root, &vec![0.0; split], Drive::Physics);
        reach = LENGTHS[..split].iter().sum();
        last = Some(on(entity, split, [LENGTHS[split - 1], 0.0, 0.0]));
    }
    for length in &LENGTHS[split..] {
        let entity = world.add(&free_bar(*length), root * Isometry3::translation(reach, 0.0, 0.0), &[], Drive::Physics);
        join(world, HINGE, last.unwrap_or_else(|| on_world(root)), on(entity, 0, [0.0; 3]));
        last = Some(on(entity, 0, [*length, 0.0, 0.0]));
        reach += length;
        bars.push(entity);
    }
    let (mut apart, mut gap) = (0.0_f64, 0.0_f64);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    for _ in 0..(seconds / 0.001).round() as u32 {
        world.run(1);
        let tip = place(world, reference, 3, [LENGTHS[2], 0.0, 0.0]);
        let other = place(world, bars[bars.len() - 1], 0, [LENGTHS[2], 0.0, 0.0]);
        apart = apart.max((tip - other).norm());
        for (pair, length) in bars.windows(2).zip(&LENGTHS[split..]) {
            let end = place(world, pair[0], 0, [*length, 0.0, 0.0]);
            gap = gap.max((end - place(world, pair[1], 0, [0.0; 3])).norm());
        }
    }
    (apart, gap)
}

/// Two ways of computing a motion that amplifies differences; the tip moves by more than two metres.
const TIPS_APART: f64 = 0.02;

#[test]
fn a_chain_of_three_bodies_moves_as_one_body_of_three_links() {
    for_both_solvers(|solver| {
        for split in [0, 1, 2] {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -1.1, 0.7));
            let root = Isometry3::from_parts(Vector3::new(3.0, -2.0, 1.0).into(), turn);
            let gravity = turn * Vector3::new(0.0, -G, 0.0);
            let mut world = World::new(0.001, gravity, 4).with_joints(solver);
            let (apart, gap) = tips_apart(&mut world, root, split, 1.0);
            println!("{split} bars of one body: tips {apart:.1e} m apart, gap {gap:.1e} m");
            assert!(apart < TIPS_APART, "{apart}");
            assert!(gap < 1e-3, "{gap}");
        }
    });
}

/// A body on an arm and a free body, welded together, move as one.
#[test]
fn a_fixed_joint_welds() {
    for_both_solvers(|solver| {
        let mut random = Random::new(3);
        let root = random.pose(30.0);
        let mut world = World::usual().with_joints(solver);
        let first = world.add(&arm(&[0.4]), root, &[0.3], Drive::Physics);
        let tip = world.state(first).link_poses[1] * Isometry3::translation(0.4, 0.0, 0.0);
        let turned = Isometry3::from_parts(
            Vector3::new(0.05, 0.1, -0.05).into(),
            UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.2, 1.0)),
        );
        let second = world.add(&free_bar(0.3), tip * turned, &[], Drive::Physics);
        let mut held = on(first, 1, [0.4, 0.0, 0.0]);
        held.frame *= turned;
        join(&mut world, ExtraJointKind::Fixed, held, on(second, 0, [0.0; 3]));
        let (mut gap, mut angle) = (0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            world.run(1);
            let tip = world.state(first).link_poses[1] * Isometry3::translation(0.4, 0.0, 0.0) * turned;
            let apart = tip.inverse() * world.state(second).link_poses[0];
            gap = gap.max(apart.translation.vector.norm());
            angle = angle.max(apart.rotation.angle());
        }
        let turned = world.state(first).displacements[0];
        println!("apart by {gap:.1e} m and {angle:.1e} rad while the arm turned to {turned:.2} rad");
        assert!(gap < 1e-3 && angle < 1e-2, "{gap} {angle}");
    });
}
