//! Motions played on bodies, without physics.
#![cfg(feature = "bevy")]

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Body, BodyPlugin, BodyState, Drive, LoadOptions, kinematics, spawn_body};
use bunraku_document::{Reporter, SourceFile};
use bunraku_motion::{
    BodyMotion, MotionEnded, MotionPlayer, MotionPlugin, MotionStarted, PlaybackState, Sequence, Zmp,
};
use bunraku_simulation::{Pace, SimulationClock};
use nalgebra::{Isometry3, Vector3};

const TIME_STEP: f64 = 0.1;

/// A floating base, a revolute arm and a slide.
fn robot() -> Arc<Body> {
    let text = "format: ChoreonoidBody\nformat_version: 2.0\nname: Robot\nlinks:\n  - { name: BASE, joint_type: free }\n  \
                - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0, translation: [ 1, 0, 0 ] }\n  \
                - { name: HAND, parent: ARM, joint_type: prismatic, joint_axis: X, joint_id: 1 }\n";
    let reporter = Reporter::strict();
    let body = bunraku_body::read(&SourceFile::from_text("robot.body", text), &LoadOptions::default(), &reporter);
    Arc::new(body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics())))
}

/// One second at 10 Hz: the arm rotates at 1 rad/s, the slide moves at 2 m/s, the base rises at 3 m/s.
fn motion() -> BodyMotion {
    let mut motion = BodyMotion::new(10.0);
    let time = |frame: i32| f64::from(frame) * 0.1;
    let joints = (0..11).flat_map(|frame| [time(frame), 2.0 * time(frame)]).collect();
    motion.joint_displacements = Some(Sequence::new(10.0, 2, joints).unwrap());
    let root = (0..11).map(|frame| Isometry3::translation(0.0, 0.0, 3.0 * time(frame))).collect();
    motion.link_positions = Some(Sequence::new(10.0, 1, root).unwrap());
    motion
}

#[derive(Resource, Default)]
struct Seen(Vec<(&'static str, u64)>);

struct Stage {
    app: App,
    entity: Entity,
}

impl Stage {
    fn new(motion: BodyMotion) -> Self {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, BodyPlugin, MotionPlugin));
        app.insert_resource(SimulationClock::new(TIME_STEP));
        app.init_resource::<Seen>();
        app.add_observer(|_: On<MotionStarted>, clock: Res<SimulationClock>, mut seen: ResMut<Seen>| {
            seen.0.push(("started", clock.step()));
        });
        app.add_observer(|_: On<MotionEnded>, clock: Res<SimulationClock>, mut seen: ResMut<Seen>| {
            seen.0.push(("ended", clock.step()));
        });
        let body = robot();
        let state = BodyState::initial(&body);
        let entity = spawn_body(&mut app.world_mut().commands(), body, state, Drive::Motion);
        app.world_mut().flush();
        app.world_mut().entity_mut(entity).insert(MotionPlayer::new(Arc::new(motion)));
        Self { app, entity }
    }

    fn steps(&mut self, count: usize) -> &mut Self {
        for _ in 0..count {
            self.app.insert_resource(Pace::Steps(1));
            self.app.update();
        }
        self
    }

    fn player(&mut self) -> Mut<'_, MotionPlayer> {
        self.app.world_mut().get_mut::<MotionPlayer>(self.entity).unwrap()
    }

    fn state(&self) -> &BodyState {
        self.app.world().get::<BodyState>(self.entity).unwrap()
    }

    #[track_caller]
    fn is_at(&self, arm: f64, velocity: f64) {
        let state = self.state();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(state.displacements[0], arm) && near(state.displacements[1], 2.0 * arm), "{state:?}");
        assert!((state.velocities[0] - velocity).abs() < 1e-9, "{state:?}");
        assert!(near(state.link_poses[0].translation.z, 3.0 * arm), "{state:?}");
        let expected = kinematics::link_poses(&robot(), &state.link_poses[0], &state.displacements);
        assert_eq!(state.link_poses, expected);
    }

    fn seen(&self) -> &[(&'static str, u64)] {
        &self.app.world().resource::<Seen>().0
    }
}

