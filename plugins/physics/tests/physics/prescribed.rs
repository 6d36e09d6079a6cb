//! Joints whose motion is prescribed, on roots that are free, with the multibody solver.

use bevy::prelude::*;
use bunraku_body::{Actuation, Drive, JointActuation, JointTargets};
use bunraku_physics::JointReadings;
use nalgebra::{Isometry3, Vector3};

use crate::common::{ARM_INERTIA, G, World, arm, body};

fn set_targets(world: &mut World, entity: Entity, displacements: &[f64]) {
    let mut targets = world.app.world_mut().get_mut::<JointTargets>(entity).unwrap();
    targets.displacements.copy_from_slice(displacements);
}

/// Farthest of the joints from their targets, rad or m.
fn tracking_error(world: &World, entity: Entity, targets: &[f64]) -> f64 {
    let found = &world.state(entity).displacements;
    found.iter().zip(targets).map(|(found, target)| (found - target).abs()).fold(0.0, f64::max)
}

/// From rest and back to rest in a second, by half a radian and more, m or rad.
fn swing(time: f64, amplitude: f64) -> f64 {
    let phase = std::f64::consts::TAU * time.min(1.0);
    amplitude * (time.min(1.0) - phase.sin() / std::f64::consts::TAU)
}

/// A root turns back as its wheel turns by −q·Iw/(Iw + Ib); 2 rad of the wheel.
const TURNED_BACK: f64 = 1e-4;
/// Joints are where their target is.
const ON_TARGET: f64 = 1e-5;

#[test]
fn a_reaction_wheel_turns_its_base_back() {
    let satellite = body(
        "  - { name: BASE, joint_type: free, mass: 2, inertia: [ 0.05, 0, 0, 0.05, 0, 0.05 ] }\n  - { name: WHEEL, parent: BASE, joint_type: \
         revolute, joint_axis: Z, joint_id: 0, mass: 1, inertia: [ 0.02, 0, 0, 0.02, 0, 0.01 ] }\n",
    );
    let mut world = World::new(0.001, Vector3::zeros(), 4);
    let entity = world.add(&satellite, Isometry3::identity(), &[0.0], Drive::Physics);
    world.actuate(entity, Actuation::PrescribedDisplacement);
    let (mut off, mut turned) = (0.0_f64, 0.0_f64);
    for step in 1..=1200 {
        let target = swing(f64::from(step) * 0.001, 2.0);
        set_targets(&mut world, entity, &[target]);
        world.run(1);
        off = off.max(tracking_error(&world, entity, &[target]));
        let angle = world.state(entity).link_poses[0].rotation.euler_angles().2;
        // Velocities change in the middle of a step: what is free lags by half a step behind what is dictated.
        let followed = swing(f64::from(step) * 0.001 - 0.0005, 2.0);
        turned = turned.max((angle + followed * 0.01 / 0.06).abs());
    }
    println!("  joint off by {off:.1e} rad, base by {turned:.1e} rad");
    assert!(off < ON_TARGET, "{off} rad");
    assert!(turned < TURNED_BACK, "{turned} rad");
}

#[test]
fn whatever_acts_on_a_prescribed_joint_it_is_on_target() {
    // Held out level by a motor of 1 N·m that turns at 0.1 rad/s at most, with a stop on the way: none of that counts.
    let weak = arm(", max_joint_effort: 1, max_joint_velocity: 0.1, joint_range: [ -10, 10 ]");
    let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), 4);
    let entity = world.add(&weak, Isometry3::identity(), &[0.0], Drive::Physics);
    world.insert(entity, JointReadings::default());
    world.actuate(entity, Actuation::PrescribedDisplacement);
    let (mut off, mut effort) = (0.0_f64, 0.0);
    for step in 1..=1500 {
        let target = swing(f64::from(step) * 0.001, -std::f64::consts::FRAC_PI_2);
        set_targets(&mut world, entity, &[target]);
        world.run(1);
        off = off.max(tracking_error(&world, entity, &[target]));
        if step > 1300 {
            effort += world.app.world().get::<JointReadings>(entity).unwrap().efforts()[0] / 200.0;
        }
    }
    println!("  off by {off:.1e} rad, held with {effort:.4} N·m");
    assert!(off < ON_TARGET, "{off} rad");
    // m·g·l, against the turn.
    assert!((effort.abs() / (0.5 * G) - 1.0).abs() < 5e-3, "{effort} N·m");
}

#[test]
fn a_joint_that_is_let_go_is_what_it_was() {
    // As in the test above; then effort alone, with its limits and stops.
    let limited = arm(", max_joint_effort: 1, joint_range: [ -100, 10 ], rotor_inertia: 0.5, gear_ratio: 1");
    let fall = |world: &mut World, entity: Entity| {
        world.run(600);
        world.state(entity).displacements[0]
    };
    let start = -std::f64::consts::FRAC_PI_2;
    let mut never = World::usual();
    let entity = never.add(&limited, Isometry3::identity(), &[start], Drive::Physics);
    let expected = fall(&mut never, entity);

    let mut world = World::usual();
    let entity = world.add(&limited, Isometry3::identity(), &[start], Drive::Physics);
    world.actuate(entity, Actuation::PrescribedDisplacement);
    world.run(500);
    world.actuate(entity, Actuation::Effort);
    let found = fall(&mut world, entity);
    println!("  {found:.6} rad after a fall, {expected:.6} rad if it was never held");
    assert!((found - expected).abs() < 1e-4 && (found - start).abs() > 0.5, "{found} instead of {expected}");
    let mut highest = f64::MIN;
    for _ in 0..3000 {
        world.run(1);
        highest = highest.max(world.state(entity).displacements[0]);
    }
    println!("  it swings up to {:.3}°", highest.to_degrees());
    assert!((highest.to_degrees() - 10.0).abs() < 0.5, "the stop at 10° is not there: {}°", highest.to_degrees());
}

