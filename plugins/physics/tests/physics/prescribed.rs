//! Joints whose motion is prescribed, on roots that are free, with the multibody solver.

use std::sync::Arc;

use bevy::math::Vec3;
use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bunraku_body::{Actuation, Body, Drive, JointActuation, JointTargets};
use bunraku_physics::{JointReadings, SimulatedBody};
use nalgebra::{Isometry3, Vector3};

use crate::common::{ARM_INERTIA, G, World, arm, body, cube};

fn actuate(world: &mut World, entity: Entity, actuation: Actuation) {
    world.app.world_mut().get_mut::<JointActuation>(entity).unwrap().0.fill(actuation);
}

fn set_targets(world: &mut World, entity: Entity, displacements: &[f64]) {
    let mut targets = world.app.world_mut().get_mut::<JointTargets>(entity).unwrap();
    targets.displacements.copy_from_slice(displacements);
}

/// Farthest of the joints from their targets, rad or m.
fn tracking_error(world: &World, entity: Entity, targets: &[f64]) -> f64 {
    let found = &world.state(entity).displacements;
    found.iter().zip(targets).map(|(found, target)| (found - target).abs()).fold(0.0, f64::max)
}

/// Momentum (N·s), angular momentum about the world's origin (N·m·s) and centre of mass (m), as rapier has them.
fn momenta(world: &mut World, entity: Entity, body: &Body) -> [Vector3<f64>; 3] {
    let vector = |v: Vec3| Vector3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z));
    let mut sets = world.app.world_mut().query::<&RapierRigidBodySet>();
    let set = &sets.single(world.app.world()).unwrap().bodies;
    let simulated = world.app.world().get::<SimulatedBody>(entity).unwrap();
    let mut sums = [Vector3::zeros(); 3];
    let mut whole = 0.0;
    for (index, link) in body.indexed_links() {
        let part = set.get(simulated.rigid_body(index).0).unwrap();
        let rotation = world.state(entity).link_poses[index.0].rotation.to_rotation_matrix();
        let inertia = rotation * link.mass.inertia * rotation.inverse();
        let (mass, place) = (link.mass.mass, vector(part.center_of_mass()));
        let momentum = vector(part.linvel()) * mass;
        sums[0] += momentum;
        sums[1] += place.cross(&momentum) + inertia * vector(part.angvel());
        sums[2] += place * mass;
        whole += mass;
    }
    sums[2] /= whole;
    sums
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
    actuate(&mut world, entity, Actuation::PrescribedDisplacement);
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

/// A chain of links that float, with their centres of mass off their joints; the root's too.
fn chain(links: usize) -> Arc<Body> {
    let mut text = "  - { name: L0, joint_type: free, mass: 2, center_of_mass: [ 0.1, 0.05, -0.1 ], inertia: [ 0.05, 0, 0, 0.04, 0, 0.03 ] }\n".to_owned();
    for link in 1..links {
        let (parent, axis, joint) = (link - 1, if link % 2 == 1 { "Y" } else { "Z" }, link - 1);
        text += &format!(
            "  - {{ name: L{link}, parent: L{parent}, joint_type: revolute, joint_axis: {axis}, joint_id: {joint}, translation: [ 0.3, 0, 0 ], \
             mass: 1, center_of_mass: [ 0.2, 0, 0.05 ], inertia: [ 0.01, 0, 0, 0.02, 0, 0.02 ] }}\n"
        );
    }
    body(&text)
}

/// Error of the momentum, N·s and N·m·s, where links have up to 1 N·s and 0.3 N·m·s.
const LOST: f64 = 5e-3;
/// Drift of the centre of mass in a second, m.
const CREPT: f64 = 5e-4;
/// Joints of a chain that turns as a whole: rapier turns each link about an axis that stays for a substep.
const ON_TARGET_IN_A_CHAIN: f64 = 1e-4;

#[test]
fn swinging_joints_keep_the_momentum_of_a_body_that_floats() {
    for links in [2, 3, 6] {
        let chain = chain(links);
        let mut world = World::weightless();
        let mut targets = vec![0.0; links - 1];
        let entity = world.add(&chain, Isometry3::translation(0.3, -0.2, 0.1), &targets, Drive::Physics);
        actuate(&mut world, entity, Actuation::PrescribedDisplacement);
        world.run(1);
        let start = momenta(&mut world, entity, &chain)[2];
        let (mut off, mut linear, mut angular, mut crept) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for step in 1..=1200 {
            let target = swing(f64::from(step) * 0.001, 1.0);
            targets.fill(target);
            set_targets(&mut world, entity, &targets);
            world.run(1);
            off = off.max(tracking_error(&world, entity, &targets));
            let [momentum, spin, center] = momenta(&mut world, entity, &chain);
            linear = linear.max(momentum.norm());
            angular = angular.max(spin.norm());
            crept = crept.max((center - start).norm());
        }
        println!(
            "  {links} links: joints off by {off:.1e} rad, momentum {linear:.1e} N·s, angular {angular:.1e} N·m·s, centre {crept:.1e} m"
        );
        assert!(off < ON_TARGET_IN_A_CHAIN, "{off} rad");
        assert!(linear < LOST && angular < LOST && crept < CREPT, "{linear} {angular} {crept}");
    }
}

#[test]
fn whatever_acts_on_a_prescribed_joint_it_is_on_target() {
    // Held out level by a motor of 1 N·m that turns at 0.1 rad/s at most, with a stop on the way: none of that counts.
    let weak = arm(", max_joint_effort: 1, max_joint_velocity: 0.1, joint_range: [ -10, 10 ]");
    let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), 4);
    let entity = world.add(&weak, Isometry3::identity(), &[0.0], Drive::Physics);
    world.app.world_mut().entity_mut(entity).insert(JointReadings::default());
    actuate(&mut world, entity, Actuation::PrescribedDisplacement);
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
    actuate(&mut world, entity, Actuation::PrescribedDisplacement);
    world.run(500);
    actuate(&mut world, entity, Actuation::Effort);
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
    actuate(&mut world, entity, Actuation::PrescribedDisplacement);
    actuate(&mut world, entity, Actuation::PrescribedVelocity);
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
    actuate(&mut world, entity, Actuation::PrescribedDisplacement);
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
    actuate(&mut world, entity, Actuation::PrescribedDisplacement);
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

#[test]
fn two_runs_with_prescribed_joints_give_the_same_bits() {
    let run = || {
        let mut world = World::usual();
        world.add_floor("default");
        world.add(&cube("default"), Isometry3::translation(0.3, 0.0, 0.1), &[], Drive::Physics);
        let chain = chain(4);
        let entity = world.add(&chain, Isometry3::translation(0.0, 0.0, 0.3), &[0.0; 3], Drive::Physics);
        actuate(&mut world, entity, Actuation::PrescribedDisplacement);
        set_targets(&mut world, entity, &[0.001, -0.002, 0.1]);
        world.run(500);
        let state = world.state(entity);
        (state.link_poses[0], state.displacements.clone())
    };
    assert_eq!(run(), run());
}
