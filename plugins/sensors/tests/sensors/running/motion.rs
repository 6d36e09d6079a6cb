//! Motion sensors compared with closed formulas.

use std::sync::Arc;

use bunraku_body::{BodyState, Drive};
use bunraku_motion::{BodyMotion, MotionPlayer, Sequence};
use bunraku_physics::{InitialTwist, JointSolver};
use bunraku_sensors::Measurement;
use nalgebra::{Isometry3, Vector3};

use super::{G, SOLVERS, World, assert_near, model};

/// A stone with an IMU away from its centre and rotated by 90° about Z; an acceleration sensor and a gyro have the
/// frame of the link.
const STONE: &str = "
  - name: STONE
    joint_type: free
    mass: 2
    inertia: [ 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02 ]
    elements:
      - { type: Shape, geometry: { type: Box, size: [ 0.2, 0.2, 0.2 ] } }
      - { type: Imu, name: IMU, translation: [ 0.1, 0.05, 0 ], rotation: [ 0, 0, 1, 90 ] }
      - { type: AccelerationSensor, name: ACC }
      - { type: RateGyroSensor, name: GYRO, rotation: [ 0, 1, 0, 90 ] }
";

/// Error of impulse joints and contacts in single precision, m/s².
const SINGLE: f64 = 2e-2;

#[test]
fn at_rest_gravity_is_read_upwards() {
    for solver in SOLVERS {
        let mut world = World::new(0.001, solver);
        let floor = model(
            "Floor",
            "  - { name: F, translation: [ 0, 0, -0.1 ], elements: [ { type: Shape, geometry: { type: Box, size: [ 5, 5, 0.2 ] } } ] }\n",
        );
        world.add(&floor, Drive::Static);
        // Lying on its side, so that its +X axis is up.
        let stone = model("Stone", STONE);
        let pose = Isometry3::new(Vector3::z() * 0.1, Vector3::y() * -std::f64::consts::FRAC_PI_2);
        let stone = world.add_at(&stone, BodyState::at_rest(&stone, &pose, Vec::new()), Drive::Physics);
        world.run(1000);
        let (acceleration, spin) = world.imu(stone, "IMU");
        println!("{solver:?}: {acceleration:?} {spin:?}");
        // Link X is the IMU's −Y.
        assert_near(acceleration, [0.0, -G, 0.0], SINGLE);
        assert_near(spin, [0.0; 3], 1e-3);
        let measured = world.last(stone, "ACC").unwrap();
        assert_eq!((measured.time, measured.number, measured.missed), (1.0, 999, 0));
        let Measurement::Acceleration(acceleration) = measured.measurement else { panic!() };
        assert_near(acceleration, [G, 0.0, 0.0], SINGLE);
    }
}

#[test]
fn free_fall_reads_only_rotation_terms() {
    for solver in SOLVERS {
        let mut world = World::new(0.001, solver);
        let stone = model("Stone", STONE);
        let stone = world.add(&stone, Drive::Physics);
        let twist = bunraku_body::dynamics::Twist { linear: Vector3::x() * 3.0, angular: Vector3::z() * 2.0 };
        world.app.world_mut().entity_mut(stone).insert(InitialTwist(twist));
        world.run(500);
        let (acceleration, spin) = world.imu(stone, "IMU");
        println!("{solver:?}: {acceleration:?} {spin:?}");
        // Towards the axis, 0.1 m along link X and 0.05 m along link Y, which are −Y and X of the IMU.
        assert_near(acceleration, [-4.0 * 0.05, 4.0 * 0.1, 0.0], SINGLE);
        assert_near(spin, [0.0, 0.0, 2.0], 1e-3);
        let Measurement::Acceleration(acceleration) = world.last(stone, "ACC").unwrap().measurement else { panic!() };
        assert_near(acceleration, [0.0; 3], if solver == JointSolver::Multibody { 1e-9 } else { SINGLE });
        let Measurement::AngularVelocity(spin) = world.last(stone, "GYRO").unwrap().measurement else { panic!() };
        assert_near(spin, [-2.0, 0.0, 0.0], 1e-3);
    }
}

/// An arm that rotates about world Z, with an IMU 0.5 m out.
const ARM: &str = "
  - { name: BASE }
  - name: ARM
    parent: BASE
    joint_id: 0
    joint_type: revolute
    joint_axis: Z
    mass: 1
    inertia: [ 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02 ]
  - name: HAND
    parent: ARM
    translation: [ 0.3, 0, 0 ]
    mass: 0.1
    inertia: [ 0.001, 0, 0, 0, 0.001, 0, 0, 0, 0.001 ]
    elements:
      - { type: Imu, name: IMU, translation: [ 0.2, 0, 0 ] }
";

#[test]
fn a_spinning_arm_reads_the_centripetal_acceleration() {
    for solver in SOLVERS {
        let mut world = World::new(0.001, solver);
        let arm = model("Arm", ARM);
        let mut state = BodyState::initial(&arm);
        state.velocities[0] = 6.0;
        let arm = world.add_at(&arm, state, Drive::Physics);
        world.run(400);
        let (acceleration, spin) = world.imu(arm, "IMU");
        println!("{solver:?}: {acceleration:?} {spin:?}");
        let speed = spin.z;
        assert!((speed - 6.0).abs() < 1e-2, "{speed}");
        let tolerance = if solver == JointSolver::Multibody { 1e-9 } else { 0.05 };
        assert_near(acceleration, [-speed * speed * 0.5, 0.0, G], tolerance);
        assert_near(spin, [0.0, 0.0, speed], 1e-4);
    }
}

#[test]
fn bodies_that_play_a_motion_measure_it() {
    // The joint accelerates at 6 rad/s² up to any speed; frames are 10 ms apart, steps 1 ms.
    let frames: Vec<f64> = (0..=200).map(|frame| 3.0 * (f64::from(frame) * 0.01).powi(2)).collect();
    let mut motion = BodyMotion::new(100.0);
    motion.joint_displacements = Some(Sequence::new(100.0, 1, frames).unwrap());
    let mut world = World::new(0.001, JointSolver::Multibody);
    let arm = model("Arm", ARM);
    let entity = world.add(&arm, Drive::Motion);
    world.app.world_mut().entity_mut(entity).insert(MotionPlayer::new(Arc::new(motion)));
    for steps in [1000, 3, 4] {
        world.run(steps);
        let time = world.last(entity, "IMU").unwrap().time;
        let (acceleration, spin) = world.imu(entity, "IMU");
        println!("{time}: {acceleration:?} {spin:?}");
        let speed = 6.0 * time;
        // Between frames the speed of a parabola is reproduced exactly, and its square over two frames approximately.
        assert_near(spin, [0.0, 0.0, speed], 1e-6);
        assert_near(acceleration, [-speed * speed * 0.5, 6.0 * 0.5, G], 0.02);
    }
    // At the end of its motion the arm is at rest.
    world.run(1500);
    let (acceleration, spin) = world.imu(entity, "IMU");
    assert_near(acceleration, [0.0, 0.0, G], 1e-12);
    assert_near(spin, [0.0; 3], 0.0);
}
