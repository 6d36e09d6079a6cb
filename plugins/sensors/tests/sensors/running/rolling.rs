//! Rolling scans, delays and added sensors in a running simulation.

use std::f64::consts::TAU;

use bunraku_body::{BodyState, Drive, JointIndex};
use bunraku_physics::JointSolver;
use bunraku_sensors::{BodySensors, Channel, Encoder, Environment, Measurement, ScanOptions, SensorKind, ValuesKind};
use nalgebra::Vector3;

use super::{G, World, model, with_sensors};

const STEP: f64 = 0.001;

/// A scanner that looks down at a plate which falls: each column measures the plate where it is at its own time.
#[test]
fn a_falling_plate_is_measured_where_it_is_at_the_time_of_each_column() {
    let mut world = World::new(STEP, JointSolver::Multibody);
    let scanner = model(
        "Scanner",
        "
  - name: BASE
    joint_type: fixed
    elements:
      - { type: RangeSensor, name: SCAN, yaw_range: 90, yaw_step: 1.0, scan_rate: 40, max_distance: 100 }
",
    );
    let plate = model(
        "Plate",
        "
  - name: PLATE
    joint_type: free
    translation: [ 0, 0, -3.05 ]
    mass: 1
    inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]
    elements:
      - { type: Visual, shape: { geometry: { type: Box, size: [ 50, 50, 0.1 ] } } }
",
    );
    let base = world.add(&scanner, Drive::Static);
    let falling = world.add(&plate, Drive::Physics);
    let (mut sensors, _) = BodySensors::all(&scanner);
    let options = ScanOptions { rolling: true, ..ScanOptions::default() };
    sensors.sensors[0] = sensors.sensors[0].clone().scanning(&scanner.devices[0], &options).unwrap();
    world.app.world_mut().entity_mut(base).insert(sensors);
    let height =
        |world: &World| world.app.world().get::<BodyState>(falling).unwrap().link_poses[0].translation.z + 0.05;
    // The upper side of the plate at the end of each step.
    let mut heights = vec![height(&world)];
    let (mut numbers, mut columns) = (0, 0);
    for step in 1..=200_u64 {
        world.run(1);
        heights.push(height(&world));
        let Some(sample) = world.last(base, "SCAN") else { continue };
        if (sample.time - step as f64 * STEP).abs() > 1e-9 {
            continue;
        }
        assert_eq!(sample.number, numbers);
        numbers += 1;
        let Measurement::Range(scan) = &sample.measurement else { panic!() };
        assert!((sample.time + scan.start - scan.frame as f64 / 40.0).abs() < 1e-12);
        for (column, distance) in scan.distances.iter().enumerate() {
            let yaw = (column as f64 - 45.0).to_radians();
            let time = scan.frame as f64 / 40.0 + (column as f64).to_radians() / TAU / 40.0;
            let at = (time / STEP).floor();
            let [before, after] = [0, 1].map(|next| heights[(at as usize + next).min(heights.len() - 1)]);
            let expected = -(before + (after - before) * (time / STEP - at)) / yaw.cos();
            assert!((distance - expected).abs() < 1e-9, "{step} {column}: {distance} instead of {expected}");
            columns += 1;
        }
    }
    assert!(numbers == 8 && columns == 8 * 91, "{numbers} {columns}");
    // It has fallen by g·t²/2 meanwhile.
    assert!((heights[0] - heights[200] - G * 0.02).abs() < 2e-3);
}

const PENDULUM: &str = "
  - name: BASE
    joint_type: fixed
  - name: ARM
    parent: BASE
    joint_type: revolute
    joint_axis: [ 0, 1, 0 ]
    joint_id: 0
    joint_displacement: 40
    mass: 1
    center_of_mass: [ 0, 0, -0.5 ]
    inertia: [ 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 ]
";

