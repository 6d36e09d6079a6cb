//! Pseudo continuous tracks against the kinematics of two wheels.

use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::{Body, Drive, JointTargets, LinkIndex};
use bunraku_control::ForceProfile;
use bunraku_control::ForceProfiles;
use bunraku_motion::{BodyMotion, MotionPlayer, Sequence};
use bunraku_physics::ForceFrame;
use nalgebra::{Isometry3, Vector3};

use super::support::contact_wrench;
use crate::common::{G, World, body, cube};

/// Distance of the middles of the tracks, m.
const TREAD: f64 = 0.6;

/// A box on two tracks that are short, so that nothing resists its turning, kept level by two slippery balls.
fn vehicle() -> Arc<Body> {
    let track = |name: &str, id: usize, y: f64| {
        format!(
            "  - {{ name: {name}, parent: CHASSIS, joint_type: pseudo_continuous_track, joint_axis: Y, joint_id: {id}, translation: [ 0, \
             {y}, 0 ], material: Track, mass: 2, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ {{ type: Shape, geometry: {{ type: \
             Box, size: [ 0.01, 0.01, 0.1 ] }} }} ] }}\n"
        )
    };
    let ball = |name: &str, x: f64| {
        format!(
            "  - {{ name: {name}, parent: CHASSIS, translation: [ {x}, 0, 0 ], material: Slippery, mass: 0.1, inertia: [ 0.001, 0, 0, \
             0.001, 0, 0.001 ], elements: [ {{ type: Shape, geometry: {{ type: Sphere, radius: 0.05 }} }} ] }}\n"
        )
    };
    body(&format!(
        "  - {{ name: CHASSIS, joint_type: free, mass: 6, inertia: [ 0.3, 0, 0, 0.3, 0, 0.3 ] }}\n{}{}{}{}  - {{ name: MAST, parent: \
         CHASSIS, joint_type: revolute, joint_axis: Z, joint_id: 2, mass: 0.1, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }}\n",
        track("LEFT", 0, TREAD / 2.0),
        track("RIGHT", 1, -TREAD / 2.0),
        ball("FRONT", 0.3),
        ball("BACK", -0.3),
    ))
}

fn world() -> (World, Entity) {
    let mut world = World::usual();
    let lines = "  - { materials: [ Ground, Slippery ], friction: 0 }\n  - { materials: [ Ground, Track ], static_friction: 0.9, \
                 dynamic_friction: 0.8 }\n";
    world.set_materials(lines);
    world.add_floor("Ground");
    let entity = world.add(&vehicle(), Isometry3::translation(0.0, 0.0, 0.05), &[0.0; 3], Drive::Physics);
    world.run(200);
    (world, entity)
}

/// Commands the speeds of the two tracks, m/s.
fn run_tracks(world: &mut World, vehicle: Entity, speeds: [f64; 2]) {
    let mut targets = world.app.world_mut().get_mut::<JointTargets>(vehicle).unwrap();
    targets.velocities[..2].copy_from_slice(&speeds);
}

/// Of the distance: what a step of one part in a hundred means on two metres.
const DISTANCE: f64 = 0.01;

#[test]
fn equal_tracks_drive_straight_at_their_speed() {
    for speed in [0.5, -0.2] {
        let (mut world, entity) = world();
        run_tracks(&mut world, entity, [speed, speed]);
        world.run(500);
        let start = world.state(entity).link_poses[0];
        world.run(2000);
        let moved = world.state(entity).link_poses[0].translation.vector - start.translation.vector;
        println!("{speed} m/s: {:.5} m in 2 s, {:.1e} m aside", moved.x, moved.y);
        assert!((moved.x / (2.0 * speed) - 1.0).abs() < DISTANCE && moved.y.abs() < 0.01, "{moved}");
        run_tracks(&mut world, entity, [0.0, 0.0]);
        world.run(500);
        let start = world.state(entity).link_poses[0];
        world.run(500);
        let moved = (world.state(entity).link_poses[0].translation.vector - start.translation.vector).norm();
        assert!(moved < 1e-3, "it rolls on by {moved} m");
    }
}

#[test]
fn unequal_tracks_turn_as_wheels_do() {
    for (left, right) in [(0.2, 0.4), (-0.3, 0.3)] {
        let (mut world, entity) = world();
        run_tracks(&mut world, entity, [left, right]);
        world.run(500);
        let start = world.state(entity).link_poses[0];
        world.run(1000);
        let moved = start.inverse() * world.state(entity).link_poses[0];
        let turn = moved.rotation.scaled_axis().z;
        let (speed, expected) = ((left + right) / 2.0, (right - left) / TREAD);
        // An arc of a circle.
        let place = Vector3::new(expected.sin(), 1.0 - expected.cos(), 0.0) * speed / expected;
        let off = (moved.translation.vector - place).norm();
        println!("{left}, {right} m/s: {turn:.4} rad, expected {expected:.4}; {:.1} mm off its arc", off * 1e3);
        assert!((turn / expected - 1.0).abs() < 0.03 && off < 0.01);
    }
}

