//! `joints: impulse`: rapier's own step warns of what it does not do, once a run, and refuses what would mean nothing.

use std::f64::consts::FRAC_PI_2;

use bevy::prelude::*;
use bunraku_body::{Actuation, Drive, ExtraJointKind, JointActuation, JointTargets};
use bunraku_physics::{JointLosses, JointReadings, JointSolver, Limitation, ReportedLimitations, VelocityLimits};
use bunraku_simulation::{Pace, SimulationStatus, SimulationWarnings};
use nalgebra::Isometry3;

use crate::common::{World, arm, body, cube};

fn impulse() -> World {
    World::usual().with_joints(JointSolver::Impulse)
}

fn messages(world: &World) -> Vec<String> {
    let warnings = world.app.world().resource::<SimulationWarnings>();
    warnings.as_slice().iter().map(|warning| warning.message.clone()).collect()
}

/// The message of a world that does not begin.
fn refusal(mut world: World) -> String {
    world.app.insert_resource(Pace::Steps(1));
    world.app.update();
    match world.app.world().resource::<SimulationStatus>() {
        SimulationStatus::Failed(fault) => fault.message.clone(),
        status => panic!("{status:?}"),
    }
}

/// Runs three steps and asserts that the only warning is about this limitation.
#[track_caller]
fn assert_warns(mut world: World, limitation: Limitation, name: &str) {
    world.run(3);
    let messages = messages(&world);
    let [message] = &messages[..] else { panic!("{messages:?}") };
    assert!(message.starts_with(&limitation.message(name)) && message.ends_with(limitation.help()), "{message}");
    assert!(message.contains("`joints: multibody`"), "{message}");
    assert!(!limitation.is_refused());
}

#[test]
fn a_plain_arm_has_no_warning() {
    let mut world = impulse();
    world.add(&arm(", joint_range: [ -90, 90 ]"), Isometry3::identity(), &[0.3], Drive::Physics);
    world.run(3);
    assert_eq!(messages(&world), Vec::<String>::new());
}

#[test]
fn each_feature_that_is_gone_is_a_warning_that_names_its_joint() {
    let one = |extra: &str| {
        let mut world = impulse();
        let entity = world.add(&arm(extra), Isometry3::identity(), &[0.3], Drive::Physics);
        (world, entity)
    };
    let joint = "joint `ARM` of `Thing`";
    let (world, _) = one(", rotor_inertia: 0.01, gear_ratio: 5");
    assert_warns(world, Limitation::Rotor, joint);
    let (mut world, entity) = one("");
    world.insert(entity, JointLosses { damping: vec![1.0], friction: vec![2.0] });
    assert_warns(world, Limitation::DryFriction, joint);
    let (mut world, entity) = one(", joint_velocity_range: [ -90, 90 ]");
    world.insert(entity, VelocityLimits::Hard);
    assert_warns(world, Limitation::HardVelocityRange, joint);
    let (world, _) = one(", joint_range: [ -720, 90 ]");
    assert_warns(world, Limitation::WideRange, joint);
    let servo = Actuation::Displacement { stiffness: 10.0, damping: 1.0 };
    let (mut world, entity) = one("");
    world.insert(entity, JointActuation(vec![servo]));
    assert_warns(world, Limitation::Servo, joint);
    let (mut world, entity) = one("");
    world.insert(entity, JointActuation(vec![Actuation::PrescribedDisplacement]));
    assert_warns(world, Limitation::PrescribedJoint, joint);
}

#[test]
fn a_servo_that_is_chosen_later_is_a_warning_too() {
    let mut world = impulse();
    let entity = world.add(&arm(""), Isometry3::identity(), &[0.3], Drive::Physics);
    world.run(3);
    assert!(messages(&world).is_empty());
    world.insert(entity, JointActuation(vec![Actuation::Velocity { damping: 5.0 }]));
    assert_warns(world, Limitation::Servo, "joint `ARM` of `Thing`");
}