#[test]
fn a_prescribed_velocity_is_kept() {
    let mut world = World::usual();
    let entity = world.add(&arm(""), Isometry3::identity(), &[0.0], Drive::Physics);
    world.actuate(entity, Actuation::PrescribedDisplacement);
    world.actuate(entity, Actuation::PrescribedVelocity);
    world.app.world_mut().get_mut::<JointTargets>(entity).unwrap().velocities.fill(3.0);
    world.run(2000);
    let state = world.state(entity);
    let (turned, speed) = (state.displacements[0], state.velocities[0]);
    println!("  {turned:.6} rad and {speed:.6} rad/s after two seconds at 3 rad/s");
    // Angles are known to the last bit of an f32 only, and the velocity corrects them in a millisecond.
    assert!((turned - 6.0).abs() < 1e-5 && (speed - 3.0).abs() < 2e-3);
}

#[test]
fn other_joints_feel_a_prescribed_one() {
    // A cart that is shaken below a pendulum that swings freely, against the equation of the pendulum's angle.
    let cart = body(
        "  - name: RAIL\n  - { name: CART, parent: RAIL, joint_type: prismatic, joint_axis: X, joint_id: 0, mass: 2 }\n  - { name: ARM, parent: CART, \
         joint_type: revolute, joint_axis: Y, joint_id: 1, mass: 1, center_of_mass: [ 0, 0, -0.5 ], inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ] }\n",
    );
    let place = |time: f64| 0.1 * (1.0 - (4.0 * time).cos());
    let shake = |time: f64| 1.6 * (4.0 * time).cos();
    // I·q̈ = m·l·(a·cos q − g·sin q), integrated in small steps.
    let (mut angle, mut velocity) = (0.0_f64, 0.0_f64);
    for step in 0..150_000 {
        let time = f64::from(step) * 1e-5;
        velocity += 1e-5 * 0.5 * (shake(time) * angle.cos() - G * angle.sin()) / ARM_INERTIA;
        angle += 1e-5 * velocity;
    }
    let mut world = World::usual();
    let entity = world.add(&cart, Isometry3::identity(), &[0.0, 0.0], Drive::Physics);
    world.actuate(entity, Actuation::PrescribedDisplacement);
    let mut joints = world.app.world_mut().get_mut::<JointActuation>(entity).unwrap();
    joints.0 = vec![Actuation::PrescribedDisplacement, Actuation::Effort];
    for step in 1..=1500 {
        set_targets(&mut world, entity, &[place(f64::from(step) * 0.001), 0.0]);
        world.run(1);
    }
    let found = world.state(entity).displacements[1];
    println!("  {found:.5} rad, {angle:.5} rad by the equation");
    assert!((found - angle).abs() < 5e-3 && angle.abs() > 0.05, "{found} instead of {angle}");
}

/// At first, m.
const YIELDED: f64 = 2e-4;
/// Later, m.
const ON_TARGET_UNDER_LOAD: f64 = 2e-5;

#[test]
fn a_legged_body_stands_up_and_carries_itself() {
    // The root moves by the contact of its foot alone.
    let jack = body(
        "  - { name: BODY, joint_type: free, mass: 5, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }\n  - { name: FOOT, parent: BODY, joint_type: prismatic, \
         joint_axis: [ 0, 0, -1 ], joint_id: 0, mass: 1, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ { type: Shape, geometry: { \
         type: Box, size: [ 0.4, 0.4, 0.1 ] } } ] }\n",
    );
    let mut world = World::usual();
    world.add_floor("default");
    let entity = world.add(&jack, Isometry3::translation(0.0, 0.0, 0.25), &[0.2], Drive::Physics);
    world.actuate(entity, Actuation::PrescribedDisplacement);
    let (mut yielded, mut off, mut lowest) = (0.0_f64, 0.0_f64, f64::MAX);
    for step in 1..=2000 {
        let target = 0.2 + swing(f64::from(step) * 0.001, 0.3);
        set_targets(&mut world, entity, &[target]);
        world.run(1);
        let height = world.state(entity).link_poses[0].translation.z;
        let error = tracking_error(&world, entity, &[target]);
        if step < 100 {
            yielded = yielded.max(error)
        } else {
            off = off.max(error)
        }
        lowest = lowest.min(height - target);
    }
    let height = world.state(entity).link_poses[0].translation.z;
    let sunk = 0.05 - lowest;
    println!(
        "  at {height:.5} m of 0.55, sunk in by {sunk:.1e} m, off by {yielded:.1e} m at first, then by {off:.1e} m"
    );
    assert!((height - 0.55).abs() < 1e-3 && sunk < 1e-3, "{height} m, sunk in by {sunk} m");
    assert!(yielded < YIELDED && off < ON_TARGET_UNDER_LOAD, "{yielded} m, then {off} m");
}
