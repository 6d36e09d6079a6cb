//! Joints: pendulums, motors, limits of effort.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use bunraku_body::{Body, Drive};
use bunraku_control::PdController;
use bunraku_physics::{Gains, JointSolver};
use bunraku_simulation::{Pace, SimulationStatus};
use nalgebra::Isometry3;

use crate::common::{ARM_INERTIA, G, World, arm, body, for_both_solvers};

/// Torque of gravity on the arm when it is level, N·m.
const LEVEL_TORQUE: f64 = G * 0.5;

#[test]
fn a_pendulum_keeps_its_period() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let amplitude = 0.05_f64;
        let entity = world.add(&arm(""), Isometry3::identity(), &[amplitude], Drive::Physics);
        // Time of the tenth crossing of zero, interpolated: 4¾ periods after the release.
        let (mut crossings, mut previous, mut time) = (0, amplitude, 0.0);
        while crossings < 10 {
            world.run(1);
            time += 0.001;
            let now = world.state(entity).displacements[0];
            if now.signum() != previous.signum() {
                crossings += 1;
                if crossings == 10 {
                    time -= 0.001 * now / (now - previous);
                }
            }
            previous = now;
            assert!(time < 20.0, "it does not swing");
        }
        let period = time / 4.75;
        // The period of a real swing is longer by (1 + a²/16).
        let expected = TAU * (ARM_INERTIA / LEVEL_TORQUE).sqrt() * (1.0 + amplitude * amplitude / 16.0);
        assert!((period / expected - 1.0).abs() < 1e-3, "{period} s instead of {expected} s");
    });
}

/// A fixed base with a balanced wheel of 0.02 kg·m² that turns about Y.
fn wheel() -> Arc<Body> {
    body(
        "  - name: BASE\n  - { name: WHEEL, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1, inertia: [ 0.01, 0, \
         0, 0.02, 0, 0.01 ] }\n",
    )
}

#[test]
fn a_free_joint_keeps_its_speed_and_counts_its_turns() {
    for_both_solvers(|solver| {
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&wheel(), Isometry3::identity(), &[0.0], Drive::Physics);
        // 1000 rad/s: far beyond the eighth of a turn a step at which rapier caps other bodies.
        world.set_efforts(entity, &[20.0]);
        world.run(1000);
        world.set_efforts(entity, &[0.0]);
        let (turned, before) = (world.state(entity).displacements[0], world.state(entity).velocities[0]);
        world.run(1000);
        let after = world.state(entity).velocities[0];
        // ½·α·t², eighty turns; rapier loses a little of each where it turns by a quarter of a radian in a substep.
        assert!((turned / 500.0 - 1.0).abs() < 5e-3, "{turned} rad");
        assert!((before - 1000.0).abs() < 1.0, "{before} rad/s");
        assert!((after / before - 1.0).abs() < 1e-3, "{before} → {after} rad/s");
    });
}

#[test]
fn a_sliding_joint_obeys_its_force() {
    for_both_solvers(|solver| {
        let slider = body(
            "  - name: BASE\n  - { name: SLIDER, parent: BASE, joint_type: prismatic, joint_axis: [ 0.6, 0, 0.8 ], joint_id: 0, mass: 2 }\n",
        );
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&slider, Isometry3::identity(), &[0.1], Drive::Physics);
        world.set_efforts(entity, &[4.0]);
        world.run(1000);
        let state = world.state(entity);
        let (displacement, velocity) = (state.displacements[0], state.velocities[0]);
        // ½·(F/m)·t² = 1 m; the integrator adds ½·a·dt·t/n.
        assert!((displacement - 1.1).abs() < 1e-3 && (velocity - 2.0).abs() < 1e-3, "{displacement} m, {velocity} m/s");
        assert!((state.link_poses[1].translation.x - 0.6 * displacement).abs() < 1e-5);
    });
}

