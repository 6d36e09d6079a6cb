//! Sensors of models.

use bunraku_body::DeviceKind;
use bunraku_render::{Lighting, Threads};
use bunraku_sensors::{Random, SampleRate, Schedule, Sensor, SensorKind};

use bunraku_test_support::corpus;

use crate::common::{load, scene};

#[test]
fn every_sensor_of_real_robots_delivers_data_of_the_right_shape() {
    let Some(corpus) = corpus() else { return };
    println!("| model | device | type | rate | samples |");
    for model in ["Tank/Tank.body", "AizuSpider/AizuSpiderSS.body", "SR1/SR1.body"] {
        let body = load(&corpus, model);
        let poses = bunraku_body::kinematics::link_poses(&body, &body.root().offset, &body.initial_displacements());
        let scene = scene(&[(&body, poses.clone())]);
        let (sensors, diagnostics) = Sensor::all_of(&body);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert!(!sensors.is_empty());
        for sensor in &sensors {
            let device = &body.devices[sensor.device];
            let random = || Random::of_sample(1, 0);
            let link = &poses[sensor.link.0];
            let samples = match (&sensor.kind, &device.kind) {
                (SensorKind::Range(scanner), DeviceKind::RangeSensor(range)) => {
                    let scan = scanner.scan(&scene, link, random, Threads::available());
                    assert_eq!(scan.distances.len(), range.samples());
                    range.samples()
                }
                (SensorKind::Camera(camera), _) => {
                    let reading =
                        camera.take(&scene, link, &Lighting::default(), random, Threads::available()).unwrap();
                    assert_eq!((reading.width, reading.height), (camera.view().width, camera.view().height));
                    if camera.has_color() {
                        assert!(!reading.colors.is_empty());
                    }
                    camera.view().num_pixels()
                }
                (SensorKind::Imu { .. }, DeviceKind::Imu(_))
                | (SensorKind::Force { .. }, DeviceKind::ForceSensor(_)) => 6,
                (SensorKind::Acceleration(_), DeviceKind::AccelerationSensor(_))
                | (SensorKind::RateGyro(_), DeviceKind::RateGyroSensor(_)) => 3,
                other => panic!("{other:?}"),
            };
            let mut schedule = sensor.schedule;
            schedule.switch(true, 0.0);
            let steps = (0..1000).filter(|&step| schedule.step(f64::from(step) * 0.001).is_some()).count();
            println!("| {model} | {} | {} | {steps} | {samples} |", device.name, device.type_name());
        }
    }
}

#[test]
fn an_invalid_sensor_is_reported_and_the_others_measure() {
    let text = "
format: ChoreonoidBody
format_version: 2.0
name: Broken
links:
  - name: BASE
    elements:
      - { type: Camera, name: Blind, format: COLOR }
      - { type: RangeSensor, name: Slow }
      - { type: AccelerationSensor, name: Fine }
      - { type: Camera, name: Dark, format: DEPTH, on: false, frame_rate: 5000 }
";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.body");
    std::fs::write(&path, text).unwrap();
    let mut body = bunraku_body::load(&path, &Default::default(), &bunraku_document::Reporter::new()).unwrap();
    // The reader corrects or refuses such values; a program that creates or changes a model may not.
    for device in &mut body.devices {
        match &mut device.kind {
            DeviceKind::Camera(camera) => camera.view.width = 0,
            DeviceKind::RangeSensor(sensor) => sensor.scan_rate = 0.0,
            _ => {}
        }
    }
    let (sensors, diagnostics) = Sensor::all_of(&body);
    let names: Vec<&str> = sensors.iter().map(|sensor| body.devices[sensor.device].name.as_str()).collect();
    assert_eq!(names, ["Fine", "Dark"]);
    assert_eq!(sensors[0].schedule, Schedule::new(SampleRate::EveryStep, true));
    assert_eq!(sensors[1].schedule, Schedule::new(SampleRate::Hertz(5000.0), false));
    let messages: Vec<String> = diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
    assert_eq!(messages.len(), 2);
    assert!(
        messages[0].starts_with("the Camera `Blind` of `Broken` measures nothing: a picture of 0×480"),
        "{messages:?}"
    );
    assert!(
        messages[1].starts_with("the RangeSensor `Slow` of `Broken` measures nothing: a rate of 0 Hz"),
        "{messages:?}"
    );
}
