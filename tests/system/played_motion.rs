//! SR1 moved by its walking pattern without physics.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku::body::{Body, BodyPlugin, kinematics, spawn_body};
use bunraku::motion::{MotionPlayer, MotionPlugin, PlaybackState};
use bunraku::prelude::*;
use bunraku::simulation::run_steps;
use bunraku_test_support::{share, share_model};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use crate::common::load_motion;

/// An app in which SR1, at some pose, plays pattern 2.
fn stage() -> Option<(App, Entity, Arc<Body>, Arc<BodyMotion>)> {
    let body = Arc::new(share_model("model/SR1/SR1.body")?);
    let motion = Arc::new(load_motion(&share()?.join("motion/SR1/SR1WalkPattern2.seq")));
    let root =
        Isometry3::from_parts(Translation3::new(1.0, -2.0, 0.7135), UnitQuaternion::from_euler_angles(0.0, 0.0, 0.5));
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, BodyPlugin, MotionPlugin));
    app.insert_resource(SimulationClock::new(0.002));
    let state = BodyState::at_rest(&body, &root, body.initial_displacements());
    let entity = spawn_body(&mut app.world_mut().commands(), Arc::clone(&body), state, Drive::Motion);
    app.world_mut().flush();
    app.world_mut().entity_mut(entity).insert(MotionPlayer::new(Arc::clone(&motion)));
    Some((app, entity, body, motion))
}

#[test]
fn link_poses_match_forward_kinematics() {
    let Some((mut app, entity, body, motion)) = stage() else { return };
    let joints = motion.joint_displacements.as_ref().unwrap();
    let root = app.world().get::<BodyState>(entity).unwrap().link_poses[0];
    let mut largest = 0.0_f64;
    for step in 1..=7145 {
        run_steps(app.world_mut(), 1);
        if ![1, 1000, 2500, 4444, 7145].contains(&step) {
            continue;
        }
        let state = app.world().get::<BodyState>(entity).unwrap();
        assert_eq!(state.displacements, joints.frame(step), "step {step}");
        let expected = kinematics::link_poses(&body, &root, joints.frame(step));
        for (pose, expected) in state.link_poses.iter().zip(&expected) {
            let turned = pose.rotation.angle_to(&expected.rotation);
            largest = largest.max((pose.translation.vector - expected.translation.vector).norm()).max(turned);
        }
        let player = app.world().get::<MotionPlayer>(entity).unwrap();
        let zmp = motion.zmp.as_ref().unwrap();
        assert!(zmp.root_relative);
        let expected = root * nalgebra::Point3::from(zmp.frames.frame(step)[0]);
        assert!((player.zmp(state).unwrap() - expected.coords).norm() < 1e-9);
    }
    println!("largest difference to forward kinematics: {largest:.1e} m or rad");
    assert!(largest < 1e-9, "{largest}");
    assert_eq!(app.world().get::<MotionPlayer>(entity).unwrap().playback().state(), PlaybackState::Ended);
}

#[test]
fn seek_while_paused_shows_the_frame_and_stays_paused() {
    let Some((mut app, entity, _, motion)) = stage() else { return };
    run_steps(app.world_mut(), 1);
    let mut player = app.world_mut().get_mut::<MotionPlayer>(entity).unwrap();
    player.pause();
    player.seek(7.5);
    for _ in 0..20 {
        run_steps(app.world_mut(), 1);
    }
    let joints = motion.joint_displacements.as_ref().unwrap();
    let state = app.world().get::<BodyState>(entity).unwrap();
    assert_eq!((state.displacements.as_slice(), state.velocities[0]), (joints.frame(3750), 0.0));
    let playback = app.world().get::<MotionPlayer>(entity).unwrap().playback();
    assert_eq!((playback.state(), playback.position()), (PlaybackState::Paused, 7.5));
}
