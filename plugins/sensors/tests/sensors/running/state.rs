//! Sensors continue from snapshots, and random numbers depend only on seeds and sample numbers.

use bunraku_body::Drive;
use bunraku_physics::JointSolver;
use bunraku_render::Threads;
use bunraku_sensors::{
    BodySensors, CameraOptions, Measurement, RayThreads, Sample, ScanOptions, SensorKind, TruthKinds, VectorError,
};
use bunraku_simulation::{SimulationSnapshot, unregistered_state};
use nalgebra::Vector3;

use super::{World, model};

const ROBOT: &str = "
  - name: BODY
    joint_type: free
    translation: [ 0, 0, 2 ]
    mass: 2
    inertia: [ 0.02, 0, 0, 0, 0.03, 0, 0, 0, 0.04 ]
    elements:
      - { type: Imu, name: IMU, translation: [ 0.1, 0, 0 ] }
      - { type: RangeSensor, name: LIDAR, optical_frame: robotics, yaw_range: 90, yaw_step: 0.02, scan_rate: 50,
          max_distance: 50, detection_rate: 0.9, error_deviation: 0.01 }
      - { type: Camera, name: CLOUD, format: COLOR_POINT_CLOUD, optical_frame: robotics, width: 80, height: 60, frame_rate: 40,
          detection_rate: 0.8, error_deviation: 0.02 }
";

const ROOM: &str = "
  - name: ROOM
    elements:
      - type: Visual
        shape: { translation: [ 3, 0, 0 ], geometry: { type: Box, size: [ 1, 10, 10 ] } }
      - type: Visual
        shape: { translation: [ 2, 0.5, 1.5 ], geometry: { type: Sphere, radius: 0.4 } }
";

fn world(threads: usize, seed: u64) -> (World, bevy::prelude::Entity) {
    let mut world = World::new(0.002, JointSolver::Multibody);
    world.app.insert_resource(RayThreads(Threads::new(threads)));
    let room = model("Room", ROOM);
    world.add(&room, Drive::Static);
    let body = model("Robot", ROBOT);
    let robot = world.add(&body, Drive::Physics);
    let (mut sensors, _) = BodySensors::all(&body);
    sensors.seed = seed;
    // All that sensors may remember from step to step.
    let scan = ScanOptions { rolling: true, intensity: true, ..ScanOptions::default() };
    let truth = TruthKinds { labels: true, normals: true, flow: true };
    let exposed = CameraOptions {
        samples: 2,
        exposure_time: 0.01,
        readout_time: 0.01,
        noise: 3.0,
        truth,
        ..CameraOptions::default()
    };
    for sensor in &mut sensors.sensors {
        *sensor = sensor.clone().scanning(&body.devices[sensor.device], &scan).unwrap();
        if let SensorKind::Imu { acceleration, angular_velocity } = &mut sensor.kind {
            let each = Vector3::repeat;
            let error = VectorError {
                bias: each(0.1),
                deviation: each(0.2),
                density: each(0.01),
                instability: each(0.02),
                walk: each(0.03),
                ..VectorError::default()
            };
            (acceleration.error, angular_velocity.error, acceleration.cut_off) = (error, error, Some(40.0));
            sensor.latency = 0.006;
        }
        if let SensorKind::Camera(camera) = &mut sensor.kind {
            **camera = (**camera).clone().with_options(&exposed).unwrap();
        }
    }
    // Replaces the sensors without errors.
    world.app.world_mut().entity_mut(robot).insert(sensors);
    (world, robot)
}

fn readings(world: &World, robot: bevy::prelude::Entity) -> [Sample; 3] {
    ["IMU", "LIDAR", "CLOUD"].map(|label| world.last(robot, label).unwrap())
}

/// Samples as bytes, without the entities, which differ from world to world.
fn bytes(readings: &[Sample; 3]) -> Vec<u8> {
    serde_json::to_vec(&readings.each_ref().map(|measured| (measured.time, measured.number, &measured.measurement)))
        .unwrap()
}

#[test]
fn the_same_run_reads_the_same_on_any_number_of_threads() {
    let run = |threads: usize, seed: u64| {
        let (mut world, robot) = world(threads, seed);
        world.run(101);
        bytes(&readings(&world, robot))
    };
    let first = run(1, 5);
    assert!(first == run(1, 5), "twice on one thread");
    assert!(first == run(2, 5), "on two threads");
    assert!(first == run(7, 5), "on seven threads");
    assert!(first != run(1, 6), "another seed");
}

#[test]
fn the_channels_of_a_sensor_have_independent_errors() {
    let (mut world, robot) = world(1, 5);
    world.run(10);
    let (acceleration, spin) = world.imu(robot, "IMU");
    // It falls freely without rotation: only the errors remain.
    assert!((acceleration - spin).norm() > 1e-3, "{acceleration} {spin}");
}

#[test]
fn a_snapshot_holds_phases_readings_and_random_numbers() {
    let (mut world, robot) = world(2, 5);
    assert_eq!(unregistered_state(world.app.world_mut()), Vec::<String>::new());
    world.run(33);
    let snapshot = SimulationSnapshot::take(world.app.world_mut()).unwrap();
    let then = readings(&world, robot);
    world.run(50);
    let later = readings(&world, robot);
    assert_ne!(then, later);
    snapshot.restore(world.app.world_mut()).unwrap();
    assert_eq!(readings(&world, robot), then);
    world.run(50);
    assert_eq!(readings(&world, robot), later);
}

#[test]
fn sensors_go_with_their_body_and_with_their_component() {
    let (mut world, robot) = world(1, 5);
    world.run(5);
    let imu = world.sensor(robot, "IMU");
    world.app.world_mut().entity_mut(robot).remove::<BodySensors>();
    world.run(5);
    assert!(world.app.world().get_entity(imu).is_err());
    let body = world.model(robot);
    world.app.world_mut().entity_mut(robot).insert(BodySensors::all(&body).0);
    world.run(5);
    let measured = world.last(robot, "LIDAR").unwrap();
    // New sensors count from their insertion.
    assert_eq!((measured.number, measured.missed), (0, 0));
    let lidar = world.sensor(robot, "LIDAR");
    world.app.world_mut().entity_mut(robot).despawn();
    world.run(5);
    assert!(world.app.world().get_entity(lidar).is_err());
    assert!(matches!(measured.measurement, Measurement::Range(_)));
}
