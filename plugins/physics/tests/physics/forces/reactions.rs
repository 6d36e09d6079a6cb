//! Reactions of joints, for both joint solvers.

use std::f64::consts::FRAC_PI_2;

use bevy::prelude::Entity;
use bunraku_body::{Drive, JointEfforts};
use bunraku_control::PdController;
use bunraku_physics::{Gains, JointReadings};
use nalgebra::{Isometry3, Vector3};

use crate::common::{ARM_INERTIA, G, World, arm, biped, body, for_both_solvers, iterations_of};

pub fn measured(world: &World, body: Entity) -> &JointReadings {
    world.app.world().get::<JointReadings>(body).unwrap()
}

pub fn measure(world: &mut World, body: Entity) {
    world.app.world_mut().entity_mut(body).insert(JointReadings::default());
}

/// Half a per cent of the weight.
const HANGING: f64 = 0.005;

#[test]
fn a_hanging_link_pulls_with_its_weight() {
    for_both_solvers(|solver| {
        for iterations in iterations_of(solver, [1, 2, 4, 8]) {
            let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), iterations).with_joints(solver);
            let entity = world.add(&arm(""), Isometry3::identity(), &[0.0], Drive::Physics);
            measure(&mut world, entity);
            world.run(500);
            let reaction = measured(&world, entity).reactions()[1];
            let ratio = reaction.force.z / G;
            println!("n = {iterations}: {ratio:.7} of the weight, torque {:.1e} N·m", reaction.torque.norm());
            assert!((ratio - 1.0).abs() < HANGING && reaction.force.xy().norm() < HANGING * G);
            assert!(reaction.torque.norm() < HANGING * G);
        }
    });
}

#[test]
fn a_swinging_link_pulls_with_its_weight_and_its_inertia() {
    for_both_solvers(|solver| {
        for iterations in iterations_of(solver, [1, 4]) {
            let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), iterations).with_joints(solver);
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
            println!("n = {iterations}: off by {worst:.3} N, {worst_effort:.4} N·m, {worst_rate:.3} rad/s²");
            // Means over the step against the formula at its end: half a step of motion at up to 8.3 rad/s, of 3·G.
            assert!(worst < 0.01 * 3.0 * G && worst_effort < 0.01 * G && worst_rate < 0.01 * 18.2);
        }
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

/// A tenth of a per cent of the weight, at one moment.
const STANDING: f64 = 1e-3;
/// The same in the mean over [`HUM`].
const CARRIED: f64 = 2e-4;
/// Steps over which the mean is taken: at 8 substeps a step the biped hums, by half a per cent of the weight.
const HUM: u32 = 100;

#[test]
fn the_ankles_of_a_standing_biped_carry_its_weight() {
    for_both_solvers(|solver| {
        // With one iteration impulse joints and such stiff control do not go together.
        for iterations in iterations_of(solver, [4, 8]) {
            let biped = body(&biped());
            let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), iterations).with_joints(solver);
            world.add_floor("default");
            // Soles 0.01 m thick below their frames, ankles 0.09 m above those.
            let entity = world.add(&biped, Isometry3::translation(0.0, 0.0, 0.8), &[0.0; 12], Drive::Physics);
            let gains = vec![Gains { proportional: 1500.0, derivative: 30.0 }; 12];
            world.app.world_mut().entity_mut(entity).insert(PdController::new(&biped, gains, None).unwrap());
            measure(&mut world, entity);
            world.run(5000);
            let links = |name: &str| biped.links().iter().position(|link| link.name == name).unwrap();
            let height = world.state(entity).link_poses[0].translation.z;
            assert!((height - 0.8).abs() < 0.01, "it has fallen to {height} m");
            for (above, names) in [("roll joints", ["L_ANKLE_ROLL", "R_ANKLE_ROLL"]), ("soles", ["L_SOLE", "R_SOLE"])] {
                let indices = names.map(links);
                let mut sum = Vector3::zeros();
                for _ in 0..HUM {
                    world.run(1);
                    let readings = measured(&world, entity);
                    let now: Vector3<f64> = indices.iter().map(|&link| readings.reactions()[link].force).sum();
                    sum += now / f64::from(HUM);
                }
                let below: f64 = if above == "soles" { 2.0 } else { 6.0 };
                let weight = (biped.mass() - below) * G;
                println!(
                    "n = {iterations}, {above}: {:.2} of {weight:.2} N, off by {:.1e}",
                    -sum.z,
                    (-sum.z / weight - 1.0).abs()
                );
                assert!((-sum.z / weight - 1.0).abs() < CARRIED && sum.xy().norm() < CARRIED * weight, "{sum}");
            }
            // Nothing holds a free root but its joints and contacts.
            let readings = measured(&world, entity);
            let root = readings.reactions()[0];
            println!(
                "n = {iterations}: the root is held by {:.1e} N, {:.1e} N·m",
                root.force.norm(),
                root.torque.norm()
            );
            assert!(
                root.force.norm() < STANDING * biped.mass() * G && root.torque.norm() < STANDING * biped.mass() * G
            );
        }
    });
}
