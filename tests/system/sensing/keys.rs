//! Every key of sensors in a scene: what it sets, in which unit, and where a wrong value is reported.

use std::path::Path;

use bunraku::document::{Diagnostic, Reporter, Severity};
use bunraku::prelude::*;
use bunraku::render::{Intrinsics, Lens};
use bunraku::scene::SceneOptions;
use bunraku::sensors::{
    CameraOptions, Encoder, Environment, SampleRate, ScanOptions, ScanPattern, Sensor, SensorKind, TruthKinds,
    VectorError,
};
use nalgebra::Vector3;

const ROBOT: &str = "
format: ChoreonoidBody
format_version: 2.0
name: Robot
links:
  - name: BASE
    elements:
      - { type: AccelerationSensor, name: ACCELERATION }
      - { type: RateGyroSensor, name: GYRO }
      - { type: Imu, name: IMU }
      - { type: ForceSensor, name: FORCE }
      - { type: RangeSensor, name: RANGE, yaw_range: 20, yaw_step: 5, scan_rate: 10 }
      - { type: Camera, name: CAMERA, format: COLOR, width: 80, height: 60, frame_rate: 10 }
      - { type: Camera, name: DEPTH, format: DEPTH, width: 80, height: 60, frame_rate: 10 }
  - { name: ARM, parent: BASE, joint_type: revolute, joint_axis: X, joint_id: 0 }
  - { name: SLIDE, parent: ARM, joint_type: prismatic, joint_axis: X, joint_id: 1 }
";

/// Seven lines before those of `sensors`.
const SCENE: &str = "format: BunrakuScene
format_version: 1
simulation: { duration: 0.1 }
bodies:
  - { name: Robot, file: robot.body }
record: { sensors: true }
sensors:
";

const PATTERN: &str = "# period: 0.01\nazimuth,elevation,time\n0,0,0\n10,5,0.002\n";

/// The sensors of a scene with these lines under `sensors`, and the findings.
fn load(lines: &str) -> (Option<Vec<Sensor>>, Vec<Diagnostic>) {
    let desk = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(desk.path().join(name), text).unwrap();
    write("robot.body", ROBOT);
    write("table.csv", PATTERN);
    write("x.scene.yaml", &format!("{SCENE}{lines}"));
    let reporter = Reporter::new();
    let scene = Scene::load(&desk.path().join("x.scene.yaml"), &SceneOptions::default(), &reporter);
    let sensors = scene.and_then(|scene| Some(scene.bodies[0].sensors.clone()?.sensors));
    (sensors, reporter.into_diagnostics())
}

fn sensors(lines: &str) -> Vec<Sensor> {
    let (sensors, findings) = load(lines);
    assert!(findings.is_empty(), "{lines}: {findings:?}");
    sensors.unwrap()
}

/// The sensor of a device with some keys, and its device.
fn with(device: &str, keys: &str) -> (Sensor, bunraku::body::Device) {
    let desk = tempfile::tempdir().unwrap();
    std::fs::write(desk.path().join("robot.body"), ROBOT).unwrap();
    let body = Body::open(desk.path().join("robot.body")).unwrap();
    let found = sensors(&format!("  devices:\n    - {{ device: Robot/{device}, {keys} }}\n"));
    let index = body.devices.iter().position(|known| known.name == device).unwrap();
    (found.into_iter().find(|sensor| sensor.device == index).unwrap(), body.devices[index].clone())
}

/// A value of each key of errors, and the error.
fn error_of(key: &str) -> VectorError {
    let value = Vector3::new(0.1, 0.2, 0.3);
    let mut error = VectorError::default();
    match key {
        "bias" => error.bias = value,
        "noise" => error.deviation = value,
        "density" => error.density = value,
        "instability" => error.instability = value,
        "walk" => error.walk = value,
        "scale" => error.scale = value,
        // In degrees.
        "misalignment" => error.misalignment = value.map(f64::to_radians),
        "quantization" => error.quantization = value,
        _ => unreachable!("{key}"),
    }
    error
}

const ERRORS: [&str; 8] = ["bias", "noise", "density", "instability", "walk", "scale", "misalignment", "quantization"];