#[test]
fn added_sensors_measure_the_closed_forms_on_a_pendulum() {
    let environment = Environment { latitude: 0.6, longitude: 2.4, altitude: 100.0, ..Environment::default() };
    let channel = Channel::default();
    let kinds = [
        (
            ValuesKind::Encoder,
            SensorKind::Encoder(Encoder { resolution: 1e-3, ..Encoder::new(JointIndex(0)) }, ValuesKind::Encoder),
        ),
        (ValuesKind::Magnetometer, SensorKind::Magnetometer { environment, field: channel }),
        (ValuesKind::Gnss, SensorKind::Gnss { environment, position: channel, velocity: channel }),
        (ValuesKind::Barometer, SensorKind::Barometer { environment, pressure: channel }),
        (ValuesKind::TouchSensor, SensorKind::Touch { threshold: 0.1, force: channel }),
    ];
    let mut world = World::new(STEP, JointSolver::Multibody);
    let (body, sensors) = with_sensors(&model("Pendulum", PENDULUM), "ARM", &kinds);
    let pendulum = world.add(&body, Drive::Physics);
    world.app.world_mut().entity_mut(pendulum).insert(sensors);
    world.run(150);
    let state = world.app.world().get::<BodyState>(pendulum).unwrap().clone();
    let (angle, speed) = (state.displacements[0], state.velocities[0]);
    assert!(speed.abs() > 0.5, "{speed}");
    let read = |kind: ValuesKind| -> Vec<f64> {
        match world.last(pendulum, kind.device_type()).unwrap().measurement {
            Measurement::Values(values) => values.numbers,
            other => panic!("{other:?}"),
        }
    };
    let encoder = read(ValuesKind::Encoder);
    assert!(
        (encoder[0] - angle).abs() <= 0.5e-3 + 1e-12 && (encoder[1] - speed).abs() < 1.1,
        "{encoder:?} {angle} {speed}"
    );
    // The arm turns about +Y by the angle: the field turns the other way.
    let field = Vector3::from_column_slice(&read(ValuesKind::Magnetometer));
    let [east, north, up] = environment.magnetic_field.into();
    let expected = Vector3::new(east * angle.cos() - up * angle.sin(), north, east * angle.sin() + up * angle.cos());
    assert!((field - expected).norm() < 1e-16, "{field} {expected}");
    // The sensors are 0.5 m below the axis.
    let place = Vector3::new(-0.5 * angle.sin(), 0.0, -0.5 * angle.cos());
    let gnss = read(ValuesKind::Gnss);
    let [latitude, longitude, altitude] = environment.geodetic(&place);
    assert!((gnss[0] - latitude.to_degrees()).abs() < 1e-12 && (gnss[1] - longitude.to_degrees()).abs() < 1e-12);
    assert!((gnss[2] - altitude).abs() < 1e-8);
    let velocity = Vector3::new(place.z, 0.0, -place.x) * speed;
    assert!((Vector3::from_column_slice(&gnss[3..]) - velocity).norm() < 1e-9, "{gnss:?} {velocity}");
    assert!((read(ValuesKind::Barometer)[0] - environment.pressure(place.z)).abs() < 1e-9);
    assert_eq!(read(ValuesKind::TouchSensor), [0.0, 0.0]);
}

/// With a latency of 5 steps a sample has the value of 5 steps before.
#[test]
fn samples_come_later_by_the_latency() {
    let environment = Environment::default();
    let kind = SensorKind::Magnetometer { environment, field: Channel::default() };
    let run = |latency: f64, steps: u64| {
        let mut world = World::new(STEP, JointSolver::Multibody);
        let (body, mut sensors) =
            with_sensors(&model("Pendulum", PENDULUM), "ARM", &[(ValuesKind::Magnetometer, kind.clone())]);
        sensors.sensors[0].latency = latency;
        let pendulum = world.add(&body, Drive::Physics);
        world.app.world_mut().entity_mut(pendulum).insert(sensors);
        world.run(steps);
        world.last(pendulum, "Magnetometer")
    };
    assert!(run(0.005, 5).is_none());
    let (late, early) = (run(0.005, 55).unwrap(), run(0.0, 50).unwrap());
    assert_eq!((late.number, &late.measurement, late.pose), (early.number, &early.measurement, early.pose));
    assert!((late.time - 0.055).abs() < 1e-12 && (late.age - 0.005).abs() < 1e-9);
}