#[test]
fn a_body_plays_its_motion_and_stays_at_its_end() {
    let mut stage = Stage::new(motion());
    stage.steps(1).is_at(0.1, 1.0);
    stage.steps(4).is_at(0.5, 1.0);
    stage.steps(5).is_at(1.0, 1.0);
    stage.steps(1).is_at(1.0, 0.0);
    assert_eq!(stage.player().playback().state(), PlaybackState::Ended);
    // Both within the step, before the clock advances.
    assert_eq!(stage.seen(), [("started", 0), ("ended", 9)]);
}

#[test]
fn seek_while_paused_stays_paused() {
    let mut stage = Stage::new(motion());
    stage.steps(3);
    stage.player().pause();
    stage.steps(2).is_at(0.3, 0.0);
    stage.player().seek(0.75);
    stage.steps(3).is_at(0.75, 0.0);
    assert_eq!(stage.player().playback().state(), PlaybackState::Paused);
    stage.player().play();
    stage.steps(1).is_at(0.85, 1.0);
    assert_eq!(stage.seen(), [("started", 0), ("started", 8)]);
}

#[test]
fn seek_while_playing_adds_no_velocity() {
    let mut stage = Stage::new(motion());
    stage.steps(2);
    stage.player().seek(0.7);
    stage.steps(1).is_at(0.8, 1.0);
}

#[test]
fn speed_is_that_of_the_motion_times_a_factor_and_may_be_negative() {
    let mut stage = Stage::new(motion());
    stage.player().set_speed(2.0);
    stage.steps(3).is_at(0.6, 2.0);
    stage.player().set_speed(-1.0);
    stage.steps(2).is_at(0.4, -1.0);
    stage.steps(5).is_at(0.0, 0.0);
    assert_eq!(stage.seen(), [("started", 0), ("ended", 8)]);
}

#[test]
fn a_loop_begins_again_without_a_jump_in_velocity() {
    let mut stage = Stage::new(motion());
    stage.player().set_looping(true);
    stage.steps(13).is_at(0.3, 1.0);
    assert_eq!(stage.seen(), [("started", 0), ("ended", 9), ("started", 10)]);
}

#[test]
fn joints_and_links_without_data_keep_their_state() {
    let mut short = BodyMotion::new(10.0);
    short.joint_displacements = Some(Sequence::new(10.0, 1, vec![0.0, 0.5]).unwrap());
    let mut stage = Stage::new(short);
    assert_eq!(stage.steps(1).state().displacements, [0.5, 0.0]);
    assert_eq!(stage.state().link_poses[0], Isometry3::identity());
    // Joints that the body lacks are left out.
    let mut long = BodyMotion::new(10.0);
    long.joint_displacements = Some(Sequence::new(10.0, 3, vec![0.0, 0.0, 0.0, 0.5, 0.25, 7.0]).unwrap());
    long.link_positions = Some(Sequence::new(10.0, 5, vec![Isometry3::translation(9.0, 0.0, 0.0); 10]).unwrap());
    let mut stage = Stage::new(long);
    assert_eq!(stage.steps(1).state().displacements, [0.5, 0.25]);
    assert_eq!(stage.state().link_poses, [Isometry3::translation(9.0, 0.0, 0.0); 3]);
}

#[test]
fn poses_of_all_links_override_kinematics() {
    let mut all = motion();
    let poses = (0..3).map(|link| Isometry3::translation(f64::from(link), 5.0, 0.0));
    all.link_positions = Some(Sequence::new(10.0, 3, poses.clone().collect()).unwrap());
    let mut stage = Stage::new(all);
    stage.steps(5);
    assert_eq!(stage.state().link_poses, poses.collect::<Vec<_>>());
    assert!((stage.state().displacements[0] - 0.5).abs() < 1e-12);
}

#[test]
fn the_zmp_comes_in_the_world_frame() {
    let mut walk = motion();
    let frames = Sequence::new(10.0, 1, vec![Vector3::new(0.1, 0.2, -0.3); 11]).unwrap();
    walk.zmp = Some(Zmp { root_relative: true, frames });
    let mut stage = Stage::new(walk);
    stage.steps(4);
    let state = stage.state().clone();
    let zmp = stage.player().zmp(&state).unwrap();
    assert!((zmp - Vector3::new(0.1, 0.2, 1.2 - 0.3)).norm() < 1e-12, "{zmp}");
}
