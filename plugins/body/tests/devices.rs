//! Devices: every key of the manual and of the original reaches the device, in SI units.
// A test that cannot go on should say so loudly.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, PI};

use bunraku_body::{
    Attachment, Attenuation, Body, Camera, CameraView, Conveyor, ConveyorMotion, Device, DeviceKind, DigitalIo,
    ForceSensor, HoldCondition, Holder, Imu, LensType, Marker, MarkerShape, OpticalFrame, PointLight, Property,
    RangeCamera, RangeFormat, RangeSensor, ScanAngles, SpotLight,
};
use bunraku_document::{Diagnostic, Severity};
use common::{assert_all_close, assert_close, list, read_text};
use nalgebra::{Isometry3, Matrix3, Translation3, Unit, UnitQuaternion, Vector3};

/// Where the keys of the device begin in [`model`].
const DEVICE_LINE: u32 = 7;

/// A model of format 1.0 with one device; `keys` stand one a line.
fn model(unit: &str, word: &str, keys: &[&str]) -> String {
    let keys: String = keys.iter().map(|key| format!("        {key}\n")).collect();
    format!(
        "format: ChoreonoidBody\nformat_version: 1.0\nangle_unit: {unit}\nlinks:\n  - name: BASE\n    elements:\n      - type: {word}\n{keys}"
    )
}

fn read(unit: &str, word: &str, keys: &[&str]) -> (Option<Body>, Vec<Diagnostic>) {
    read_text(&model(unit, word, keys))
}

/// The device of a file in degrees that has nothing to complain about.
#[track_caller]
fn device(word: &str, keys: &[&str]) -> Device {
    clean("degree", word, keys)
}

#[track_caller]
fn clean(unit: &str, word: &str, keys: &[&str]) -> Device {
    let (body, findings) = read(unit, word, keys);
    assert!(findings.is_empty(), "{}", list(&findings));
    only(body.unwrap())
}

#[track_caller]
fn only(mut body: Body) -> Device {
    assert_eq!(body.devices.len(), 1);
    body.devices.remove(0)
}

/// Asserts that a device in a file in degrees has one finding, at a key (counted from 0) and column.
#[track_caller]
fn finding(word: &str, keys: &[&str], severity: Severity, code: &str, place: (u32, u32)) -> Option<Device> {
    let (body, findings) = read("degree", word, keys);
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    let finding = &findings[0];
    assert_eq!((finding.severity, finding.code), (severity, code), "{finding}");
    let found = finding.position().unwrap();
    assert_eq!((found.line, found.column), (DEVICE_LINE + 1 + place.0, place.1), "{finding}");
    assert_eq!(body.is_none(), severity == Severity::Error);
    body.map(only)
}

/// The data of a kind of device.
macro_rules! data {
    ($device:expr, $kind:ident) => {
        match $device.kind {
            DeviceKind::$kind(data) => data,
            other => panic!("{other:?}"),
        }
    };
}

fn vector(x: f64, y: f64, z: f64) -> Vector3<f64> {
    Vector3::new(x, y, z)
}

#[track_caller]
fn assert_same_rotation(found: UnitQuaternion<f64>, expected: UnitQuaternion<f64>) {
    assert!(found.angle_to(&expected) < 1e-7, "{found} {expected}");
}

// --- sensors of motion and force

#[test]
fn limits_of_sensors_are_read_under_both_spellings() {
    for key in ["max_acceleration", "maxAcceleration"] {
        let sensor = data!(device("AccelerationSensor", &[&format!("{key}: [ 1, 2, 3 ]")]), AccelerationSensor);
        assert_eq!(sensor.max_acceleration, Some(vector(1.0, 2.0, 3.0)));
    }
    for (force, torque) in [("max_force", "max_torque"), ("maxForce", "maxTorque")] {
        let keys = [format!("{force}: [ 1, 2, 3 ]"), format!("{torque}: [ 4, 5, 6 ]")];
        let sensor = data!(device("ForceSensor", &[&keys[0], &keys[1]]), ForceSensor);
        let expected = ForceSensor { max_force: Some(vector(1.0, 2.0, 3.0)), max_torque: Some(vector(4.0, 5.0, 6.0)) };
        assert_eq!(sensor, expected);
    }
}

