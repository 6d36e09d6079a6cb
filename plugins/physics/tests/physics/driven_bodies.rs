//! Bodies that play a motion: they follow it exactly and push what is in their way.

use std::sync::Arc;

use bunraku_body::Drive;
use bunraku_motion::{BodyMotion, MotionPlayer, Sequence};
use nalgebra::Isometry3;

use crate::common::{World, cube};

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
    world.app.world_mut().entity_mut(driven).insert(MotionPlayer::new(Arc::new(motion)));
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