#[test]
fn effort_reacts_on_the_parent() {
    for_both_solvers(|solver| {
        // A free root with an arm: efforts are inner forces, so nothing starts to drift or to turn as a whole.
        let free = body(
            "  - { name: ROOT, joint_type: free, mass: 2, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }\n  - { name: ARM, parent: ROOT, joint_type: \
         revolute, joint_axis: Z, joint_id: 0, mass: 1, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ] }\n",
        );
        let mut world = World::weightless().with_joints(solver);
        let entity = world.add(&free, Isometry3::identity(), &[0.0], Drive::Physics);
        world.set_efforts(entity, &[0.5]);
        world.run(1000);
        let state = world.state(entity);
        // Equal inertias turn by equal angles: ½·(τ/I)·t² = 2.5 rad each way.
        let root = state.link_poses[0].rotation.euler_angles().2;
        assert!(
            (root + 2.5).abs() < 0.01 && (state.displacements[0] - 5.0).abs() < 0.02,
            "{root} {:?}",
            state.displacements
        );
    });
}

#[test]
fn fixed_links_weigh_where_they_are() {
    for_both_solvers(|solver| {
        // A 2 kg bob 1 m along X, fixed to a weightless-at-its-joint arm and turned in its own frame.
        let arm = body(
            "  - name: BASE\n  - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1 }\n  - { name: BOB, \
         parent: ARM, translation: [ 0.5, 0, 0 ], rotation: [ 0, 0, 1, 90 ], mass: 2, center_of_mass: [ 0, -0.5, 0 ] }\n",
        );
        let mut world = World::usual().with_joints(solver);
        let entity = world.add(&arm, Isometry3::identity(), &[0.0], Drive::Physics);
        let gains = vec![Gains { proportional: 2000.0, derivative: 200.0 }];
        world.insert(entity, PdController::new(&arm, gains, None).unwrap());
        world.run(4000);
        // A positive turn about Y lowers what lies along +X.
        let droop = world.state(entity).displacements[0];
        let expected = 2.0 * G / 2000.0;
        assert!((droop / expected - 1.0).abs() < 0.01, "{droop} rad instead of {expected} rad");
    });
}

#[test]
fn a_runaway_names_the_joint_and_the_time() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        let arm = arm("");
        let entity = world.add(&arm, Isometry3::identity(), &[0.3], Drive::Physics);
        let gains = vec![Gains { proportional: 1e12, derivative: 0.0 }];
        world.insert(entity, PdController::new(&arm, gains, None).unwrap());
        world.app.insert_resource(Pace::Steps(10_000));
        world.app.update();
        let SimulationStatus::Failed(fault) = world.app.world().resource::<SimulationStatus>().clone() else {
            panic!("it goes on");
        };
        assert!(fault.message.contains("joint `ARM` of `Thing`") && fault.time > 0.0, "{fault}");
        let expected = "with kp = 1e+12 and kd = 0 on the 0.270 kg·m² that it moves, an error grows";
        assert!(fault.message.contains(expected), "{fault}");
        // The state is the last plausible one.
        assert!(world.state(entity).link_poses[1].translation.vector.norm() < 0.1);
    });
}

#[test]
fn the_gains_that_swing_a_joint_up_are_those_of_the_formula() {
    // With A = kp·dt²/I and B = kd·dt/I a joint swings up from A + 2·B = 4 on, if a step is one substep, and with the multibody solver, as a
    // real joint would, from A = 2·B·(2 − B)/(2 + B) on.
    let bounds = [(JointSolver::Impulse, 3.0), (JointSolver::Multibody, 0.6)];
    let trials = bounds.iter().flat_map(|bound| [(bound, 0.97, true), (bound, 1.03, false)]);
    for (&(solver, stiffness), share, holds) in trials {
        let mut world = World::new(0.001, nalgebra::Vector3::new(0.0, 0.0, -G), 1).with_joints(solver);
        let arm = arm("");
        let entity = world.add(&arm, Isometry3::identity(), &[-FRAC_PI_2], Drive::Physics);
        let (proportional, derivative) = (stiffness * ARM_INERTIA / 1e-6, 0.5 * ARM_INERTIA / 1e-3);
        let gains = vec![Gains { proportional: share * proportional, derivative: share * derivative }];
        world.insert(entity, PdController::new(&arm, gains, None).unwrap());
        world.app.insert_resource(Pace::Steps(2000));
        world.app.update();
        let is_running = *world.app.world().resource::<SimulationStatus>() == SimulationStatus::Running;
        let droop = (world.state(entity).displacements[0] + FRAC_PI_2).abs();
        println!("{solver:?} at {share} of the bound: {droop:.1e} rad off");
        assert_eq!(is_running && droop < 1e-3, holds, "{solver:?} at {share} of the bound: {droop} rad");
    }
}
