//! Velocity ranges bound what is commanded; hard ones bound the joints too.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use bevy::prelude::Entity;
use bunraku_body::{Actuation, Body, Drive};
use bunraku_control::{PdController, VelocityCommands};
use bunraku_motion::Sequence;
use bunraku_physics::{Gains, JointSolver, VelocityLimits};
use nalgebra::Isometry3;

use super::{constant, set_target};
use crate::common::{ARM_INERTIA, World, arm, for_both_solvers};

/// A quarter of a turn a second either way.
fn limited_arm() -> Arc<Body> {
    arm(", joint_velocity_range: [ -90, 90 ]")
}

#[test]
fn what_moves_by_effort_is_not_held_back() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&limited_arm(), Isometry3::identity(), &[0.0], Drive::Physics);
        world.set_efforts(entity, &[2.0]);
        world.run(1000);
        let (speed, expected) = (world.state(entity).velocities[0], 2.0 / ARM_INERTIA);
        assert!((speed / expected - 1.0).abs() < 5e-3, "{speed} rad/s instead of {expected} rad/s");
    });
}

/// The fastest that a joint is, and where it is at the end, in a second and a half.
fn run(world: &mut World, entity: Entity) -> (f64, f64) {
    let speeds = (0..1500).map(|_| {
        world.run(1);
        world.state(entity).velocities[0].abs()
    });
    (speeds.fold(0.0, f64::max), world.state(entity).displacements[0])
}

/// The arm with a controller whose motion jumps by a radian in 10 ms, or with that as a target.
fn jumping(solver: JointSolver, is_servo: bool) -> (World, Entity) {
    let mut world = World::weightless().with_joints(solver);
    let arm = limited_arm();
    let entity = world.add(&arm, Isometry3::identity(), &[0.0], Drive::Physics);
    if is_servo {
        world.actuate(entity, Actuation::Displacement { stiffness: 540.0, damping: 27.0 });
        set_target(&mut world, entity, 1.0);
    } else {
        let motion = Arc::new(Sequence::new(100.0, 1, vec![0.0, 1.0]).unwrap());
        let gains = vec![Gains { proportional: 540.0, derivative: 27.0 }];
        world.insert(entity, PdController::new(&arm, gains, Some(motion)).unwrap());
    }
    (world, entity)
}

#[test]
fn a_reference_moves_no_faster_than_the_range_allows() {
    for_both_solvers(|solver| {
        for is_servo in [false, true] {
            let (mut world, entity) = jumping(solver, is_servo);
            // It is under way for 0.64 s.
            world.run(300);
            let midway = world.state(entity).displacements[0];
            let (fastest, end) = run(&mut world, entity);
            println!("  servo {is_servo}: {midway:.4} rad after 0.3 s, at most {fastest:.3} rad/s, then {end:.4} rad");
            assert!((midway - 0.3 * FRAC_PI_2).abs() < 0.02, "{midway} rad");
            // The controller overshoots a little, but does not jump.
            assert!(fastest < 1.2 * FRAC_PI_2, "{fastest} rad/s");
            assert!((end - 1.0).abs() < 1e-3, "{end} rad");
        }
    });
}

#[test]
fn velocity_commands_are_kept_within_the_range_and_add_up() {
    for_both_solvers(|solver| {
        for (command, speed) in [(5.0, FRAC_PI_2), (-0.5, -0.5)] {
            for actuation in [
                Actuation::Velocity { damping: 27.0 },
                Actuation::Displacement { stiffness: 540.0, damping: 27.0 },
                Actuation::Effort,
            ] {
                let mut world = World::weightless().with_joints(solver);
                let arm = limited_arm();
                let entity = world.add(&arm, Isometry3::identity(), &[0.0], Drive::Physics);
                world.insert(entity, VelocityCommands::new(vec![Some(constant(command))]));
                world.actuate(entity, actuation);
                if actuation == Actuation::Effort {
                    let gains = vec![Gains { proportional: 540.0, derivative: 27.0 }];
                    world.insert(entity, PdController::new(&arm, gains, None).unwrap());
                }
                world.run(1000);
                let state = world.state(entity);
                println!("  {actuation:?}: {:.5} rad/s, {:.4} rad", state.velocities[0], state.displacements[0]);
                assert!((state.velocities[0] - speed).abs() < 1e-3, "{} rad/s", state.velocities[0]);
                let lag = if matches!(actuation, Actuation::Velocity { .. }) { 0.03 } else { 0.005 };
                assert!((state.displacements[0] - speed).abs() < lag, "{} rad", state.displacements[0]);
            }
        }
    });
}

#[test]
fn a_commanded_joint_stops_at_the_end_of_its_range() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&arm(", joint_range: [ -20, 20 ]"), Isometry3::identity(), &[0.0], Drive::Physics);
        world.insert(entity, VelocityCommands::new(vec![Some(constant(1.0))]));
        world.actuate(entity, Actuation::Displacement { stiffness: 540.0, damping: 27.0 });
        world.run(2000);
        let angle = world.state(entity).displacements[0];
        assert!((angle - 20_f64.to_radians()).abs() < 2e-3, "{angle} rad");
    });
}

/// A hard range holds to a share of it.
const HARD: f64 = 0.01;

#[test]
fn hard_ranges_bound_the_joint_whatever_moves_it() {
    // By effort.
    let mut world = World::weightless();
    let entity = world.add(&limited_arm(), Isometry3::identity(), &[0.0], Drive::Physics);
    world.insert(entity, VelocityLimits::Hard);
    world.set_efforts(entity, &[2.0]);
    let (fastest, _) = run(&mut world, entity);
    let steady = world.state(entity).velocities[0];
    println!("  by effort at most {fastest:.4} rad/s of {FRAC_PI_2:.4}");
    assert!(fastest < FRAC_PI_2 * (1.0 + HARD) && steady > FRAC_PI_2 * (1.0 - HARD), "{fastest} {steady} rad/s");
    // Falling.
    let mut world = World::usual();
    let arm = arm(", joint_velocity_range: [ -30, 30 ]");
    let entity = world.add(&arm, Isometry3::identity(), &[FRAC_PI_2], Drive::Physics);
    world.insert(entity, VelocityLimits::Hard);
    let (fastest, _) = run(&mut world, entity);
    println!("  falling at most {fastest:.4} rad/s of {:.4}", 30_f64.to_radians());
    assert!(fastest < 30_f64.to_radians() * (1.0 + HARD), "{fastest} rad/s");
    // By controllers that overshoot.
    for is_servo in [false, true] {
        let (mut world, entity) = jumping(JointSolver::Multibody, is_servo);
        world.insert(entity, VelocityLimits::Hard);
        let (fastest, end) = run(&mut world, entity);
        println!("  servo {is_servo}: at most {fastest:.4} rad/s, then at {end:.4} rad");
        assert!(fastest < FRAC_PI_2 * (1.0 + HARD), "{fastest} rad/s");
        assert!((end - 1.0).abs() < 1e-3, "{end} rad");
    }
}
