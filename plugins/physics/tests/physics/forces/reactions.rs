//! Reactions of joints, for both joint solvers.

use std::f64::consts::FRAC_PI_2;

use bevy::prelude::Entity;
use bunraku_body::{Drive, JointEfforts};
use bunraku_physics::JointReadings;
use nalgebra::{Isometry3, Vector3};

use crate::common::{ARM_INERTIA, G, World, arm, for_both_solvers};

pub fn measured(world: &World, body: Entity) -> &JointReadings {
    world.app.world().get::<JointReadings>(body).unwrap()
}

pub fn measure(world: &mut World, body: Entity) {
    world.insert(body, JointReadings::default());
}

/// Half a per cent of the weight.
const HANGING: f64 = 0.005;

#[test]
fn a_hanging_link_pulls_with_its_weight() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let entity = world.add(&arm(""), Isometry3::identity(), &[0.0], Drive::Physics);
        measure(&mut world, entity);
        world.run(500);
        let reaction = measured(&world, entity).reactions()[1];
        let ratio = reaction.force.z / G;
        println!("{ratio:.7} of the weight, torque {:.1e} N·m", reaction.torque.norm());
        assert!((ratio - 1.0).abs() < HANGING && reaction.force.xy().norm() < HANGING * G);
        assert!(reaction.torque.norm() < HANGING * G);
    });
}

#[test]
fn a_swinging_link_pulls_with_its_weight_and_its_inertia() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let entity = world.add(&arm(""), Isometry3::identity(), &[FRAC_PI_2], Drive::Physics);
        measure(&mut world, entity);
        let (mut worst, mut worst_effort, mut worst_rate) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..2000 {
            world.run(1);
            let state = world.state(entity);
            let (angle, velocity) = (state.displacements[0], state.velocities[0]);
            // The centre of mass is at (−sin, −cos)·0.5 in X and Z.
            let acceleration = -G * 0.5 * angle.sin() / ARM_INERTIA;
            let radius = Vector3::new(-angle.sin(), 0.0, -angle.cos()) * 0.5;
            let tangent = Vector3::new(-angle.cos(), 0.0, angle.sin()) * 0.5;
            let expected = tangent * acceleration - radius * velocity * velocity + Vector3::z() * G;
            let readings = measured(&world, entity);
            worst = worst.max((readings.reactions()[1].force - expected).norm());
            worst_effort = worst_effort.max(readings.efforts()[0].abs());
            worst_rate = worst_rate.max((readings.accelerations()[0] - acceleration).abs());
        }
        println!("off by {worst:.3} N, {worst_effort:.4} N·m, {worst_rate:.3} rad/s²");
        // Means over the step against the formula at its end: half a step of motion at up to 8.3 rad/s, of 3·G.
        assert!(worst < 0.01 * 3.0 * G && worst_effort < 0.01 * G && worst_rate < 0.01 * 18.2);
    });
}

#[test]
fn the_effort_read_is_the_effort_commanded_after_its_limit() {
    for_both_solvers(|solver| {
        for rotor in ["", ", rotor_inertia: 0.01, gear_ratio: 5"] {
            let arm = arm(&format!(", max_joint_effort: 3{rotor}"));
            let mut world = World::usual().with_joints(solver);
            let entity = world.add(&arm, Isometry3::identity(), &[0.0], Drive::Physics);
            measure(&mut world, entity);
            for (commanded, expected) in [(2.0, 2.0), (-5.0, -3.0)] {
                world.app.world_mut().get_mut::<JointEfforts>(entity).unwrap().0[0] = commanded;
                world.run(50);
                let effort = measured(&world, entity).efforts()[0];
                println!("commanded {commanded} N·m: read {effort:.5}");
                assert!((effort - expected).abs() < 0.01, "{effort}");
            }
        }
    });
}