#[test]
fn errors_reach_the_quantity_that_they_name_and_no_other() {
    let cases = [
        ("ACCELERATION", &["acceleration"][..]),
        ("GYRO", &["angular_velocity"]),
        ("IMU", &["acceleration", "angular_velocity"]),
        ("FORCE", &["force", "torque"]),
    ];
    for (device, quantities) in cases {
        for (channel, quantity) in quantities.iter().enumerate() {
            for key in ERRORS {
                let (sensor, _) = with(device, &format!("{quantity}_{key}: [ 0.1, 0.2, 0.3 ]"));
                for (index, found) in sensor.kind.channels().into_iter().enumerate() {
                    let Some(found) = found else { continue };
                    let expected = if index == channel { error_of(key) } else { VectorError::default() };
                    assert_eq!(found.error, expected, "{quantity}_{key} in channel {index} of {device}");
                }
            }
        }
    }
    // One number is that of all axes.
    let (sensor, _) = with("IMU", "acceleration_noise: 0.5");
    assert_eq!(sensor.kind.channels()[0].unwrap().error.deviation, Vector3::repeat(0.5));
}

#[test]
fn rates_latencies_filters_and_switches_are_those_of_the_scene() {
    let (sensor, _) = with("IMU", "rate: 200, latency: 0.005, filter: 50");
    assert_eq!((sensor.schedule.rate(), sensor.latency), (SampleRate::Hertz(200.0), 0.005));
    assert_eq!(sensor.kind.channels().map(|channel| channel.unwrap().cut_off), [Some(50.0); 2]);
    for device in ["RANGE", "CAMERA", "DEPTH"] {
        let (sensor, _) = with(device, "rate: 25, latency: 0.1");
        assert_eq!((sensor.schedule.rate(), sensor.latency), (SampleRate::Hertz(25.0), 0.1), "{device}");
        assert!(sensor.schedule.is_on() && !with(device, "on: false").0.schedule.is_on(), "{device}");
    }
}

#[test]
fn keys_of_range_sensors_are_their_properties() {
    let default = ScanOptions::default;
    let pattern = || {
        let beams = [(0.0_f64, 0.0_f64, 0.0), (10.0, 5.0, 0.002)];
        let beam = |(azimuth, elevation, time): (f64, f64, f64), ring| bunraku::sensors::PatternBeam {
            azimuth: azimuth.to_radians(),
            elevation: elevation.to_radians(),
            time,
            ring,
        };
        Some(ScanPattern::new(vec![beam(beams[0], 0), beam(beams[1], 1)], 0.01, 0.0).unwrap().into())
    };
    let cases = [
        ("rolling: true", ScanOptions { rolling: true, intensity: true, ..default() }),
        ("rolling: true, intensity: false", ScanOptions { rolling: true, ..default() }),
        ("pattern: table.csv", ScanOptions { pattern: pattern(), rolling: true, intensity: true, ..default() }),
        ("pattern: table.csv, rolling: false", ScanOptions { pattern: pattern(), intensity: true, ..default() }),
        ("intensity: true", ScanOptions { intensity: true, ..default() }),
        ("returns: 3", ScanOptions { returns: 3, ..default() }),
        ("returns: 2, return_separation: 0.25", ScanOptions { returns: 2, return_separation: 0.25, ..default() }),
        // In degrees.
        ("beam_divergence: 0.2", ScanOptions { beam_divergence: 0.2_f64.to_radians(), ..default() }),
        (
            "beam_divergence: 0.2, beam_rays: 19",
            ScanOptions { beam_divergence: 0.2_f64.to_radians(), beam_rays: 19, ..default() },
        ),
        ("transmission: true", ScanOptions { transmission: true, ..default() }),
        ("min_intensity: 0.01", ScanOptions { min_intensity: 0.01, ..default() }),
        ("error_growth: 0.001", ScanOptions { error_growth: 0.001, ..default() }),
    ];
    let (plain, device) = with("RANGE", "on: true");
    for (keys, options) in cases {
        let (found, _) = with("RANGE", keys);
        let expected = plain.clone().scanning(&device, &options).unwrap();
        assert_eq!(format!("{:?}", found.kind), format!("{:?}", expected.kind), "{keys}");
        assert_ne!(format!("{:?}", found.kind), format!("{:?}", plain.kind), "{keys} does nothing");
    }
    // Keys that models have, too.
    let (found, device) =
        with("RANGE", "min_distance: 0.3, max_distance: 7, detection_rate: 0.9, error_deviation: 0.02");
    let bunraku::body::DeviceKind::RangeSensor(mut model) = device.kind else { panic!() };
    (model.min_distance, model.max_distance, model.detection_rate, model.error_deviation) = (0.3, 7.0, 0.9, 0.02);
    let expected = bunraku::sensors::Scanner::new(&model, found.mounting).unwrap();
    assert_eq!(format!("{:?}", found.kind), format!("Range({expected:?})"));
}

