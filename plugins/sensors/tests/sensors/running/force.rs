//! Force sensors compared with closed formulas.

use bunraku_body::{Actuation, BodyState, Drive, JointActuation, JointTargets, LinkIndex};
use bunraku_physics::{ExternalForce, ExternalForces, ForceFrame, JointSolver};
use nalgebra::{Point3, Vector3};

use super::{G, SOLVERS, World, assert_near, model};

/// A wrist on a fixed or rotating arm, with a hand of 2 kg that is fixed to it in the model. The sensor is between
/// them, 0.1 m below the hand's origin and rotated by 90° about X.
fn arm(joint: &str) -> String {
    format!(
        "
  - {{ name: BASE }}
  - name: ARM
    parent: BASE
    {joint}
    mass: 1
    inertia: [ 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02 ]
  - name: HAND
    parent: ARM
    translation: [ 0, 0, -0.4 ]
    mass: 2
    center_of_mass: [ 0, 0.05, -0.2 ]
    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]
    elements:
      - {{ type: ForceSensor, name: WRIST, translation: [ 0, 0, -0.1 ], rotation: [ 1, 0, 0, 90 ] }}
"
    )
}

const HINGE: &str = "joint_type: revolute\n    joint_axis: Y\n    joint_id: 0";

#[test]
fn a_hanging_mass_pulls_with_its_weight_also_where_nothing_can_move() {
    for solver in SOLVERS {
        for joint in [HINGE, "joint_type: fixed"] {
            let mut world = World::new(0.001, solver);
            let arm = model("Arm", &arm(joint));
            let arm = world.add(&arm, Drive::Physics);
            world.run(200);
            let reading = world.force(arm, "WRIST");
            println!("{solver:?}, {joint:?}: {reading:?}");
            // Down is the sensor's −Y. The weight acts 0.05 m along link Y, 0.1 m below the sensor: torque about link
            // −X.
            let tolerance = 1e-3 * 2.0 * G;
            assert_near(reading.force, [0.0, -2.0 * G, 0.0], tolerance);
            assert_near(reading.torque, [-0.05 * 2.0 * G, 0.0, 0.0], tolerance * 0.1);
        }
    }
}

#[test]
fn a_spinning_arm_pulls_along_itself() {
    for solver in SOLVERS {
        let mut world = World::new(0.001, solver);
        let arm = model(
            "Arm",
            "
  - { name: BASE }
  - name: ARM
    parent: BASE
    joint_id: 0
    joint_type: revolute
    joint_axis: Z
    mass: 1
    inertia: [ 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02 ]
    elements:
      - { type: ForceSensor, name: SHOULDER }
  - name: HAND
    parent: ARM
    translation: [ 0.5, 0, 0 ]
    mass: 2
    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]
    elements:
      - { type: ForceSensor, name: WRIST }
",
        );
        let mut state = BodyState::initial(&arm);
        state.velocities[0] = 6.0;
        let arm = world.add_at(&arm, state, Drive::Physics);
        world.run(400);
        // m·ω²·r outwards along X, and the weight; nothing tangential, where an error of half a step would give 0.11 N.
        let force = 2.0 * 36.0 * 0.5;
        let tolerance = if solver == JointSolver::Multibody { 1e-6 } else { 0.1 };
        for (label, mass) in [("SHOULDER", 3.0), ("WRIST", 2.0)] {
            let reading = world.force(arm, label);
            println!("{solver:?}, {label}: {reading:?}");
            assert_near(reading.force, [force, 0.0, -mass * G], tolerance);
        }
    }
}

#[test]
fn static_and_kinematic_bodies_have_reaction_forces() {
    let mut world = World::new(0.001, JointSolver::Multibody);
    for drive in [Drive::Static, Drive::Motion] {
        let arm = model("Arm", &arm(HINGE));
        let arm = world.add(&arm, drive);
        world.run(2);
        assert_near(world.force(arm, "WRIST").force, [0.0, -2.0 * G, 0.0], 1e-9);
        assert_near(world.force(arm, "WRIST").torque, [-0.05 * 2.0 * G, 0.0, 0.0], 1e-9);
    }
}

#[test]
fn a_held_tilt_turns_the_weight_in_the_sensors_frame() {
    let angle = 0.5_f64;
    for solver in SOLVERS {
        let mut world = World::new(0.001, solver);
        let arm = model("Arm", &arm(HINGE));
        let state = BodyState::at_rest(&arm, &arm.root().offset, vec![angle]);
        let arm = world.add_at(&arm, state, Drive::Physics);
        let mut entity = world.app.world_mut().entity_mut(arm);
        entity.insert(JointActuation(vec![Actuation::Displacement { stiffness: 1e5, damping: 1e3 }]));
        entity.insert(JointTargets { displacements: vec![angle], velocities: vec![0.0] });
        world.run(2000);
        let reading = world.force(arm, "WRIST");
        let held = world.app.world().get::<BodyState>(arm).unwrap().displacements[0];
        println!("{solver:?}: {reading:?} at {held}");
        // World down in the link: rotated back about Y. Link X is the sensor's X, link Z its Y, link Y its −Z.
        let down = 2.0 * G;
        let expected = [down * held.sin(), -down * held.cos(), 0.0];
        assert_near(reading.force, expected, 1e-3 * down);
    }
}

#[test]
fn a_wrench_at_the_tip_acts_on_the_sensor() {
    for solver in SOLVERS {
        for joint in [HINGE, "joint_type: fixed"] {
            let mut world = World::new(0.001, solver);
            let arm = model("Arm", &arm(joint));
            let arm = world.add(&arm, Drive::Physics);
            if joint == HINGE {
                let mut entity = world.app.world_mut().entity_mut(arm);
                entity.insert(JointActuation(vec![Actuation::Displacement { stiffness: 1e6, damping: 1e4 }]));
            }
            // Along link Y, 0.3 m below the hand's origin: 0.2 m below the sensor.
            let hand = LinkIndex(2);
            let force = ExternalForce {
                link: hand,
                point: Some(Point3::new(0.0, 0.0, -0.3)),
                frame: ForceFrame::World,
                force: Vector3::new(0.0, 20.0, 0.0),
                torque: Vector3::new(0.0, 0.0, 1.5),
            };
            world.app.world_mut().entity_mut(arm).insert(ExternalForces::new(vec![force]));
            world.run(1000);
            let reading = world.force(arm, "WRIST");
            println!("{solver:?}, {joint:?}: {reading:?}");
            let weight = 2.0 * G;
            assert_near(reading.force, [0.0, -weight, -20.0], 2e-3 * weight);
            // Link X: −0.05·weight + 0.2·20; link Z, the sensor's Y: 1.5.
            assert_near(reading.torque, [4.0 - 0.05 * weight, 1.5, 0.0], 1e-2);
        }
    }
}