/// A belt whose motion is played, with a box on it.
#[test]
fn a_played_belt_carries_what_lies_on_it() {
    let belt = body(
        "  - name: FRAME\n  - { name: BELT, parent: FRAME, joint_type: pseudo_continuous_track, joint_axis: Y, joint_id: 0, translation: [ 0, 0, \
         -0.1 ], elements: [ { type: Shape, geometry: { type: Box, size: [ 4, 1, 0.2 ] } } ] }\n",
    );
    let mut world = World::usual();
    let entity = world.add(&belt, Isometry3::identity(), &[0.0], Drive::Motion);
    let mut motion = BodyMotion::new(1.0);
    motion.joint_displacements = Some(Sequence::new(1.0, 1, vec![0.0, 0.5, 1.0, 1.5]).unwrap());
    world.insert(entity, MotionPlayer::new(Arc::new(motion)));
    let cube = world.add(&cube("default"), Isometry3::translation(0.0, 0.0, 0.1), &[], Drive::Physics);
    world.run(1000);
    let before = world.state(cube).link_poses[0].translation.x;
    world.run(1000);
    let moved = world.state(cube).link_poses[0].translation.x - before;
    println!("carried {moved:.4} m in a second");
    // Its upper side runs towards +X, as the rim of a wheel above its axle.
    assert!((moved - 0.5).abs() < 0.01, "{moved} m");
}

/// Half the length and half the distance of the tracks of [`long_vehicle`], m.
const LONG: [f64; 2] = [0.26, 0.22];

/// Two tracks that are longer than they are apart, without any joint that moves.
fn long_vehicle() -> Arc<Body> {
    let track = |name: &str, id: usize, y: f64| {
        format!(
            "  - {{ name: {name}, parent: CHASSIS, joint_type: pseudo_continuous_track, joint_axis: Y, joint_id: {id}, translation: [ 0, \
             {y}, 0 ], material: Track, mass: 2, inertia: [ 0.01, 0, 0, 0.05, 0, 0.05 ], elements: [ {{ type: Shape, geometry: {{ type: \
             Box, size: [ {}, 0.01, 0.1 ] }} }} ] }}\n",
            2.0 * LONG[0]
        )
    };
    body(&format!(
        "  - {{ name: CHASSIS, joint_type: free, mass: 6, inertia: [ 0.3, 0, 0, 0.3, 0, 0.3 ] }}\n{}{}",
        track("LEFT", 0, LONG[1]),
        track("RIGHT", 1, -LONG[1])
    ))
}

/// Rapier's usual friction held it as if it stood on glue.
#[test]
fn long_tracks_turn_as_far_as_they_rub() {
    let mut world = World::usual();
    world.set_materials("  - { materials: [ Ground, Track ], friction: 0.8 }\n");
    world.add_floor("Ground");
    let entity = world.add(&long_vehicle(), Isometry3::translation(0.0, 0.0, 0.05), &[0.0; 2], Drive::Physics);
    world.run(200);
    run_tracks(&mut world, entity, [-0.3, 0.3]);
    world.run(500);
    let before = world.state(entity).link_poses[0];
    world.run(1000);
    let turned = (before.inverse() * world.state(entity).link_poses[0]).rotation.scaled_axis().z;
    // Carried by the four ends, it turns at v·b/(a² + b²), where their friction has no torque left.
    let [along, across] = LONG;
    let expected = 0.3 * across / (along * along + across * across);
    println!("{turned:.4} rad in a second of {expected:.4}");
    assert!((turned / expected - 1.0).abs() < 0.1, "{turned} rad instead of {expected} rad");
}

#[test]
fn tracks_hold_against_a_push_and_their_friction_is_told() {
    let mut world = World::usual();
    world.set_materials("  - { materials: [ Ground, Track ], friction: 0.8 }\n");
    world.add_floor("Ground");
    let entity = world.add(&long_vehicle(), Isometry3::translation(0.0, 0.0, 0.05), &[0.0; 2], Drive::Physics);
    let push = Sequence::timed(vec![0.0], 1, vec![Vector3::new(20.0, 10.0, 0.0)]).unwrap();
    let push = ForceProfile {
        link: LinkIndex::ROOT,
        point: None,
        frame: ForceFrame::World,
        force: Some(push),
        torque: None,
        start: 0.0,
        end: f64::INFINITY,
    };
    world.insert(entity, ForceProfiles(vec![push]));
    world.run(1000);
    let force = contact_wrench(&mut world, entity, 1).force + contact_wrench(&mut world, entity, 2).force;
    println!("friction {force}");
    assert!((force - Vector3::new(-20.0, -10.0, 10.0 * G)).norm() < 0.5, "{force}");
}
