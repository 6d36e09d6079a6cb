//! Rotors behind gears: the inertia that a motor adds to its joint, with the multibody solver.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Actuation, Body, BodyState, Drive, JointTargets};
use bunraku_physics::{JointReadings, KinematicRoot};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::common::{G, World, body};

#[test]
fn a_rotor_feels_how_a_guided_root_turns() {
    // A balanced wheel on a root that starts to turn about the same axis keeps behind by I/(I + J).
    let (inertia, rotor, pushed) = (0.02, 0.05, 2.0);
    let wheel = body(&format!(
        "  - name: BASE\n  - {{ name: WHEEL, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1, inertia: [ 0.01, 0, \
         0, {inertia}, 0, 0.01 ], rotor_inertia: {rotor} }}\n"
    ));
    let mut world = World::weightless();
    let entity = world.add(&wheel, Isometry3::identity(), &[0.0], Drive::Physics);
    world.insert(entity, KinematicRoot::default());
    for step in 1..=1000 {
        let time = f64::from(step) * 0.001;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5 * pushed * time * time);
        world.app.world_mut().get_mut::<KinematicRoot>(entity).unwrap().0 =
            Some(Isometry3::from_parts(Translation3::identity(), turn));
        world.run(1);
    }
    let angle = world.state(entity).displacements[0];
    let expected = -0.5 * pushed * inertia / (inertia + rotor);
    println!("  {angle:.5} rad of {expected:.5}");
    assert!((angle / expected - 1.0).abs() < GUIDED, "{angle} rad instead of {expected} rad");
}

/// A step of lag in a second, and what a multibody's root is behind its guide.
const GUIDED: f64 = 0.01;

#[test]
fn a_rotor_of_a_sliding_joint_is_mass_that_only_the_joint_feels() {
    // A sled of 2 kg with a slider of 1 kg: the force between them meets their reduced mass and the rotor.
    let reduced = 2.0 / 3.0;
    for rotor in [0.1, 30.0] {
        let sled = body(&format!(
            "  - {{ name: SLED, joint_type: free, mass: 2, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }}\n  - {{ name: SLIDER, parent: SLED, \
             joint_type: prismatic, joint_axis: X, joint_id: 0, mass: 1, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ], rotor_inertia: {rotor} }}\n"
        ));
        let mut world = World::new(0.001, Vector3::zeros(), 4);
        let entity = world.add(&sled, Isometry3::identity(), &[0.0], Drive::Physics);
        let force = 2.0 * (reduced + rotor);
        world.set_efforts(entity, &[force]);
        world.insert(entity, JointReadings::default());
        world.run(1000);
        let read = world.app.world().get::<JointReadings>(entity).unwrap().efforts()[0] / force - 1.0;
        let state = world.state(entity);
        let off = state.displacements[0] - 1.0;
        let center = state.link_poses[0].translation.x * 2.0 + state.link_poses[1].translation.x;
        println!(
            "  rotor {rotor} kg: off by {off:.1e} m of 1 m, the whole by {:.1e} m, effort misread by {read:.1e}",
            center / 3.0
        );
        assert!(read.abs() < SLIDING && off.abs() < SLIDING && center.abs() < SLIDING, "{off} m");
    }
}

/// ½·a·dt·t for one substep a step, and as much again, m; and as a share of the effort.
const SLIDING: f64 = 2e-3;

#[test]
fn a_slider_with_a_heavy_rotor_rests_at_its_stop() {
    for rotor in [0.3, 30.0] {
        let lift = body(&format!(
            "  - name: BASE\n  - {{ name: LIFT, parent: BASE, joint_type: prismatic, joint_axis: Z, joint_id: 0, mass: 1, rotor_inertia: \
             {rotor}, joint_range: [ -0.1, 0.1 ] }}\n"
        ));
        let mut world = World::usual();
        let entity = world.add(&lift, Isometry3::identity(), &[0.1], Drive::Physics);
        let mut lowest = 0.0_f64;
        for _ in 0..5000 {
            world.run(1);
            lowest = lowest.min(world.state(entity).displacements[0]);
        }
        let (place, speed) = (world.state(entity).displacements[0], world.state(entity).velocities[0]);
        println!("  rotor {rotor} kg: at {place:.5} m, {speed:.1e} m/s, lowest at {lowest:.5} m");
        assert!((place + 0.1).abs() < 1e-3 && speed.abs() < AT_STOP && lowest > -0.12, "{place} m, {speed} m/s");
    }
}