#[test]
fn keys_of_cameras_are_their_properties() {
    let default = CameraOptions::default;
    let intrinsics = Intrinsics { fx: 300.0, fy: 310.0, cx: 39.0, cy: 29.0 };
    let lens = |coefficients| Some(Lens::RadialTangential { intrinsics, coefficients });
    let truth = |labels, normals, flow| CameraOptions { truth: TruthKinds { labels, normals, flow }, ..default() };
    let cases = [
        (
            "lens: { model: radial_tangential, fx: 300, fy: 310, cx: 39, cy: 29, coefficients: [ 0.1, 0.2, 0.3, 0.4, 0.5 ] }",
            CameraOptions { lens: lens([0.1, 0.2, 0.3, 0.4, 0.5, 0.0, 0.0, 0.0]), ..default() },
        ),
        (
            "lens: { model: radial_tangential, fx: 300, fy: 310, cx: 39, cy: 29 }",
            CameraOptions { lens: lens([0.0; 8]), ..default() },
        ),
        (
            "lens: { model: kannala_brandt, fx: 300, fy: 310, cx: 39, cy: 29, coefficients: [ 0.1, 0.2, 0.3, 0.4 ] }",
            CameraOptions {
                lens: Some(Lens::KannalaBrandt { intrinsics, coefficients: [0.1, 0.2, 0.3, 0.4] }),
                ..default()
            },
        ),
        ("samples: 3", CameraOptions { samples: 3, ..default() }),
        ("exposure_time: 0.01", CameraOptions { exposure_time: 0.01, ..default() }),
        ("readout_time: 0.02", CameraOptions { readout_time: 0.02, ..default() }),
        ("exposure_value: -1.5", CameraOptions { exposure_value: -1.5, ..default() }),
        ("image_noise: 2", CameraOptions { noise: 2.0, ..default() }),
        ("shot_noise: 0.1", CameraOptions { shot_noise: 0.1, ..default() }),
        ("truth: [ labels ]", truth(true, false, false)),
        ("truth: [ normals ]", truth(false, true, false)),
        ("truth: [ flow ]", truth(false, false, true)),
    ];
    for (keys, options) in cases {
        let SensorKind::Camera(camera) = with("CAMERA", keys).0.kind else { panic!("{keys}") };
        assert_eq!(*camera.options(), options, "{keys}");
    }
    let (found, device) =
        with("DEPTH", "min_distance: 0.3, max_distance: 7, detection_rate: 0.9, error_deviation: 0.02");
    let bunraku::body::DeviceKind::RangeCamera(mut model) = device.kind else { panic!() };
    (model.min_distance, model.max_distance, model.detection_rate, model.error_deviation) = (0.3, 7.0, 0.9, 0.02);
    let expected = bunraku::sensors::CameraModel::of_range_camera(&model, found.mounting).unwrap();
    assert_eq!(format!("{:?}", found.kind), format!("Camera({expected:?})"));
}

