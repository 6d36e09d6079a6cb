//! Light links between heavy ones, with the multibody solver.

use std::sync::Arc;

use bunraku_body::{Drive, JointIndex};
use bunraku_physics::BodyCollision;
use bunraku_test_support::share_model;
use nalgebra::{Isometry3, Vector3};

use crate::common::{World, body};

/// Two fingers of 50 g that press a block of 5 kg between them with 60 N each: friction of 0.5 carries 60 N, the block weighs 49.
#[test]
fn light_fingers_hold_a_heavy_block() {
    let finger = |name: &str, id: usize, y: f64, axis: &str| {
        format!(
            "  - {{ name: {name}, parent: BASE, translation: [ 0, {y}, 0 ], joint_type: prismatic, joint_axis: [ 0, {axis}, 0 ], \
             joint_id: {id}, mass: 0.05, inertia: [ 1.0e-5, 0, 0, 1.0e-5, 0, 1.0e-5 ], elements: [ {{ type: Shape, geometry: {{ type: \
             Box, size: [ 0.04, 0.01, 0.04 ] }} }} ] }}\n"
        )
    };
    let gripper =
        body(&format!("  - name: BASE\n{}{}", finger("LEFT", 0, 0.056, "-1"), finger("RIGHT", 1, -0.056, "1")));
    let block = body(
        "  - { name: BLOCK, joint_type: free, mass: 5, inertia: [ 0.00833, 0, 0, 0.00833, 0, 0.00833 ], elements: [ { type: Shape, \
         geometry: { type: Box, size: [ 0.1, 0.1, 0.1 ] } } ] }\n",
    );
    let mut world = World::usual();
    // The block falls while the fingers come the millimetre to it.
    let fingers = world.add(&gripper, Isometry3::identity(), &[0.0; 2], Drive::Physics);
    let held = world.add(&block, Isometry3::identity(), &[], Drive::Physics);
    world.set_efforts(fingers, &[60.0; 2]);
    world.run(200);
    let before = world.state(held).link_poses[0];
    world.run(3000);
    let after = world.state(held).link_poses[0];
    let slipped = (after.translation.vector - before.translation.vector).norm();
    let gap = world.state(fingers).link_poses[1].translation.y - world.state(fingers).link_poses[2].translation.y;
    println!("slipped by {:.3} mm in 3 s, fingers {:.2} mm apart", slipped * 1e3, gap * 1e3);
    assert!(slipped < 1e-3, "{slipped} m");
    assert!((gap - 0.11).abs() < 1e-3, "{gap} m");
}

/// Excess of a loaded joint over its range, rad.
const BEYOND: f64 = 0.02;

/// Choreonoid's rag doll, which may touch itself, dropped from 1 m.
#[test]
fn a_rag_doll_comes_to_rest_within_its_limits() {
    let Some(doll) = share_model("model/misc/ragdoll.body") else { return };
    let doll = Arc::new(doll);
    let mut world = World::usual();
    world.add_floor("default");
    let root = Isometry3::new(Vector3::new(0.0, 0.0, 1.0 + 0.9), Vector3::new(0.0, 0.2, 0.0));
    let entity = world.add(&doll, root, &doll.initial_displacements(), Drive::Physics);
    world.insert(entity, BodyCollision { enabled: true, with_itself: true });
    world.run(8000);
    let mut fastest = 0.0_f64;
    let mut worst = (0.0_f64, String::new());
    for _ in 0..200 {
        let before = world.state(entity).link_poses.clone();
        world.run(1);
        let state = world.state(entity);
        for (before, after) in before.iter().zip(&state.link_poses) {
            fastest = fastest.max((after.translation.vector - before.translation.vector).norm() / 0.001);
        }
        for (index, value) in state.displacements.iter().enumerate() {
            let Some(joint) = doll.joint(JointIndex(index)) else { continue };
            let range = joint.displacement_range;
            let beyond = (value - range.upper).max(range.lower - value);
            if beyond > worst.0 {
                worst = (beyond, doll.joint_name(JointIndex(index)).to_owned());
            }
        }
    }
    println!("fastest link {fastest:.4} m/s, worst joint {:.4} rad beyond its range ({})", worst.0, worst.1);
    assert!(fastest < 0.02, "{fastest} m/s");
    assert!(worst.0 < BEYOND, "{worst:?}");
}
