//! Range sensors.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3};

use bunraku_body::{OpticalFrame, RangeSensor, ScanAngles};
use bunraku_document::Severity;
use bunraku_test_support::{assert_all_close, assert_close};

use crate::common::list;
use crate::devices::{DEVICE_LINE, assert_same_rotation, clean, data, device, finding, only, read};

#[track_caller]
fn assert_angles(found: ScanAngles, expected: ScanAngles) {
    assert_all_close(&[found.min, found.max, found.step], [expected.min, expected.max, expected.step]);
}

fn degrees(min: f64, max: f64, step: f64) -> ScanAngles {
    ScanAngles { min: min.to_radians(), max: max.to_radians(), step: step.to_radians() }
}

#[test]
fn a_range_sensor_has_all_its_keys_under_all_spellings() {
    let keys = [
        "on: false",
        "yaw_range: 180",
        "yaw_step: 45",
        "pitch_range: 20",
        "pitch_step: 5",
        "scan_rate: 20",
        "min_distance: 0.5",
        "max_distance: 30",
    ];
    let camel = keys.map(|key| {
        key.replace("yaw_r", "yawR")
            .replace("yaw_s", "yawS")
            .replace("pitch_r", "pitchR")
            .replace("pitch_s", "pitchS")
            .replace("scan_r", "scanR")
            .replace("min_d", "minD")
            .replace("max_d", "maxD")
    });
    let oldest = camel.each_ref().map(|key| key.replace("yawRange", "scanAngle").replace("yawStep", "scanStep"));
    for keys in [keys, camel.each_ref().map(String::as_str), oldest.each_ref().map(String::as_str)] {
        let sensor = device("RangeSensor", &keys);
        assert!(!sensor.enabled);
        let sensor = data!(sensor, RangeSensor);
        assert_angles(sensor.yaw, degrees(-90.0, 90.0, 45.0));
        assert_angles(sensor.pitch, degrees(-10.0, 10.0, 5.0));
        assert_eq!((sensor.scan_rate, sensor.min_distance, sensor.max_distance), (20.0, 0.5, 30.0));
        assert_eq!((sensor.yaw.samples(), sensor.pitch.samples(), sensor.samples()), (5, 5, 25));
        assert_close(sensor.yaw.angle(0), -FRAC_PI_2);
        assert_close(sensor.yaw.angle(4), FRAC_PI_2);
    }
}

#[test]
fn a_range_sensor_has_the_keys_of_the_original_too() {
    let keys = [
        "min_yaw_angle: -30",
        "max_yaw_angle: 60",
        "yaw_samples: 10",
        "min_pitch_angle: -7",
        "max_pitch_angle: 52",
        "pitch_samples: 60",
        "frame_rate: 12",
        "detection_rate: 0.9",
        "error_deviation: 0.02",
        "optical_frame: robotics",
    ];
    let sensor = data!(device("RangeSensor", &keys), RangeSensor);
    assert_angles(sensor.yaw, degrees(-30.0, 60.0, 10.0));
    assert_angles(sensor.pitch, degrees(-7.0, 52.0, 1.0));
    assert_eq!((sensor.yaw.samples(), sensor.pitch.samples()), (10, 60));
    assert_eq!((sensor.scan_rate, sensor.detection_rate, sensor.error_deviation), (12.0, 0.9, 0.02));
    assert_eq!(sensor.optical_frame, OpticalFrame::Robotics);
    assert_same_rotation(sensor.optical_rotation, OpticalFrame::Robotics.rotation());
}

#[test]
fn angles_of_a_range_sensor_obey_the_unit_of_the_file() {
    let sensor = data!(clean("radian", "RangeSensor", &["yaw_range: 2", "yaw_step: 0.5"]), RangeSensor);
    assert_eq!(sensor.yaw, ScanAngles { min: -1.0, max: 1.0, step: 0.5 });
}

#[test]
fn a_full_circle_in_decimal_degrees_has_all_its_rays() {
    let sensor = data!(device("RangeSensor", &["yaw_range: 360", "yaw_step: 0.4"]), RangeSensor);
    assert_eq!(sensor.yaw.samples(), 901);
}