#[test]
fn added_sensors_have_their_keys() {
    let add = |keys: &str| sensors(&format!("  add:\n    - {{ {keys} }}\n")).pop().unwrap();
    let encoder = |keys: &str| match add(keys).kind {
        SensorKind::Encoder(encoder, _) => encoder,
        kind => panic!("{kind:?}"),
    };
    let numbers = |encoder: Encoder| [encoder.resolution, encoder.backlash, encoder.bias, encoder.noise];
    let keys = "resolution: 1, backlash: 2, bias: -3, noise: 4";
    let turning = encoder(&format!("type: encoder, name: E, joint: Robot/ARM, {keys}"));
    assert_eq!(numbers(turning), [1.0, 2.0, -3.0, 4.0].map(f64::to_radians));
    let sliding = encoder(&format!("type: encoder, name: E, joint: Robot/SLIDE, {keys}"));
    assert_eq!(numbers(sliding), [1.0, 2.0, -3.0, 4.0]);
    assert_ne!(turning.joint, sliding.joint);

    let cases = [
        ("magnetometer", 0, "field"),
        ("gnss", 0, "position"),
        ("gnss", 1, "velocity"),
        ("barometer", 0, "pressure"),
        ("touch", 0, "force"),
    ];
    for (kind, channel, quantity) in cases {
        for key in ERRORS {
            let sensor = add(&format!("type: {kind}, name: S, link: Robot/ARM, {quantity}_{key}: [ 0.1, 0.2, 0.3 ]"));
            assert_eq!(sensor.kind.channels()[channel].unwrap().error, error_of(key), "{quantity}_{key}");
        }
        let sensor = add(&format!(
            "type: {kind}, name: S, link: Robot/ARM, filter: 20, rate: 5, latency: 0.2, on: false, translation: [ 1, 2, 3 ], rotation: [ 0, 0, 1, 90 ]"
        ));
        assert_eq!(sensor.kind.channels()[channel].unwrap().cut_off, Some(20.0), "{kind}");
        assert_eq!((sensor.schedule.rate(), sensor.latency), (SampleRate::Hertz(5.0), 0.2), "{kind}");
        assert!(!sensor.schedule.is_on(), "{kind}");
        assert_eq!(sensor.mounting.translation.vector, Vector3::new(1.0, 2.0, 3.0), "{kind}");
        assert!((sensor.mounting.rotation * Vector3::x() - Vector3::y()).norm() < 1e-12, "{kind}");
    }
    let SensorKind::Touch { threshold, .. } = add("type: touch, name: S, link: Robot/ARM, threshold: 3").kind else {
        panic!()
    };
    assert_eq!(threshold, 3.0);
}

#[test]
fn the_environment_is_in_degrees_metres_and_tesla() {
    let found = sensors(
        "  environment: { latitude: 35.5, longitude: -139.5, altitude: 40, magnetic_field: [ 1.0e-5, 2.0e-5, -3.0e-5 ] }
  add: [ { type: gnss, name: G, link: Robot/ARM } ]
",
    );
    let SensorKind::Gnss { environment, .. } = found.last().unwrap().kind else { panic!() };
    let expected = Environment {
        latitude: 35.5_f64.to_radians(),
        longitude: -139.5_f64.to_radians(),
        altitude: 40.0,
        magnetic_field: Vector3::new(1e-5, 2e-5, -3e-5),
    };
    assert_eq!(environment, expected);
}

