//! Servos: springs and dampers between a joint and its target.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Actuation, Body, Drive, JointTargets};
use bunraku_control::{FollowMotion, PdController};
use bunraku_motion::{BodyMotion, Sequence};
use bunraku_physics::{Gains, JointSolver, KinematicRoot};
use nalgebra::{Isometry3, Vector3};

use crate::common::{ARM_INERTIA, G, World, arm, body, cube, for_both_solvers};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -G);

fn servo(stiffness: f64, damping: f64) -> Actuation {
    Actuation::Displacement { stiffness, damping }
}

fn targets(world: &mut World, entity: Entity) -> Mut<'_, JointTargets> {
    world.app.world_mut().get_mut::<JointTargets>(entity).unwrap()
}

/// 1 kg that slides up and down.
fn lift(extra: &str) -> Arc<Body> {
    body(&format!(
        "  - name: BASE\n  - {{ name: LIFT, parent: BASE, joint_type: prismatic, joint_axis: Z, joint_id: 0, mass: 1{extra} }}\n"
    ))
}

#[test]
fn a_spring_gives_way_by_load_over_stiffness() {
    // m·g/k = 4.903 mm.
    let expected = G / 2000.0;
    for_both_solvers(|solver| {
        for is_servo in [false, true] {
            let mut world = World::usual().with_joints(solver);
            let lift = lift("");
            let entity = world.add(&lift, Isometry3::identity(), &[0.3], Drive::Physics);
            if is_servo {
                world.actuate(entity, servo(2000.0, 100.0));
            } else {
                let gains = vec![Gains { proportional: 2000.0, derivative: 100.0 }];
                let controller = PdController::new(&lift, gains, None).unwrap();
                world.insert(entity, controller);
            }
            world.run(3000);
            let droop = 0.3 - world.state(entity).displacements[0];
            let name = if is_servo { "servo" } else { "pd" };
            println!("  {name}: {:.4} mm, off by {:.1e}", droop * 1e3, droop / expected - 1.0);
            assert!((droop / expected - 1.0).abs() < 0.01, "{name}: {droop} m instead of {expected} m");
        }
    });
}

/// At rest, rad/s.
const AT_REST: f64 = 1e-5;
/// The effort is measured by the acceleration in a step and the load at its beginning. When the arm swings at its fastest, 4 rad/s,
/// the load changes in a step by up to 0.4 % of itself.
const EFFORT_ERROR: f64 = 5e-3;

#[test]
fn a_motor_never_does_more_than_it_can() {
    let level = G * 0.5;
    for_both_solvers(|solver| {
        for stiffness in [2000.0, 20_000.0] {
            for share in [0.5, 0.99, 1.01, 2.0] {
                let limit = share * level;
                let mut world = World::new(0.001, GRAVITY, 1).with_joints(solver);
                // Level at 0, where single precision is finest.
                let arm = body(&format!(
                    "  - name: BASE\n  - {{ name: ARM, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1, \
                     center_of_mass: [ 0.5, 0, 0 ], inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ], max_joint_effort: {limit} }}\n"
                ));
                let entity = world.add(&arm, Isometry3::identity(), &[0.0], Drive::Physics);
                world.actuate(entity, servo(stiffness, stiffness / 20.0));
                let (mut largest, mut sunk, mut switches, mut was_saturated) = (0.0_f64, 0.0_f64, 0, false);
                let mut before = world.state(entity).clone();
                for _ in 0..4000 {
                    world.run(1);
                    let now = world.state(entity).clone();
                    // The effort of the motor, from the acceleration and gravity.
                    let acceleration = (now.velocities[0] - before.velocities[0]) / 0.001;
                    let effort = ARM_INERTIA * acceleration - level * before.displacements[0].cos();
                    largest = largest.max(effort.abs());
                    sunk = sunk.max(now.displacements[0].abs());
                    let is_saturated = effort.abs() > limit * if was_saturated { 0.98 } else { 0.998 };
                    switches += u32::from(is_saturated != was_saturated);
                    was_saturated = is_saturated;
                    before = now;
                }
                let speed = before.velocities[0].abs();
                println!(
                    "  {stiffness} N·m/rad, limit {share} × load: at most {:.4} × limit, {switches} switches, {speed:.1e} rad/s",
                    largest / limit
                );
                assert!(largest < limit * (1.0 + EFFORT_ERROR), "{largest} N·m with a limit of {limit} N·m");
                assert!(switches <= 6, "{switches} switches");
                assert_eq!(sunk < 0.1, share > 1.0, "{share} × load: sunk by {sunk} rad");
                // Rapier's motor and joint rows are solved in turns, and leave it trembling.
                if share > 1.0 && solver == JointSolver::Multibody {
                    assert!(speed < AT_REST, "{speed} rad/s");
                }
            }
        }
    });
}