#[test]
fn an_angular_velocity_is_in_radian_per_second_in_all_files() {
    for key in ["max_angular_velocity", "maxAngularVelocity"] {
        let line = format!("{key}: [ 1, 2, 3 ]");
        let sensor = data!(clean("radian", "RateGyroSensor", &[&line]), RateGyroSensor);
        assert_eq!(sensor.max_angular_velocity, Some(vector(1.0, 2.0, 3.0)));
        let column = 11 + u32::try_from(key.len()).unwrap();
        let noted = finding("RateGyroSensor", &[&line], Severity::Note, "angular-velocity-unit", (0, column)).unwrap();
        assert_eq!(data!(noted, RateGyroSensor), sensor);
    }
}

#[test]
fn both_spellings_of_an_imu_have_both_limits() {
    let keys = ["max_acceleration: [ 1, 2, 3 ]", "max_angular_velocity: [ 4, 5, 6 ]"];
    let expected =
        Imu { max_acceleration: Some(vector(1.0, 2.0, 3.0)), max_angular_velocity: Some(vector(4.0, 5.0, 6.0)) };
    for word in ["Imu", "IMU"] {
        assert_eq!(data!(clean("radian", word, &keys), Imu), expected);
    }
}

#[test]
fn sensors_without_limits_are_unlimited() {
    assert_eq!(data!(device("AccelerationSensor", &[]), AccelerationSensor).max_acceleration, None);
    assert_eq!(data!(device("RateGyroSensor", &[]), RateGyroSensor).max_angular_velocity, None);
    assert_eq!(data!(device("IMU", &[]), Imu), Imu { max_acceleration: None, max_angular_velocity: None });
    assert_eq!(data!(device("ForceSensor", &[]), ForceSensor), ForceSensor { max_force: None, max_torque: None });
}

#[test]
fn a_limit_that_is_none_is_found() {
    let word = "ForceSensor";
    let sensor = finding(word, &["max_force: [ 1, -1, 1 ]"], Severity::Warning, "out-of-range", (0, 20)).unwrap();
    assert_eq!(data!(sensor, ForceSensor).max_force, None);
    finding(word, &["id: 1", "max_torque: 5"], Severity::Error, "wrong-type", (1, 21));
    finding(word, &["max_torque: [ 1, 2 ]"], Severity::Error, "wrong-length", (0, 21));
    finding(word, &["max_torque: [ 1, 2, x ]"], Severity::Error, "not-a-number", (0, 29));
}

// --- cameras

const CAMERA: [&str; 10] = [
    "format: COLOR",
    "lens_type: NORMAL",
    "on: false",
    "width: 320",
    "height: 200",
    "field_of_view: 60",
    "near_clip_distance: 0.5",
    "far_clip_distance: 50",
    "frame_rate: 15",
    "optical_frame: cv",
];

fn camera_view() -> CameraView {
    CameraView {
        width: 320,
        height: 200,
        field_of_view: FRAC_PI_3,
        near_clip_distance: 0.5,
        far_clip_distance: 50.0,
        frame_rate: 15.0,
        optical_frame: OpticalFrame::Cv,
        optical_rotation: OpticalFrame::Cv.rotation(),
    }
}

/// With the angle exactly as expected, so that the rest can be compared.
#[track_caller]
fn level(mut view: CameraView, angle: f64) -> CameraView {
    assert_close(view.field_of_view, angle);
    view.field_of_view = angle;
    view
}

#[test]
fn a_camera_has_all_its_keys() {
    let camera = device("Camera", &CAMERA);
    assert!(!camera.enabled);
    let camera = data!(camera, Camera);
    assert_eq!(camera.lens, LensType::Normal);
    assert_eq!(level(camera.view, FRAC_PI_3), camera_view());
}