/// A wrong value, and a part of the message. The finding is an error at the value.
const WRONG_DEVICES: [(&str, &str, &str); 28] = [
    ("IMU, rate: ", "0", "a rate of 0 Hz is impossible"),
    ("IMU, latency: ", "-0.1", "a latency is not negative"),
    ("IMU, filter: ", "0", "`filter` must be above 0"),
    ("IMU, filter: ", "fast", "a number"),
    ("IMU, acceleration_noise: ", "-1", "`acceleration_noise` must not be negative"),
    ("IMU, acceleration_noise: ", "[ 1, 2 ]", "3"),
    ("IMU, angular_velocity_walk: ", "[ 0, -1, 0 ]", "`angular_velocity_walk` must not be negative"),
    ("FORCE, torque_density: ", "-1", "`torque_density` must not be negative"),
    ("RANGE, detection_rate: ", "1.5", "`detection_rate` must be from 0 to 1"),
    ("RANGE, error_deviation: ", "-1", "`error_deviation` must be not negative"),
    ("RANGE, min_distance: ", "-1", "`min_distance` must be not negative"),
    ("RANGE, max_distance: ", "0", "`max_distance` must be above 0"),
    ("RANGE, returns: ", "9", "`returns` must be from 1 to 4"),
    ("RANGE, return_separation: ", "-1", "`return_separation` must be not negative"),
    ("RANGE, beam_divergence: ", "100", "`beam_divergence` must be from 0 to a quarter turn"),
    ("RANGE, beam_rays: ", "-2", "`beam_rays` must be from 1 to 64"),
    ("RANGE, min_intensity: ", "2", "`min_intensity` must be from 0 to 1"),
    ("RANGE, error_growth: ", "-1", "`error_growth` must be not negative"),
    ("RANGE, rolling: ", "perhaps", "true"),
    ("RANGE, pattern: ", "missing.csv", "missing.csv"),
    ("CAMERA, samples: ", "17", "`samples` must be from 1 to 16"),
    ("CAMERA, exposure_time: ", "-1", "`exposure_time` must be not negative"),
    ("CAMERA, readout_time: ", "-1", "`readout_time` must be not negative"),
    ("CAMERA, image_noise: ", "-1", "`image_noise` must be not negative"),
    ("CAMERA, truth: [ ", "depth", "a kind of ground truth"),
    ("CAMERA, lens: { fy: 1, cx: 1, cy: 1, model: radial_tangential, fx: ", "0", "`fx` must be above 0"),
    ("CAMERA, lens: { fx: 1, fy: 1, cx: 1, cy: 1, model: ", "wide", "a lens"),
    (
        "CAMERA, lens: { fx: 1, fy: 1, cx: 1, cy: 1, model: kannala_brandt, coefficients: ",
        "[ 1, 2, 3 ]",
        "a lens has not 3 coefficients",
    ),
];

const WRONG_ADDED: [(&str, &str, &str); 9] = [
    ("name: S, link: Robot/ARM, type: ", "sonar", "a sensor"),
    ("name: S, type: touch, link: ", "Robot/ARN", "ARN"),
    ("name: S, type: touch, link: ", "world", "not on the world"),
    ("name: S, type: encoder, joint: ", "Robot/ARN", "has no joint `ARN`"),
    ("name: S, type: encoder, joint: Robot/ARM, resolution: ", "-1", "`resolution` must be not negative"),
    ("name: S, type: encoder, joint: Robot/ARM, backlash: ", "-1", "`backlash` must be not negative"),
    ("name: S, type: touch, link: Robot/ARM, threshold: ", "-1", "`threshold` must be not negative"),
    ("name: S, type: barometer, link: Robot/ARM, filter: ", "-1", "`filter` must be above 0"),
    ("name: S, type: gnss, link: Robot/ARM, position_noise: ", "-1", "`position_noise` must not be negative"),
];

#[test]
fn wrong_values_are_errors_at_their_place() {
    let close = |before: &str| if before.contains("{ f") { " }" } else { "" };
    let end = |before: &str| if before.ends_with("[ ") { " ]" } else { close(before) };
    let devices = WRONG_DEVICES.map(|case| ("  devices:\n    - { device: Robot/", case));
    let added = WRONG_ADDED.map(|case| ("  add:\n    - { ", case));
    for (start, (before, value, message)) in devices.into_iter().chain(added) {
        let (sensors, findings) = load(&format!("{start}{before}{value}{} }}\n", end(before)));
        assert!(sensors.is_none(), "{before}{value} runs");
        let column = start.lines().last().unwrap().len() + before.len() + 1;
        let place = |finding: &Diagnostic| {
            let start = finding.place.as_ref()?.span?.start;
            Some((start.line as usize, start.column as usize))
        };
        let is_it = |finding: &&Diagnostic| {
            finding.severity == Severity::Error
                && place(finding) == Some((9, column))
                && format!("{} {}", finding.message, finding.help.as_deref().unwrap_or_default()).contains(message)
        };
        assert_eq!(findings.iter().filter(is_it).count(), 1, "{before}{value} at 9:{column}: {findings:?}");
    }
}

