//! Motions as targets of joints and roots.

use std::sync::Arc;

use bunraku_control::FollowMotion;
use bunraku_motion::Sequence;
use bunraku_physics::KinematicRoot;
use nalgebra::Isometry3;

use crate::common::{Stage, assert_near, motion};

#[test]
fn the_target_is_the_displacement_at_the_end_of_the_step_and_the_velocity_that_leads_there() {
    let mut stage = Stage::new(FollowMotion::new(Arc::new(motion(&[0.0, 0.1, 0.2, 0.3]))));
    for end in [0.1, 0.2, 0.3] {
        assert_near(&stage.next_target(), &[end, 1.0]);
    }
    // It stays at the end of the motion.
    assert_near(&stage.next_target(), &[0.3, 0.0]);
}

#[test]
fn a_root_follows_if_it_is_kinematic() {
    let mut whole = motion(&[0.0, 0.1]);
    let poses = vec![Isometry3::identity(), Isometry3::translation(0.0, 0.0, 0.5)];
    whole.link_positions = Some(Sequence::new(10.0, 1, poses).unwrap());
    let whole = Arc::new(whole);
    let root = |stage: &mut Stage| {
        stage.step();
        stage.app.world().get::<KinematicRoot>(stage.body).unwrap().0.map(|pose| pose.translation.z)
    };
    let mut stage = Stage::new((FollowMotion::of_root(Arc::clone(&whole)), KinematicRoot::default()));
    assert_eq!(root(&mut stage), Some(0.5));
    // Its joints keep their targets.
    assert_near(&stage.next_target(), &[0.0, 0.0]);
    let joints = FollowMotion::of_root(whole).with_joints(Arc::new(motion(&[0.0, 0.3])));
    let mut stage = Stage::new((joints, KinematicRoot::default()));
    assert_eq!((root(&mut stage), stage.next_target()), (Some(0.5), [0.3, 0.0]));
}