#[test]
fn a_limitation_is_reported_once_a_run_and_not_again_after_the_scene() {
    let mut world = impulse();
    let rotor = arm(", rotor_inertia: 0.01, gear_ratio: 5");
    for y in [0.0, 1.0, 2.0] {
        world.add(&rotor, Isometry3::translation(0.0, y, 0.0), &[0.0], Drive::Physics);
    }
    assert_warns(world, Limitation::Rotor, "joint `ARM` of `Thing`");
    let mut world = impulse();
    world.app.insert_resource(ReportedLimitations([Limitation::Rotor].into()));
    world.add(&rotor, Isometry3::identity(), &[0.0], Drive::Physics);
    world.run(3);
    assert!(messages(&world).is_empty());
}

#[test]
fn restitution_is_a_warning() {
    let mut world = impulse();
    world.set_materials("  - { materials: [ Ground, Ball ], friction: 0.5, restitution: 0.5 }\n");
    world.add_floor("Ground");
    world.add(&cube("Ball"), Isometry3::translation(0.0, 0.0, 1.0), &[], Drive::Physics);
    assert_warns(world, Limitation::Impact, "link `CUBE` of `Thing`");
}

#[test]
fn a_light_link_is_a_warning_with_its_load() {
    let chain = body(
        "  - name: BASE\n  - { name: THREAD, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 0.01, inertia: [ 1e-5, 0, 0, \
         1e-5, 0, 1e-5 ] }\n  - { name: WEIGHT, parent: THREAD, joint_type: revolute, joint_axis: X, joint_id: 1, mass: 5 }\n",
    );
    let mut world = impulse();
    world.add(&chain, Isometry3::identity(), &[0.0; 2], Drive::Physics);
    assert_warns(world, Limitation::LightLink, "link `THREAD` of `Thing`, which carries 500 times its mass,");
}

/// A four-bar of 0.1, 0.4 and 0.3 m, closed by a hinge that is this far above the plane on the frame, m.
fn four_bar(height: f64) -> std::sync::Arc<bunraku_body::Body> {
    let bar = |name: &str, parent: &str, at: f64, id: usize| {
        format!(
            "  - {{ name: {name}, parent: {parent}, translation: [ {at}, 0, 0 ], joint_type: revolute, joint_axis: Z, joint_id: {id}, mass: 0.3, \
             inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }}\n"
        )
    };
    body(&format!(
        "  - name: BASE\n{}{}{}extra_joints:\n  - {{ link1_name: BASE, link2_name: ROCKER, joint_type: hinge, axis: [ 0, 0, 1 ], \
         translation_in_link1: [ 0.4, 0, {height} ], translation_in_link2: [ 0.1, 0, 0 ] }}\n",
        bar("CRANK", "BASE", 0.0, 0),
        bar("COUPLER", "CRANK", 0.1, 1),
        bar("ROCKER", "COUPLER", 0.4, 2)
    ))
}

/// Crank up, coupler level, rocker down.
const CLOSED: [f64; 3] = [FRAC_PI_2, -FRAC_PI_2, -FRAC_PI_2];
const LOOP: &str = "the hinge extra joint of `Thing` between `BASE` and `ROCKER`";

#[test]
fn loops_are_rapiers_joints_with_warnings_of_what_they_hold_twice_and_of_gaps() {
    let mut world = impulse();
    world.add(&four_bar(0.0), Isometry3::identity(), &CLOSED, Drive::Physics);
    assert_warns(world, Limitation::RedundantLoop, LOOP);
    let mut world = impulse();
    let [crank, coupler, rocker] = CLOSED;
    world.add(&four_bar(0.0), Isometry3::identity(), &[crank, coupler + 0.05, rocker], Drive::Physics);
    world.run(1);
    assert!(messages(&world)[0].starts_with(&Limitation::OpenLoop.message(LOOP)), "{:?}", messages(&world));
}

