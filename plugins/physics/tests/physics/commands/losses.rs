use bunraku_body::Drive;
use bunraku_physics::{JointLosses, JointSolver};
use nalgebra::{Isometry3, Vector3};

use super::start_with;
use crate::common::{ARM_INERTIA, G, World, arm, body, for_both_solvers};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -G);

/// A world with the arm at an angle, its joint turning at a speed, with losses.
fn swing(
    (solver, gravity): (JointSolver, Vector3<f64>),
    (angle, speed): (f64, f64),
    (damping, friction): (f64, f64),
) -> (World, bevy::prelude::Entity) {
    let mut world = World::new(0.001, gravity, 4).with_joints(solver);
    let entity = world.add(&arm(""), Isometry3::identity(), &[angle], Drive::Physics);
    start_with(&mut world, entity, &[speed]);
    world.insert(entity, JointLosses { damping: vec![damping], friction: vec![friction] });
    (world, entity)
}

#[test]
fn damping_makes_a_velocity_die_away_exponentially() {
    for_both_solvers(|solver| {
        // exp(−D·t/I) with D/I = 2 1/s.
        let (mut world, entity) = swing((solver, Vector3::zeros()), (0.0, 1.0), (2.0 * ARM_INERTIA, 0.0));
        world.run(1000);
        let (angle, speed) = (world.state(entity).displacements[0], world.state(entity).velocities[0]);
        let (expected_speed, expected_angle) = ((-2.0_f64).exp(), (1.0 - (-2.0_f64).exp()) / 2.0);
        println!("  {speed:.5} rad/s of {expected_speed:.5}, {angle:.5} rad of {expected_angle:.5}");
        assert!((speed / expected_speed - 1.0).abs() < 0.005, "{speed} rad/s");
        assert!((angle / expected_angle - 1.0).abs() < 0.005, "{angle} rad");
    });
}

#[test]
fn any_damping_and_friction_is_stable() {
    for losses in [(1e9, 0.0), (0.0, 1e9), (1e6, 1e6)] {
        let (mut world, entity) = swing((JointSolver::Multibody, GRAVITY), (1.0, 3.0), losses);
        world.run(1);
        let first = world.state(entity).velocities[0].abs();
        world.run(999);
        let angle = world.state(entity).displacements[0];
        println!("  {losses:?}: {first:.1e} rad/s after a step, {:.1e} rad after a second", angle - 1.0);
        assert!(first < 0.05, "{first} rad/s");
        assert!((angle - 1.0).abs() < 0.01, "{angle} rad");
    }
}

#[test]
fn friction_stops_a_joint_where_its_energy_is_spent() {
    let friction = ARM_INERTIA;
    let (mut world, entity) = swing((JointSolver::Multibody, Vector3::zeros()), (0.0, 2.0), (0.0, friction));
    world.run(2500);
    let stopped = world.state(entity).displacements[0];
    // ω²·I/(2·F)
    let expected = 2.0 * 2.0 * ARM_INERTIA / (2.0 * friction);
    world.run(1000);
    let crept = world.state(entity).displacements[0] - stopped;
    println!("  stops after {stopped:.5} rad of {expected:.5}, creeps by {crept:.1e} rad");
    assert!((stopped / expected - 1.0).abs() < 0.005, "{stopped} rad instead of {expected} rad");
    assert!(crept.abs() < 1e-5, "{crept} rad");
}

#[test]
fn friction_holds_a_load_up_to_its_limit() {
    let load = G * 0.5;
    let level = std::f64::consts::FRAC_PI_2;
    let (mut world, entity) = swing((JointSolver::Multibody, GRAVITY), (level, 0.0), (0.0, 1.02 * load));
    world.run(2000);
    let sunk = world.state(entity).displacements[0] - level;
    let (mut world, entity) = swing((JointSolver::Multibody, GRAVITY), (level, 0.0), (0.0, 0.9 * load));
    world.run(200);
    let falls = level - world.state(entity).displacements[0];
    let expected = 0.5 * 0.1 * load / ARM_INERTIA * 0.2 * 0.2;
    println!("  sinks by {sunk:.1e} rad in 2 s; with 0.9 of it falls {falls:.5} rad of {expected:.5} in 0.2 s");
    assert!(sunk.abs() < 1e-4, "{sunk} rad");
    assert!((falls / expected - 1.0).abs() < 0.05, "{falls} rad instead of {expected} rad");
}

/// Two links on hinges with friction, and a slide: friction holds their loads.
#[test]
fn friction_of_coupled_joints_holds_them_all() {
    let chain = body(
        "  - name: BASE\n  - { name: UPPER, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1, center_of_mass: [ \
         0.25, 0, 0 ], inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ] }\n  - { name: LOWER, parent: UPPER, translation: [ 0.5, 0, 0 ], joint_type: \
         revolute, joint_axis: Y, joint_id: 1, mass: 1, center_of_mass: [ 0.25, 0, 0 ], inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ] }\n  - { \
         name: SLIDE, parent: LOWER, translation: [ 0.5, 0, 0 ], joint_type: prismatic, joint_axis: Z, joint_id: 2, mass: 0.5, inertia: [ \
         0.01, 0, 0, 0.01, 0, 0.01 ] }\n",
    );
    let mut world = World::usual();
    let entity = world.add(&chain, Isometry3::identity(), &[0.0; 3], Drive::Physics);
    world.insert(entity, JointLosses { damping: Vec::new(), friction: vec![20.0, 8.0, 6.0] });
    world.run(2000);
    let moved = world.state(entity).displacements.iter().fold(0.0, |most: f64, moved| most.max(moved.abs()));
    println!("  moved by {moved:.1e} rad or m in 2 s");
    assert!(moved < 1e-4, "{moved}");
    // The slide alone is let go, and falls freely, with its links held.
    world.app.world_mut().get_mut::<JointLosses>(entity).unwrap().friction[2] = 0.0;
    world.run(200);
    let state = world.state(entity);
    let (fallen, expected) = (-state.displacements[2], 0.5 * G * 0.04);
    println!("  the slide falls {fallen:.4} m of {expected:.4}, the others by {:.1e} rad", state.displacements[1]);
    assert!((fallen / expected - 1.0).abs() < 0.02, "{fallen} m");
    assert!(state.displacements[..2].iter().all(|angle| angle.abs() < 1e-3), "{:?}", state.displacements);
}