#[test]
fn a_camera_of_an_older_file_has_the_same_keys() {
    let older = CAMERA.map(|key| {
        key.replace("lens_type", "lensType")
            .replace("field_of_view", "fieldOfView")
            .replace("near_clip_distance", "nearClipDistance")
            .replace("far_clip_distance", "farClipDistance")
            .replace("frame_rate", "frameRate")
    });
    let older = data!(device("CameraDevice", &older.each_ref().map(String::as_str)), Camera);
    assert_eq!(level(older.view, FRAC_PI_3), camera_view());
}

#[test]
fn a_camera_that_says_little_has_the_defaults() {
    let camera = device("Camera", &["format: COLOR"]);
    assert!(camera.enabled);
    let expected = CameraView {
        width: 640,
        height: 480,
        field_of_view: FRAC_PI_4,
        near_clip_distance: 0.04,
        far_clip_distance: 200.0,
        frame_rate: 30.0,
        optical_frame: OpticalFrame::Gl,
        optical_rotation: UnitQuaternion::identity(),
    };
    assert_eq!(data!(camera, Camera), Camera { view: expected, lens: LensType::Normal });
}

#[test]
fn a_field_of_view_obeys_the_unit_of_the_file() {
    let camera = data!(clean("radian", "Camera", &["format: COLOR", "field_of_view: 0.5"]), Camera);
    assert_eq!(camera.view.field_of_view, 0.5);
}

#[test]
fn a_camera_that_measures_distances_has_keys_of_its_own() {
    let keys = [
        "format: COLOR_DEPTH",
        "width: 10",
        "min_distance: 0.2",
        "max_distance: 5",
        "detection_rate: 0.9",
        "error_deviation: 0.01",
    ];
    let camera = data!(device("Camera", &keys), RangeCamera);
    let expected = RangeCamera {
        view: CameraView { width: 10, ..CameraView::default() },
        format: RangeFormat::ColorDepth,
        min_distance: 0.2,
        max_distance: 5.0,
        detection_rate: 0.9,
        error_deviation: 0.01,
    };
    assert_eq!(camera, expected);
    let default = data!(device("Camera", &["format: DEPTH"]), RangeCamera);
    assert_eq!((default.min_distance, default.max_distance), (0.1, 10.0));
    assert_eq!((default.detection_rate, default.error_deviation), (1.0, 0.0));
}

#[test]
fn the_format_says_whether_there_are_colours_and_a_point_for_each_pixel() {
    for (word, color, organized) in [
        ("DEPTH", false, true),
        ("COLOR_DEPTH", true, true),
        ("POINT_CLOUD", false, false),
        ("COLOR_POINT_CLOUD", true, false),
    ] {
        let format = data!(device("Camera", &[&format!("format: {word}")]), RangeCamera).format;
        assert_eq!((format.has_color(), format.is_organized()), (color, organized), "{word}");
    }
}

#[test]
fn a_fisheye_lens_dictates_the_height() {
    let fisheye = ["format: COLOR", "lens_type: FISHEYE", "width: 300", "field_of_view: 120"];
    let camera = data!(device("Camera", &fisheye), Camera);
    assert_eq!((camera.lens, camera.view.width, camera.view.height), (LensType::Fisheye, 300, 300));
    assert_close(camera.view.field_of_view, 120_f64.to_radians());

    let dual = ["format: COLOR", "lens_type: DUAL_FISHEYE", "width: 720"];
    let camera = data!(device("Camera", &dual), Camera);
    assert_eq!((camera.lens, camera.view.width, camera.view.height), (LensType::DualFisheye, 720, 360));
    assert_close(camera.view.field_of_view, PI);

    let ignored = ["format: COLOR", "lens_type: DUAL_FISHEYE", "width: 720", "height: 480"];
    let camera = finding("Camera", &ignored, Severity::Note, "fisheye-height", (3, 17)).unwrap();
    assert_eq!(data!(camera, Camera).view.height, 360);
    let ignored = ["format: COLOR", "lens_type: DUAL_FISHEYE", "field_of_view: 90"];
    let camera = finding("Camera", &ignored, Severity::Note, "fisheye-angle", (2, 24)).unwrap();
    assert_close(data!(camera, Camera).view.field_of_view, PI);
    let wide = ["format: COLOR", "lens_type: FISHEYE", "field_of_view: 200"];
    let camera = finding("Camera", &wide, Severity::Warning, "fisheye-angle", (2, 24)).unwrap();
    assert_close(data!(camera, Camera).view.field_of_view, PI);
}