#[test]
fn wrong_places_on_the_earth_and_light_are_errors_at_their_place() {
    let cases = [
        ("environment: { latitude: ", "91", "a latitude of 91°"),
        ("environment: { longitude: ", "-181", "a longitude of -181°"),
        ("environment: { magnetic_field: ", "1", "3"),
        ("lighting: { ambient: ", "-0.1", "light is not negative"),
        ("lighting: { sun: { direction: ", "[ 0, 0, 0 ]", "the direction of the sun is zero"),
        ("lighting: { sky: { zenith: ", "[ 0, 0 ]", "3"),
        ("lighting: { shadows: ", "dark", "true"),
    ];
    for (before, value, message) in cases {
        let close = " }".repeat(before.matches('{').count());
        let (scene, findings) = load(&format!("  {before}{value}{close}\n"));
        assert!(scene.is_none(), "{before}{value} runs");
        let column = 3 + before.len();
        let finding = findings.iter().find(|finding| finding.severity == Severity::Error).unwrap();
        let start = finding.place.as_ref().unwrap().span.unwrap().start;
        assert_eq!((start.line as usize, start.column as usize), (8, column), "{before}{value}: {finding:?}");
        let text = format!("{} {}", finding.message, finding.help.as_deref().unwrap_or_default());
        assert!(text.contains(message), "{before}{value}: {text}");
    }
}

#[test]
fn unknown_keys_of_sensors_are_errors_and_idle_ones_warnings() {
    for (lines, key) in [
        ("  seeds: 1\n", "seeds"),
        ("  devices: [ { device: Robot/IMU, acceleration_nois: 1 } ]\n", "acceleration_nois"),
        ("  add: [ { type: touch, name: S, link: Robot/ARM, treshold: 1 } ]\n", "treshold"),
    ] {
        let (scene, findings) = load(lines);
        let start = findings[0].place.as_ref().unwrap().span.unwrap().start;
        assert!(scene.is_none() && findings[0].code == "unknown-key", "{findings:?}");
        assert_eq!((start.line, start.column as usize), (8, lines.find(key).unwrap() + 1), "{lines}");
    }
    for keys in
        ["IMU, returns: 2", "IMU, samples: 2", "RANGE, filter: 20", "CAMERA, force_bias: 1", "FORCE, max_distance: 1"]
    {
        let (scene, findings) = load(&format!("  devices: [ {{ device: Robot/{keys} }} ]\n"));
        assert!(scene.is_some(), "{keys}: {findings:?}");
        assert_eq!((findings.len(), findings[0].code), (1, "idle-sensor-key"), "{keys}: {findings:?}");
    }
}

#[test]
fn recorded_sensors_are_those_that_are_named() {
    let recorded = |choice: &str| {
        let desk = tempfile::tempdir().unwrap();
        std::fs::write(desk.path().join("robot.body"), ROBOT).unwrap();
        let scene = SCENE.replace("sensors: true", &format!("sensors: {choice}")).replace("sensors:\n", "");
        std::fs::write(desk.path().join("x.scene.yaml"), scene).unwrap();
        let reporter = Reporter::new();
        let scene = Scene::load(Path::new(&desk.path().join("x.scene.yaml")), &SceneOptions::default(), &reporter);
        let count = scene.map(|scene| scene.bodies[0].sensors.as_ref().map_or(0, |found| found.sensors.len()));
        (count, reporter.into_diagnostics())
    };
    for (choice, count) in
        [("true", 7), ("all", 7), ("false", 0), ("[ ]", 0), ("[ Robot ]", 7), ("[ Robot/IMU, Robot/RANGE ]", 2)]
    {
        let (found, findings) = recorded(choice);
        assert_eq!((found, findings.len()), (Some(count), 0), "{choice}: {findings:?}");
    }
    for (choice, message) in [
        ("[ Robt ]", "there is no body `Robt`"),
        ("[ Robot/IMX ]", "`Robot` has no device `IMX`"),
        ("some", "`true`, `false` or a list of devices"),
    ] {
        let (found, findings) = recorded(choice);
        assert!(found.is_none() && findings[0].message.contains(message), "{choice}: {findings:?}");
        let start = findings[0].place.as_ref().unwrap().span.unwrap().start;
        assert_eq!((start.line, start.column), (6, if choice == "some" { 20 } else { 22 }), "{choice}");
    }
}
