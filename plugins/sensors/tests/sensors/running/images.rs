//! Range sensors and cameras that observe moving bodies.

use bevy::prelude::*;
use bunraku_body::Drive;
use bunraku_physics::JointSolver;
use bunraku_sensors::{DeviceSwitches, Measured, Measurement, Sample};

use super::{G, World, model};

/// A post with sensors along X at 30 and 12.5 Hz; a lamp shines in the same direction.
const POST: &str = "
  - name: POST
    translation: [ 0, 0, 1 ]
    elements:
      - { type: Camera, name: DEPTH, format: COLOR_DEPTH, optical_frame: robotics, width: 9, height: 7, frame_rate: 30 }
      - { type: RangeSensor, name: LIDAR, optical_frame: robotics, yaw_range: 0, yaw_step: 1, max_distance: 50, scan_rate: 12.5 }
      - { type: Camera, name: LATE, format: COLOR, optical_frame: robotics, width: 9, height: 7, frame_rate: 100, on: false }
      - { type: PointLight, name: LAMP, color: [ 1, 1, 1 ], intensity: 0.25 }
";

/// A wall whose face is 3 m ahead and falls; it is 40 m high.
const WALL: &str = "
  - name: WALL
    joint_type: free
    translation: [ 3.5, 0, 0 ]
    mass: 1
    inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]
    elements:
      - type: Visual
        shape: { geometry: { type: Box, size: [ 1, 40, 40 ] }, appearance: { material: { diffuse: [ 0.5, 0.5, 0.5 ] } } }
";

fn scan(measured: &Sample) -> f64 {
    match &measured.measurement {
        Measurement::Range(scan) => scan.distances[0],
        other => panic!("{other:?}"),
    }
}

#[test]
fn range_sensors_and_cameras_measure_at_their_rates_without_drift() {
    let mut world = World::new(0.001, JointSolver::Multibody);
    let post = model("Post", POST);
    let post = world.add(&post, Drive::Static);
    let wall = model("Wall", WALL);
    let wall = world.add(&wall, Drive::Physics);
    let sensors = ["DEPTH", "LIDAR", "LATE"].map(|label| world.sensor(post, label));
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let mut cursor = world.app.world().resource::<Messages<Measured>>().get_cursor();
    for _ in 0..1000 {
        world.run(1);
        let messages = world.app.world().resource::<Messages<Measured>>();
        for Measured { sensor, sample } in cursor.read(messages) {
            let which = sensors.iter().position(|known| known == sensor).unwrap();
            assert_eq!((sample.number, sample.missed), (times[which].len() as u64, 0));
            times[which].push(sample.time);
        }
    }
    // Sample k at the first step at or after k / rate.
    let grid = |rate: f64, step: f64| -> Vec<f64> {
        let steps = (0..).map(|sample| (f64::from(sample) / rate / step - 1e-6).ceil());
        steps.take_while(|step| *step <= 1000.0).map(|steps| steps * step).collect()
    };
    assert_eq!(times[0], grid(30.0, 0.001));
    assert_eq!(times[1], grid(12.5, 0.001));
    assert!(times[2].is_empty());
    // The wall has fallen by half of g; the distance of its face is unchanged.
    let z = world.app.world().get::<bunraku_body::BodyState>(wall).unwrap().link_poses[0].translation.z;
    assert!((z + G / 2.0).abs() < 0.01, "{z}");
    assert!((scan(&world.last(post, "LIDAR").unwrap()) - 3.0).abs() < 1e-6);
    let depth = world.last(post, "DEPTH").unwrap();
    let Measurement::Camera(taken) = &depth.measurement else { panic!() };
    assert_eq!((taken.colors.len(), taken.depths.len()), (63, 63));
    assert!(taken.depths.iter().all(|depth| (depth - 3.0).abs() < 1e-5), "{:?}", taken.depths);
    assert!((depth.pose.translation.vector - nalgebra::Vector3::z()).norm() < 1e-12);
}

#[test]
fn devices_are_switched_on_and_off_during_a_run() {
    let mut world = World::new(0.001, JointSolver::Multibody);
    let post = model("Post", POST);
    let post = world.add(&post, Drive::Static);
    let wall = model("Wall", WALL);
    world.add(&wall, Drive::Static);
    world.run(70);
    let colors = |world: &World| match &world.last(post, "DEPTH").unwrap().measurement {
        Measurement::Camera(taken) => taken.colors[31],
        other => panic!("{other:?}"),
    };
    let bright = colors(&world);
    let switch = |world: &mut World, device: usize, on: bool| {
        world.app.world_mut().get_mut::<DeviceSwitches>(post).unwrap().0[device] = on;
    };
    // The lidar is switched off and loses its data, the late camera begins, the lamp is switched off.
    switch(&mut world, 1, false);
    switch(&mut world, 2, true);
    switch(&mut world, 3, false);
    assert!(world.last(post, "LIDAR").is_some() && world.last(post, "LATE").is_none());
    world.run(1);
    assert!(world.last(post, "LIDAR").is_none());
    assert!((world.last(post, "LATE").unwrap().time - 0.071).abs() < 1e-12);
    world.run(59);
    assert_eq!(world.last(post, "LATE").unwrap().number, 5);
    let dark = colors(&world);
    assert!(dark[0] < bright[0], "{dark:?} {bright:?}");
    switch(&mut world, 1, true);
    world.run(1);
    let measured = world.last(post, "LIDAR").unwrap();
    // One sample before, at time 0.
    assert_eq!((measured.number, measured.missed), (1, 0));
    assert!((measured.time - 0.131).abs() < 1e-12);
}