#[test]
fn an_optical_frame_takes_the_view_into_the_device_frame() {
    // Right, up and back of the camera in the frame of the device.
    for (word, frame, columns) in [
        ("gl", OpticalFrame::Gl, [Vector3::x(), Vector3::y(), Vector3::z()]),
        ("cv", OpticalFrame::Cv, [Vector3::x(), -Vector3::y(), -Vector3::z()]),
        ("robotics", OpticalFrame::Robotics, [-Vector3::y(), Vector3::z(), -Vector3::x()]),
    ] {
        let view = data!(device("Camera", &["format: COLOR", &format!("optical_frame: {word}")]), Camera).view;
        assert_eq!(view.optical_frame, frame);
        let rotation = view.optical_rotation.to_rotation_matrix();
        assert_all_close(rotation.matrix().iter(), Matrix3::from_columns(&columns).iter().copied());
    }
}

#[test]
fn an_optical_rotation_stands_to_the_right_of_the_optical_frame() {
    let keys = ["format: COLOR", "optical_frame: robotics", "optical_frame_rotation: [ 0, 0, 1, 90 ]"];
    let view = data!(device("Camera", &keys), Camera).view;
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2);
    assert_same_rotation(view.optical_rotation, OpticalFrame::Robotics.rotation() * turn);
    // The Tank's: looks along +X with +Z up, which is what `robotics` means.
    let keys = ["format: COLOR", "optical_frame_rotation: [ [ 1, 0, 0, 90 ], [ 0, 1, 0, -90 ] ]"];
    let view = data!(device("Camera", &keys), Camera).view;
    assert_same_rotation(view.optical_rotation, OpticalFrame::Robotics.rotation());
}

#[test]
fn a_camera_that_cannot_be_is_found() {
    let camera =
        |key: &str, severity, code, column| finding("Camera", &["format: COLOR", key], severity, code, (1, column));
    for (key, column) in [("width: 0", 16), ("width: -5", 16), ("width: 1e9", 16), ("height: 16385", 17)] {
        camera(key, Severity::Error, "out-of-range", column);
    }
    for key in ["field_of_view: 0", "field_of_view: -60", "field_of_view: 180"] {
        camera(key, Severity::Error, "out-of-range", 24);
    }
    camera("far_clip_distance: 0.01", Severity::Error, "empty-range", 28);
    camera("near_clip_distance: 300", Severity::Error, "empty-range", 29);
    camera("optical_frame: ros", Severity::Error, "unknown-word", 24);
    camera("width: wide", Severity::Error, "not-a-number", 16);

    let found = camera("near_clip_distance: -1", Severity::Warning, "out-of-range", 29).unwrap();
    assert_eq!(data!(found, Camera).view.near_clip_distance, 0.04);
    let found = camera("frame_rate: 0", Severity::Warning, "out-of-range", 21).unwrap();
    assert_eq!(data!(found, Camera).view.frame_rate, 30.0);
    let found = camera("lens_type: FISHYE", Severity::Warning, "unknown-word", 20).unwrap();
    assert_eq!(data!(found, Camera).lens, LensType::Normal);
    camera("feild_of_view: 45", Severity::Warning, "unknown-key", 9);
    camera("detection_rate: 0.5", Severity::Warning, "unknown-key", 9);
    let narrow = ["format: COLOR", "lens_type: DUAL_FISHEYE", "width: 1"];
    finding("Camera", &narrow, Severity::Error, "out-of-range", (2, 16));
    let depth = ["format: DEPTH", "lens_type: FISHEYE"];
    finding("Camera", &depth, Severity::Warning, "lens-type", (1, 20));
}