#[test]
fn a_velocity_servo_is_slower_by_load_over_damping() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let entity = world.add(&lift(""), Isometry3::identity(), &[0.0], Drive::Physics);
        world.actuate(entity, Actuation::Velocity { damping: 100.0 });
        targets(&mut world, entity).velocities[0] = 0.5;
        world.run(1000);
        let velocity = world.state(entity).velocities[0];
        let expected = 0.5 - G / 100.0;
        println!("  {velocity:.6} m/s, off by {:.1e}", velocity / expected - 1.0);
        assert!((velocity / expected - 1.0).abs() < 1e-3, "{velocity} m/s instead of {expected} m/s");
    });
}

#[test]
fn a_joint_that_is_not_actuated_swings_freely() {
    for_both_solvers(|solver| {
        let run = |actuation: Actuation, effort: f64| {
            let mut world = World::usual().with_joints(solver);
            let entity = world.add(&arm(""), Isometry3::identity(), &[0.5], Drive::Physics);
            world.actuate(entity, actuation);
            world.set_efforts(entity, &[effort]);
            world.run(700);
            world.state(entity).displacements[0]
        };
        assert_eq!(run(Actuation::None, 3.0).to_bits(), run(Actuation::Effort, 0.0).to_bits());
        assert!((run(Actuation::Effort, 3.0) - run(Actuation::None, 3.0)).abs() > 0.1);
    });
}

#[test]
fn actuation_may_change_while_the_joint_moves() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let entity = world.add(&arm(""), Isometry3::identity(), &[-FRAC_PI_2], Drive::Physics);
        world.actuate(entity, servo(1000.0, 50.0));
        world.run(500);
        assert!((world.state(entity).displacements[0] + FRAC_PI_2).abs() < 0.01);
        // Let go, it swings through the bottom to the other side.
        world.actuate(entity, Actuation::None);
        let highest = (0..1000).map(|_| {
            world.run(1);
            world.state(entity).displacements[0]
        });
        let highest = highest.fold(f64::MIN, f64::max);
        println!("  swings up to {highest:.3} rad");
        assert!(highest > 1.5, "it swings only to {highest} rad");
    });
}

/// Largest deviation from a smooth motion: its acceleration over one step.
const TRACKING: f64 = 2e-3;

#[test]
fn a_servo_follows_a_motion_without_lag() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&arm(""), Isometry3::identity(), &[0.0], Drive::Physics);
        world.actuate(entity, servo(1000.0, 50.0));
        let swing = |time: f64| 0.5 * (1.0 - (TAU * time).cos());
        let mut motion = BodyMotion::new(1000.0);
        let frames = (0..=2000).map(|frame| swing(f64::from(frame) / 1000.0)).collect();
        motion.joint_displacements = Some(Sequence::new(1000.0, 1, frames).unwrap());
        world.insert(entity, FollowMotion::new(Arc::new(motion)));
        let mut farthest = 0.0_f64;
        for step in 1..=2000 {
            world.run(1);
            // A spring has to be off by inertia × acceleration / stiffness.
            let time = f64::from(step) / 1000.0;
            let off = ARM_INERTIA * 0.5 * TAU * TAU * (TAU * time).cos() / 1000.0;
            // The motion starts with a jerk; after half a second the spring has forgotten it.
            if time > 0.5 {
                farthest = farthest.max((world.state(entity).displacements[0] - (swing(time) - off)).abs());
            }
        }
        println!("  at most {farthest:.1e} rad from the motion");
        assert!(farthest < TRACKING, "{farthest} rad");
    });
}

#[test]
fn a_servo_in_a_body_that_stands_on_the_floor_bears_the_load_like_a_spring() {
    for_both_solvers(|solver| {
        let legged = body(
            "  - { name: FOOT, joint_type: free, mass: 0.2, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ { type: Shape, geometry: { \
             type: Box, size: [ 0.2, 0.2, 0.2 ] } } ] }\n  - { name: TRUNK, parent: FOOT, translation: [ 0, 0, 0.3 ], joint_type: \
             prismatic, joint_axis: Z, joint_id: 0, mass: 2, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }\n",
        );
        for (stiffness, damping) in [(2000.0, 100.0), (20_000.0, 2000.0)] {
            let mut world = World::usual().with_joints(solver);
            world.add_floor("default");
            let entity = world.add(&legged, Isometry3::translation(0.0, 0.0, 0.1), &[0.0], Drive::Physics);
            world.actuate(entity, servo(stiffness, damping));
            world.run(3000);
            let droop = -world.state(entity).displacements[0];
            let expected = 2.0 * G / stiffness;
            println!("  {stiffness} N/m, {damping} N·s/m: off by {:.1e}", droop / expected - 1.0);
            assert!((droop / expected - 1.0).abs() < 0.01, "{droop} m instead of {expected} m");
        }
    });
}

