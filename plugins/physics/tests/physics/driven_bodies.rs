//! Bodies that play a motion: they follow it exactly and push what is in their way.

use std::sync::Arc;

use bunraku_body::Drive;
use bunraku_motion::{BodyMotion, MotionPlayer, Sequence};
use bunraku_physics::KinematicRoot;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::common::{G, World, arm, cube, for_both_solvers};

#[test]
fn a_driven_body_follows_its_motion_and_pushes_others() {
    let mut world = World::usual();
    world.add_floor("default");
    let place = |x: f64| Isometry3::translation(x, 0.0, 0.1);
    // From 0 to 1 m in one second; the other cube stands in the way at 0.5 m.
    let mut motion = BodyMotion::new(10.0);
    let frames = (0..=10).map(|frame| place(f64::from(frame) / 10.0)).collect();
    motion.link_positions = Some(Sequence::new(10.0, 1, frames).unwrap());
    let driven = world.add(&cube("default"), place(0.0), &[], Drive::Motion);
    world.insert(driven, MotionPlayer::new(Arc::new(motion)));
    let pushed = world.add(&cube("default"), place(0.5), &[], Drive::Physics);

    world.run(500);
    assert!((world.state(driven).link_poses[0].translation.x - 0.5).abs() < 1e-9);
    world.run(500);
    assert!((world.state(driven).link_poses[0].translation.x - 1.0).abs() < 1e-9);
    // One edge length ahead, and not much more: friction holds it against the face.
    let ahead = world.state(pushed).link_poses[0].translation.x - 1.0;
    assert!((0.199..0.21).contains(&ahead), "{ahead} m ahead");
    // At the end of the motion it stays.
    world.run(500);
    assert!((world.state(driven).link_poses[0].translation.x - 1.0).abs() < 1e-9);
}

/// The same pose; every other time its quaternion has the other sign, as in motions that were put together frame by frame.
fn with_sign(pose: Isometry3<f64>, step: u32) -> Isometry3<f64> {
    let rotation =
        if step.is_multiple_of(2) { pose.rotation } else { UnitQuaternion::new_unchecked(-pose.rotation.into_inner()) };
    Isometry3::from_parts(pose.translation, rotation)
}

#[test]
fn what_touches_a_driven_body_stays_whatever_the_sign_of_its_quaternions() {
    for_both_solvers(|solver| {
        // All is turned in no special way, gravity too.
        let turn = UnitQuaternion::new(Vector3::new(0.3, -0.7, 2.0));
        let mut world = World::new(0.001, turn * Vector3::new(0.0, 0.0, -G), 4).with_joints(solver);
        let below = Isometry3::from_parts(Vector3::new(1.0, 2.0, 0.1).into(), turn);
        let mut motion = BodyMotion::new(1000.0);
        let frames = (0..=200).map(|frame| with_sign(below, frame)).collect();
        motion.link_positions = Some(Sequence::new(1000.0, 1, frames).unwrap());
        let driven = world.add(&cube("default"), below, &[], Drive::Motion);
        world.insert(driven, MotionPlayer::new(Arc::new(motion)));
        let above = below * Isometry3::translation(0.0, 0.0, 0.2);
        let lying = world.add(&cube("default"), above, &[], Drive::Physics);
        world.run(200);
        let apart = above.inverse() * world.state(lying).link_poses[0];
        let (moved, turned) = (apart.translation.vector.norm(), apart.rotation.angle());
        println!("moved by {moved:.1e} m, turned by {turned:.1e} rad");
        assert!(moved < 1e-3 && turned < 1e-3, "moved by {moved} m, turned by {turned} rad");
    });
}

#[test]
fn a_root_is_guided_whatever_the_sign_of_its_quaternions() {
    for_both_solvers(|solver| {
        let root = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, -0.7, 2.0));
        let mut world = World::new(0.001, root * Vector3::new(0.0, 0.0, -G), 4).with_joints(solver);
        let body = world.add(&arm(""), root, &[0.0], Drive::Physics);
        world.insert(body, KinematicRoot::default());
        let mut fastest = 0.0_f64;
        for step in 0..100 {
            // The arm hangs along the axis about which its root turns by 0.1 rad/s.
            let pose = root * UnitQuaternion::new(Vector3::z() * 1e-4 * f64::from(step));
            world.app.world_mut().get_mut::<KinematicRoot>(body).unwrap().0 = Some(with_sign(pose, step));
            world.run(1);
            fastest = fastest.max(world.state(body).velocities[0].abs());
        }
        println!("{fastest:.1e} rad/s");
        assert!(fastest < 1e-2, "{fastest} rad/s");
    });
}