#[test]
fn a_misspelt_word_or_key_is_told_what_was_meant() {
    for (key, help) in [
        ("lens_type: FISHYE", "did you mean `FISHEYE`?"),
        ("lens_type: wide", "it can be NORMAL, FISHEYE, DUAL_FISHEYE"),
        ("feild_of_view: 45", "did you mean `field_of_view`?"),
    ] {
        let (_, findings) = read("degree", "Camera", &["format: COLOR", key]);
        assert_eq!(findings[0].help.as_deref(), Some(help), "{key}");
    }
}

// --- range sensors

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
fn a_scan_that_cannot_be_is_found() {
    let sensor = |keys: &[&str], severity, code, place| finding("RangeSensor", keys, severity, code, place);
    let step = "yaw_step: 1";
    sensor(&["yaw_range: -10", step], Severity::Error, "out-of-range", (0, 20));
    sensor(&[step, "min_yaw_angle: 20", "max_yaw_angle: 10"], Severity::Error, "empty-range", (2, 24));
    sensor(&[step, "min_distance: 5", "max_distance: 5"], Severity::Error, "empty-range", (2, 23));
    sensor(&[step, "min_distance: 50"], Severity::Error, "empty-range", (1, 23));
    sensor(&[step, "pitch_step: fine"], Severity::Error, "not-a-number", (1, 21));

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
fn a_scan_of_endless_rays_is_refused() {
    for step in ["yaw_step: 0.000001", "yaw_step: 1e-320", "yaw_samples: 1e300"] {
        let (body, findings) = read("degree", "RangeSensor", &[step, "pitch_range: 170", "pitch_step: 1e-300"]);
        assert!(body.is_none());
        let found = findings.iter().find(|finding| finding.code == "limit-rays").unwrap();
        assert_eq!((found.severity, found.position().unwrap().line), (Severity::Error, DEVICE_LINE));
    }
}

#[test]
fn a_negative_step_is_ignored() {
    let (body, findings) = read("degree", "RangeSensor", &["yaw_step: -1"]);
    let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["out-of-range", "default-step"]);
    assert_eq!(data!(only(body.unwrap()), RangeSensor).yaw.step, 1.0);
}

// --- lights

#[test]
fn a_spot_light_has_all_its_keys_under_both_spellings() {
    let keys = [
        "on: false",
        "color: [ 0.1, 0.2, 0.3 ]",
        "intensity: 0.5",
        "direction: [ 0, 3, 4 ]",
        "beam_width: 30",
        "cut_off_angle: 60",
        "cut_off_exponent: 2",
        "attenuation: [ 1, 0.5, 0.01 ]",
    ];
    let camel = keys.map(|key| {
        key.replace("beam_width", "beamWidth")
            .replace("cut_off_angle", "cutOffAngle")
            .replace("cut_off_exponent", "cutOffExponent")
    });
    for keys in [keys, camel.each_ref().map(String::as_str)] {
        let light = device("SpotLight", &keys);
        assert!(!light.enabled);
        let light = data!(light, SpotLight);
        assert_eq!((light.color, light.intensity), (vector(0.1, 0.2, 0.3), 0.5));
        assert_all_close(light.direction.iter(), [0.0, 0.6, 0.8]);
        assert_all_close(&[light.beam_width, light.cut_off_angle], [PI / 6.0, FRAC_PI_3]);
        assert_eq!(light.cut_off_exponent, 2.0);
        assert_eq!(light.attenuation, Attenuation { constant: 1.0, linear: 0.5, quadratic: 0.01 });
    }
    let light = data!(clean("radian", "SpotLight", &["beam_width: 0.5", "cut_off_angle: 1.5"]), SpotLight);
    assert_eq!((light.beam_width, light.cut_off_angle), (0.5, 1.5));
}

#[test]
fn a_spot_light_that_says_little_has_the_defaults_of_the_manual() {
    let light = device("SpotLight", &[]);
    assert!(light.enabled);
    let expected = SpotLight {
        color: vector(1.0, 1.0, 1.0),
        intensity: 1.0,
        attenuation: Attenuation { constant: 1.0, linear: 0.0, quadratic: 0.0 },
        direction: Unit::new_unchecked(vector(0.0, 0.0, -1.0)),
        beam_width: FRAC_PI_2,
        cut_off_angle: FRAC_PI_4,
        cut_off_exponent: 1.0,
    };
    assert_eq!(data!(light, SpotLight), expected);
}