#[test]
fn joints_feel_how_a_guided_root_moves() {
    for_both_solvers(|solver| {
        // Pushed along with 2 m/s², the arm swings about a plumb line that leans by atan(a/g).
        let pushed = 2.0;
        let free = body(
            "  - { name: CARRIAGE, joint_type: free, mass: 1 }\n  - { name: ARM, parent: CARRIAGE, joint_type: revolute, joint_axis: Y, \
             joint_id: 0, mass: 1, center_of_mass: [ 0, 0, -0.5 ], inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ] }\n",
        );
        for model in [free, arm("")] {
            let mut world = World::usual().with_joints(solver);
            let entity = world.add(&model, Isometry3::identity(), &[0.0], Drive::Physics);
            world.insert(entity, KinematicRoot::default());
            let (mut highest, mut farthest) = (0.0_f64, 0.0_f64);
            for step in 1..=1500 {
                let time = f64::from(step) * 0.001;
                let x = 0.5 * pushed * time * time;
                world.app.world_mut().get_mut::<KinematicRoot>(entity).unwrap().0 =
                    Some(Isometry3::translation(x, 0.0, 0.0));
                world.run(1);
                let state = world.state(entity);
                farthest = farthest.max((state.link_poses[0].translation.vector - Vector3::new(x, 0.0, 0.0)).norm());
                highest = highest.max(state.displacements[0]);
            }
            // From rest at 0 it swings to twice the angle of the plumb line.
            let expected = 2.0 * (pushed / G).atan();
            println!(
                "  {}: up to {highest:.4} rad of {expected:.4}, root {:.3} mm off",
                model.root().name,
                farthest * 1e3
            );
            assert!((highest / expected - 1.0).abs() < 0.01, "{highest} rad instead of {expected} rad");
            assert!(farthest < 1e-3, "the root is {farthest} m off");
        }
    });
}

#[test]
fn a_guided_body_pushes_what_is_in_its_way() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        world.add_floor("default");
        let place = |x: f64| Isometry3::translation(x, 0.0, 0.1);
        let tool = body(
            "  - { name: HAND, joint_type: free, mass: 1 }\n  - { name: TOOL, parent: HAND, joint_type: prismatic, joint_axis: X, joint_id: \
             0, mass: 1, inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ], elements: [ { type: Shape, geometry: { type: Box, size: [ 0.2, 0.2, 0.15 \
             ] } } ] }\n",
        );
        let hand = world.add(&tool, place(0.0), &[0.0], Drive::Physics);
        world.insert(hand, KinematicRoot::default());
        world.actuate(hand, servo(5000.0, 200.0));
        let pushed = world.add(&cube("default"), place(0.5), &[], Drive::Physics);
        for step in 1..=1000 {
            let x = f64::from(step) * 0.001;
            world.app.world_mut().get_mut::<KinematicRoot>(hand).unwrap().0 = Some(place(x));
            world.run(1);
        }
        let ahead = world.state(pushed).link_poses[0].translation.x - 1.0;
        let effort = -5000.0 * world.state(hand).displacements[0];
        println!("  {ahead:.4} m ahead, pushed with {effort:.2} N");
        assert!((0.19..0.21).contains(&ahead), "{ahead} m ahead");
        // Rigid bodies do not determine how much of the weight the friction of the tool's face carries: between nothing,
        // μ·m·g, and all that it can, μ·m·g/(1 + μ²).
        let (least, most) = (0.5 * 2.0 * G / 1.25, 0.5 * 2.0 * G);
        assert!(effort > 0.95 * least && effort < 1.05 * most, "{effort} N, not between {least} and {most} N");
    });
}

#[test]
fn velocities_are_those_at_the_end_of_the_step() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let entity = world.add(&lift(""), Isometry3::identity(), &[0.0], Drive::Physics);
        world.run(3);
        let velocity = world.state(entity).velocities[0];
        println!("  {velocity:.6} m/s after three steps of free fall");
        assert!((velocity + 0.003 * G).abs() < 1e-6, "{velocity} m/s");
    });
}