#[test]
fn readings_of_a_body_with_a_loop_are_a_warning() {
    let mut world = impulse();
    world.app.insert_resource(ReportedLimitations([Limitation::RedundantLoop].into()));
    let entity = world.add(&four_bar(0.0), Isometry3::identity(), &CLOSED, Drive::Physics);
    world.insert(entity, JointReadings::default());
    assert_warns(world, Limitation::LoopReadings, "Thing");
}

#[test]
fn a_loop_that_cannot_close_is_refused() {
    let mut world = impulse();
    world.add(&four_bar(0.04), Isometry3::identity(), &CLOSED, Drive::Physics);
    let message = refusal(world);
    assert!(message.starts_with(&Limitation::OffsetLoop.message(LOOP)), "{message}");
    assert!(message.contains("use `joints: multibody`"), "{message}");
}

#[test]
fn an_open_joint_between_bodies_is_a_warning() {
    use crate::joined_bodies::support::{free_bar, join, on, on_world};
    let mut world = World::weightless().with_joints(JointSolver::Impulse);
    let bar = world.add(&free_bar(0.3), Isometry3::identity(), &[], Drive::Physics);
    join(&mut world, ExtraJointKind::Ball, on(bar, 0, [0.0; 3]), on_world(Isometry3::translation(0.002, 0.0, 0.0)));
    assert_warns(world, Limitation::OpenLoop, "the ball extra joint between `Thing/BAR` and the world");
}

#[test]
fn tracks_of_both_kinds_are_refused() {
    let crawler = "  - { name: BED, joint_type: free, mass: 10, inertia: [ 1, 0, 0, 1, 0, 1 ] }\n  - { name: TRACK, parent: BED, joint_type: \
                   pseudo_continuous_track, joint_axis: Y, joint_id: 0 }\n";
    for drive in [Drive::Physics, Drive::Motion] {
        let mut world = impulse();
        world.add(&body(crawler), Isometry3::identity(), &[0.0], drive);
        let message = refusal(world);
        assert!(message.starts_with(&Limitation::Track.message("link `TRACK` of `Thing`")), "{message}");
    }
    let angles = ["60"; 5].join(", ");
    let ring = body(&format!(
        "  - {{ name: HUB, joint_type: free, mass: 1, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }}\n  - {{ type: ContinuousTrack, name: SHOE, parent: \
         HUB, numJoints: 6, joint_offset: [ 0.1, 0, 0 ], joint_axis: Y, initialJointAngles: [ {angles} ], mass: 0.5, inertia: [ 0.001, 0, 0, \
         0.001, 0, 0.001 ] }}\n"
    ));
    let mut world = impulse();
    let displacements = ring.initial_displacements();
    world.add(&ring, Isometry3::identity(), &displacements, Drive::Physics);
    let message = refusal(world);
    assert!(message.starts_with(&Limitation::Track.message("the ring of links from `SHOE0` of `Thing`")), "{message}");
}

/// Off the target while it swings by half a radian, rad.
const FOLLOWED: f64 = 0.01;

#[test]
fn a_prescribed_joint_follows_its_motion_roughly() {
    let mut world = impulse();
    let entity = world.add(&arm(""), Isometry3::identity(), &[0.0], Drive::Physics);
    world.insert(entity, JointActuation(vec![Actuation::PrescribedDisplacement]));
    let mut off = 0.0_f64;
    for step in 1..=1000 {
        let target = 0.25 * (1.0 - (f64::from(step) * 0.001 * std::f64::consts::TAU).cos());
        world.app.world_mut().get_mut::<JointTargets>(entity).unwrap().displacements[0] = target;
        world.run(1);
        off = off.max((world.state(entity).displacements[0] - target).abs());
    }
    println!("{off:.1e} rad off");
    assert!(off < FOLLOWED, "{off} rad");
}