#[test]
fn a_point_light_has_all_its_keys() {
    let keys = ["color: [ 0, 1, 0 ]", "intensity: 1.2", "attenuation: [ 0, 1, 2 ]"];
    let expected = PointLight {
        color: vector(0.0, 1.0, 0.0),
        intensity: 1.2,
        attenuation: Attenuation { constant: 0.0, linear: 1.0, quadratic: 2.0 },
    };
    assert_eq!(data!(device("PointLight", &keys), PointLight), expected);
    assert_eq!(data!(device("PointLight", &[]), PointLight), PointLight::default());
}

#[test]
fn a_light_fades_with_the_distance() {
    assert_eq!(Attenuation::default().factor(7.0), 1.0);
    assert_close(Attenuation { constant: 1.0, linear: 0.5, quadratic: 0.25 }.factor(2.0), 1.0 / 3.0);
    assert_eq!(Attenuation { constant: 0.0, linear: 1.0, quadratic: 0.0 }.factor(0.0), 1.0);
}

#[test]
fn a_light_that_cannot_be_is_found() {
    let light = |key: &str, severity, code, column| finding("SpotLight", &[key], severity, code, (0, column));
    light("direction: [ 0, 0, 0 ]", Severity::Error, "zero-axis", 20);
    light("color: red", Severity::Error, "wrong-type", 16);
    let found = light("color: [ 2, 0.5, -1 ]", Severity::Warning, "out-of-range", 16).unwrap();
    assert_eq!(data!(found, SpotLight).color, vector(1.0, 0.5, 0.0));
    let found = light("intensity: -1", Severity::Warning, "out-of-range", 20).unwrap();
    assert_eq!(data!(found, SpotLight).intensity, 1.0);
    light("beam_width: 181", Severity::Warning, "out-of-range", 21);
    light("cut_off_angle: -1", Severity::Warning, "out-of-range", 24);
    light("cut_off_exponent: -1", Severity::Warning, "out-of-range", 27);
    for key in ["attenuation: [ 0, 0, 0 ]", "attenuation: [ 1, -1, 0 ]"] {
        let found = light(key, Severity::Warning, "out-of-range", 22).unwrap();
        assert_eq!(data!(found, SpotLight).attenuation, Attenuation::default());
    }
}

// --- other equipment

#[test]
fn a_holder_has_all_its_keys_and_waits_to_be_switched_on() {
    let keys = [
        "on: true",
        "categories: [ cup, hook ]",
        "hold_condition: name",
        "max_hold_distance: 0.5",
        "hold_target_name: Box",
    ];
    let holder = device("Holder", &keys);
    assert!(holder.enabled);
    let expected = Holder {
        categories: vec!["cup".to_owned(), "hook".to_owned()],
        condition: HoldCondition::Name,
        max_distance: 0.5,
        target: "Box".to_owned(),
    };
    assert_eq!(data!(holder, Holder), expected);
    assert_eq!(data!(device("Holder", &["category: cup"]), Holder).categories, ["cup"]);
    assert_eq!(data!(device("Holder", &["hold_condition: collision"]), Holder).condition, HoldCondition::Collision);

    let holder = device("Holder", &[]);
    assert!(!holder.enabled);
    let holder = data!(holder, Holder);
    assert_eq!((holder.condition, holder.max_distance), (HoldCondition::Distance, 0.1));
    assert!(holder.categories.is_empty() && holder.target.is_empty());
}

#[test]
fn an_attachment_has_a_category() {
    let attachment = device("Attachment", &["category: cup"]);
    assert!(!attachment.enabled);
    assert_eq!(data!(attachment, Attachment), Attachment { category: "cup".to_owned() });
    assert_eq!(data!(device("Attachment", &[]), Attachment).category, "");
}