/// A stop of a multibody acts only once it is passed: there is always a substep of free fall, m/s.
const AT_STOP: f64 = G * 0.001 / 4.0;

/// A trunk of 5 kg on a leg with a foot; rotors have `share` times the inertia of the shank about the knee.
fn hopper(share: f64) -> Arc<Body> {
    let rotor = share * (0.005 + 0.5 * 0.1 * 0.1);
    body(&format!(
        "  - {{ name: TRUNK, joint_type: free, mass: 5, center_of_mass: [ 0, 0, 0.1 ], inertia: [ 0.05, 0, 0, 0.05, 0, 0.05 ] }}\n  - {{ \
         name: THIGH, parent: TRUNK, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 0.8, center_of_mass: [ 0, 0, -0.1 ], inertia: [ \
         0.005, 0, 0, 0.005, 0, 0.005 ], rotor_inertia: {rotor} }}\n  - {{ name: SHANK, parent: THIGH, translation: [ 0, 0, -0.2 ], \
         joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 0.5, center_of_mass: [ 0, 0, -0.1 ], inertia: [ 0.005, 0, 0, 0.005, 0, \
         0.005 ], rotor_inertia: {rotor} }}\n  - {{ name: FOOT, parent: SHANK, translation: [ 0, 0, -0.2 ], joint_type: revolute, joint_axis: \
         Y, joint_id: 2, mass: 0.4, inertia: [ 0.002, 0, 0, 0.002, 0, 0.002 ], rotor_inertia: {rotor}, elements: [ {{ type: Shape, translation: \
         [ 0.02, 0, -0.03 ], geometry: {{ type: Box, size: [ 0.24, 0.2, 0.06 ] }} }} ] }}\n"
    ))
}

#[test]
fn a_leg_with_heavy_rotors_lands_and_comes_to_rest() {
    for share in [0.1, 30.0] {
        let mut world = World::usual();
        world.add_floor("default");
        let hopper = hopper(share);
        // Knees bent, the foot level and 0.1 m above the floor.
        let bend = 0.4_f64;
        let height = 0.4 * bend.cos() + 0.06 + 0.1;
        let entity =
            world.add(&hopper, Isometry3::translation(0.0, 0.0, height), &[-bend, 2.0 * bend, -bend], Drive::Physics);
        let servo = Actuation::Displacement { stiffness: 1000.0, damping: 30.0 };
        world.actuate(entity, servo);
        *world.app.world_mut().get_mut::<JointTargets>(entity).unwrap() =
            JointTargets { displacements: vec![-bend, 2.0 * bend, -bend], velocities: vec![0.0; 3] };
        let mut fastest = 0.0_f64;
        for _ in 0..3000 {
            world.run(1);
            fastest = world.state(entity).velocities.iter().fold(fastest, |fastest, speed| fastest.max(speed.abs()));
        }
        let state: &BodyState = world.state(entity);
        let speed = state.velocities.iter().fold(0.0_f64, |fastest, speed| fastest.max(speed.abs()));
        let sunk = height - 0.1 - state.link_poses[0].translation.z;
        println!(
            "  rotors {share} × shank: at most {fastest:.2} rad/s, in the end {speed:.1e} rad/s and {sunk:.4} m lower"
        );
        assert!(speed < LANDED && sunk.abs() < 0.02, "{speed} rad/s, {sunk} m lower");
        assert!(fastest < FASTEST_LANDING, "{fastest} rad/s");
    }
}

/// At rest two seconds after the landing, rad/s.
const LANDED: f64 = 1e-3;
/// Nothing in a landing at 1.4 m/s with a leg of 0.2 m turns faster, rad/s.
const FASTEST_LANDING: f64 = 30.0;