#[test]
fn the_default_step_of_one_radian_is_kept_and_noted() {
    let (body, findings) = read("degree", "RangeSensor", &[]);
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    assert_eq!((findings[0].severity, findings[0].code), (Severity::Note, "default-step"));
    assert_eq!(findings[0].position().unwrap().line, DEVICE_LINE);
    let sensor = data!(only(body.unwrap()), RangeSensor);
    assert_eq!(sensor, RangeSensor::default());
    assert_angles(sensor.yaw, ScanAngles { min: -FRAC_PI_3, max: FRAC_PI_3, step: 1.0 });
    assert_eq!(sensor.pitch, ScanAngles { min: 0.0, max: 0.0, step: 0.0 });
    assert_eq!((sensor.samples(), sensor.scan_rate), (3, 10.0));
    assert_eq!((sensor.min_distance, sensor.max_distance), (0.1, 10.0));
    assert_eq!((sensor.detection_rate, sensor.error_deviation), (1.0, 0.0));
    finding("RangeSensor", &["yaw_range: 90"], Severity::Note, "default-step", (0, 20));
    let flat = ["yaw_range: 0", "pitch_range: 10"];
    let sensor = finding("RangeSensor", &flat, Severity::Note, "default-step", (1, 22)).unwrap();
    assert_eq!(data!(sensor, RangeSensor).samples(), 1);
}

#[test]
fn a_sensor_of_one_ray_looks_straight_ahead() {
    let sensor = data!(device("RangeSensor", &["yaw_range: 0"]), RangeSensor);
    assert_eq!((sensor.samples(), sensor.yaw.angle(0), sensor.pitch.angle(0)), (1, 0.0, 0.0));
    let sensor = data!(device("RangeSensor", &["yaw_samples: 1"]), RangeSensor);
    assert_eq!((sensor.samples(), sensor.yaw.angle(0)), (1, 0.0));
}

#[test]
fn an_invalid_scan_is_reported() {
    let sensor = |keys: &[&str], severity, code, place| finding("RangeSensor", keys, severity, code, place);
    let step = "yaw_step: 1";
    sensor(&["yaw_range: -10", step], Severity::Warning, "out-of-range", (0, 20));
    sensor(&[step, "min_yaw_angle: 20", "max_yaw_angle: 10"], Severity::Warning, "empty-range", (2, 24));
    sensor(&[step, "min_distance: 5", "max_distance: 5"], Severity::Warning, "empty-range", (2, 23));
    sensor(&[step, "min_distance: 50"], Severity::Warning, "empty-range", (1, 23));
    sensor(&[step, "pitch_step: fine"], Severity::Warning, "not-a-number", (1, 21));

    let kept = sensor(&["yaw_range: 361", step], Severity::Warning, "out-of-range", (0, 20)).unwrap();
    assert_eq!(data!(kept, RangeSensor).yaw.samples(), 362);
    sensor(&[step, "pitch_range: 172", "pitch_step: 2"], Severity::Warning, "out-of-range", (1, 22));
    sensor(&["yaw_samples: 0", step], Severity::Warning, "out-of-range", (0, 22));
    sensor(&["yaw_samples: 3", step], Severity::Warning, "same-key-twice", (0, 22));
    sensor(&["min_yaw_angle: -20", step], Severity::Warning, "half-a-range", (0, 24));
    sensor(&["scan_rate: 0", step], Severity::Warning, "out-of-range", (0, 20));
    sensor(&["scan_rate: 5", "frame_rate: 6", step], Severity::Warning, "same-key-twice", (0, 20));
    sensor(&["detection_rate: 1.5", step], Severity::Warning, "out-of-range", (0, 25));
    sensor(&["error_deviation: -1", step], Severity::Warning, "out-of-range", (0, 26));
    let both = ["yaw_range: 5", "min_yaw_angle: -20", "max_yaw_angle: 10", step];
    let kept = sensor(&both, Severity::Warning, "same-key-twice", (0, 20)).unwrap();
    assert_eq!(data!(kept, RangeSensor).yaw.samples(), 31);

    sensor(&["yaw_range: 10", "yaw_step: 3"], Severity::Note, "uneven-step", (1, 19));
    sensor(&["yaw_range: 10", "yaw_step: 0"], Severity::Note, "uneven-step", (1, 19));
}

#[test]
fn a_scan_of_too_many_rays_has_the_default_angles() {
    for step in ["yaw_step: 0.000001", "yaw_step: 1e-320", "yaw_samples: 1e300"] {
        let (body, findings) = read("degree", "RangeSensor", &[step, "pitch_range: 170", "pitch_step: 1e-300"]);
        assert_eq!(data!(only(body.unwrap()), RangeSensor).samples(), 3);
        let found = findings.iter().find(|finding| finding.code == "limit-rays").unwrap();
        assert_eq!((found.severity, found.position().unwrap().line), (Severity::Warning, DEVICE_LINE));
    }
}

#[test]
fn a_negative_step_is_ignored() {
    let (body, findings) = read("degree", "RangeSensor", &["yaw_step: -1"]);
    let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["out-of-range", "default-step"]);
    assert_eq!(data!(only(body.unwrap()), RangeSensor).yaw.step, 1.0);
}