#[test]
fn a_conveyor_has_all_its_keys() {
    let keys = ["conveyor_type: rotary", "axis: [ 0, 0, -2 ]", "speed: -0.5"];
    let expected =
        Conveyor { motion: ConveyorMotion::Rotary, axis: Unit::new_unchecked(vector(0.0, 0.0, -1.0)), speed: -0.5 };
    assert_eq!(data!(device("Conveyor", &keys), Conveyor), expected);
    let default = data!(device("Conveyor", &[]), Conveyor);
    assert_eq!((default.motion, default.axis, default.speed), (ConveyorMotion::Linear, Vector3::x_axis(), 0.0));
}

fn map(entries: &[(usize, &str)]) -> BTreeMap<usize, String> {
    entries.iter().map(|&(line, text)| (line, text.to_owned())).collect()
}

#[test]
fn signal_lines_have_labels_and_switch_devices() {
    let keys = [
        "num_signal_lines: 4",
        "out_labels: { 0: lamp, 3: horn }",
        "in_labels: { 1: key }",
        "input_to_device_switch_connections: [ [ 0, Cup ], [ 2, Light ] ]",
    ];
    let expected = DigitalIo {
        lines: 4,
        output_labels: map(&[(0, "lamp"), (3, "horn")]),
        input_labels: map(&[(1, "key")]),
        switches: map(&[(0, "Cup"), (2, "Light")]),
    };
    assert_eq!(data!(device("DigitalIO", &keys), DigitalIo), expected);

    let older = ["numSignalLines: 1", "action: { input: { 0: [ device, SuctionCup, on ] } }"];
    let older = data!(device("DigitalIO", &older), DigitalIo);
    assert_eq!((older.lines, older.switches), (1, map(&[(0, "SuctionCup")])));
    assert_eq!(data!(device("DigitalIO", &[]), DigitalIo).lines, 100);
}

#[test]
fn a_marker_has_all_its_keys_under_both_spellings() {
    let keys = [
        "marker_type: axes",
        "size: 0.2",
        "color: [ 0, 0, 1 ]",
        "emission: 0.1",
        "transparency: 0.2",
        "offset_translation: [ 1, 2, 3 ]",
        "offset_rotation: [ 0, 0, 1, 90 ]",
    ];
    let camel = keys.map(|key| {
        key.replace("marker_type", "markerType")
            .replace("offset_translation", "offsetTranslation")
            .replace("offset_rotation", "offsetRotation")
    });
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2);
    let expected = Marker {
        shape: MarkerShape::Axes,
        size: 0.2,
        color: Vector3::z(),
        emission: 0.1,
        transparency: 0.2,
        offset: Isometry3::from_parts(Translation3::new(1.0, 2.0, 3.0), turn),
    };
    for keys in [keys, camel.each_ref().map(String::as_str)] {
        assert_eq!(data!(device("MarkerDevice", &keys), Marker), expected);
    }
    let default = data!(device("MarkerDevice", &[]), Marker);
    assert_eq!((default.shape, default.size, default.color), (MarkerShape::Sphere, 0.01, Vector3::x()));
    assert_eq!((default.emission, default.transparency, default.offset), (0.5, 0.7, Isometry3::identity()));
    assert_eq!(data!(device("MarkerDevice", &["marker_type: cross"]), Marker).shape, MarkerShape::Cross);
}

#[test]
fn equipment_that_cannot_be_is_found() {
    let holder = finding("Holder", &["hold_condition: near"], Severity::Warning, "unknown-word", (0, 25)).unwrap();
    assert_eq!(data!(holder, Holder).condition, HoldCondition::Distance);
    finding("Holder", &["max_hold_distance: -1"], Severity::Warning, "out-of-range", (0, 28));
    finding("Holder", &["hold_condition: name"], Severity::Warning, "no-target", (0, 25));
    finding("Holder", &["categories: [ a ]", "category: b"], Severity::Warning, "same-key-twice", (0, 21));
    finding("Holder", &["categories: { a: b }"], Severity::Error, "wrong-type", (0, 21));
    finding("Conveyor", &["conveyor_type: belt"], Severity::Warning, "unknown-word", (0, 24));
    finding("Conveyor", &["axis: [ 0, 0, 0 ]"], Severity::Error, "zero-axis", (0, 15));
    finding("MarkerDevice", &["marker_type: box"], Severity::Error, "unknown-word", (0, 22));
    finding("MarkerDevice", &["size: 0"], Severity::Warning, "out-of-range", (0, 15));
    finding("MarkerDevice", &["transparency: 2"], Severity::Warning, "out-of-range", (0, 23));
}

#[test]
fn signal_lines_that_cannot_be_are_found() {
    let io = |keys: &[&str], severity, code, place| finding("DigitalIO", keys, severity, code, place);
    io(&["num_signal_lines: -1"], Severity::Error, "out-of-range", (0, 27));
    io(&["num_signal_lines: 1e9"], Severity::Error, "out-of-range", (0, 27));
    io(&["in_labels: { a: b }"], Severity::Error, "not-a-number", (0, 22));
    io(&["in_labels: [ a ]"], Severity::Error, "wrong-type", (0, 20));
    io(&["num_signal_lines: 1", "in_labels: { 1: b }"], Severity::Warning, "no-such-line", (1, 25));
    io(&["input_to_device_switch_connections: [ [ 0 ] ]"], Severity::Error, "wrong-type", (0, 47));
    io(&["input_to_device_switch_connections: [ [ -1, a ] ]"], Severity::Error, "out-of-range", (0, 49));
    io(&["action: { input: { 0: [ device, a, off ] } }"], Severity::Warning, "unknown-action", (0, 31));
    io(&["action: { output: {} }"], Severity::Warning, "unknown-key", (0, 19));
    let both = ["input_to_device_switch_connections: [ [ 0, a ] ]", "action: { input: { 1: [ device, b, on ] } }"];
    let found = io(&both, Severity::Warning, "same-key-twice", (1, 17)).unwrap();
    assert_eq!(data!(found, DigitalIo).switches, map(&[(0, "a")]));
}

// --- all of them

#[test]
fn every_device_has_the_name_of_its_kind() {
    for (word, name) in [
        ("AccelerationSensor", "AccelerationSensor"),
        ("Attachment", "AttachmentDevice"),
        ("Conveyor", "Conveyor"),
        ("DigitalIO", "DigitalIoDevice"),
        ("ForceSensor", "ForceSensor"),
        ("Holder", "HolderDevice"),
        ("IMU", "Imu"),
        ("Imu", "Imu"),
        ("MarkerDevice", "MarkerDevice"),
        ("PointLight", "PointLight"),
        ("RateGyroSensor", "RateGyroSensor"),
        ("SpotLight", "SpotLight"),
        ("ZmpDevice", "ZmpDevice"),
    ] {
        let device = device(word, &["name: N", "id: 3", "on: true"]);
        assert_eq!((device.type_name(), device.name.as_str(), device.id), (name, "N", Some(3)));
        assert!(device.enabled && device.info.is_empty());
    }
    assert_eq!(device("RangeSensor", &["yaw_range: 0"]).type_name(), "RangeSensor");
    assert_eq!(device("ZmpDevice", &[]).kind, DeviceKind::Zmp);
}

#[test]
fn a_device_of_a_plugin_keeps_all_its_keys() {
    let keys = ["name: LiDAR", "scan_rate: 10", "samples: [ 1, 2 ]", "translation: [ 1, 0, 0 ]"];
    let (body, findings) = read("degree", "LivoxMid360", &keys);
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["unknown-device"]);
    let device = only(body.unwrap());
    assert_eq!((&device.kind, device.type_name()), (&DeviceKind::Other("LivoxMid360".to_owned()), "LivoxMid360"));
    assert_eq!(device.name, "LiDAR");
    let text = |text: &str| Property::Text(text.to_owned());
    let expected =
        vec![("scan_rate".to_owned(), text("10")), ("samples".to_owned(), Property::List(vec![text("1"), text("2")]))];
    assert_eq!(device.info, expected);
}

#[test]
fn a_key_nobody_knows_is_a_warning_and_kept() {
    let sensor = finding("ForceSensor", &["filter: 5"], Severity::Warning, "unknown-key", (0, 9)).unwrap();
    assert_eq!(sensor.property("filter"), Some(&Property::Text("5".to_owned())));
}
