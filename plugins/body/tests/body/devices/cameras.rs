//! Cameras.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, PI};

use bunraku_body::{Camera, CameraView, LensType, OpticalFrame, RangeCamera, RangeFormat};
use bunraku_document::Severity;
use bunraku_test_support::{assert_all_close, assert_close};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::devices::{assert_same_rotation, clean, data, device, finding, read};

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

/// The view with the expected angle, so that the other fields can be compared exactly.
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
fn a_camera_without_keys_has_the_defaults() {
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
fn a_range_camera_has_additional_keys() {
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
    assert_eq!((default.min_distance, default.max_distance), (0.0, f64::INFINITY));
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
fn a_fisheye_lens_determines_the_height() {
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
}

#[test]
fn a_fisheye_lens_shows_up_to_a_full_turn() {
    let wide = |degrees: &str| {
        ["format: COLOR".to_owned(), "lens_type: FISHEYE".to_owned(), format!("field_of_view: {degrees}")]
    };
    for degrees in [200.0_f64, 288.0, 360.0] {
        let keys = wide(&degrees.to_string());
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let camera = finding("Camera", &keys, Severity::Note, "fisheye-angle", (2, 24)).unwrap();
        assert_close(data!(camera, Camera).view.field_of_view, degrees.to_radians());
    }
    let keys = wide("361");
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    finding("Camera", &keys, Severity::Warning, "out-of-range", (2, 24));
}

#[test]
fn an_optical_frame_takes_the_view_into_the_device_frame() {
    // Right, up and back of the camera in the device frame.
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
    // The Tank's camera looks along +X with +Z up, like `robotics`.
    let keys = ["format: COLOR", "optical_frame_rotation: [ [ 1, 0, 0, 90 ], [ 0, 1, 0, -90 ] ]"];
    let view = data!(device("Camera", &keys), Camera).view;
    assert_same_rotation(view.optical_rotation, OpticalFrame::Robotics.rotation());
}

#[test]
fn an_invalid_camera_is_reported() {
    let camera =
        |key: &str, severity, code, column| finding("Camera", &["format: COLOR", key], severity, code, (1, column));
    for (key, column) in [("width: 0", 16), ("width: -5", 16), ("width: 1e9", 16), ("height: 16385", 17)] {
        camera(key, Severity::Warning, "out-of-range", column);
    }
    for key in ["field_of_view: 0", "field_of_view: -60", "field_of_view: 180"] {
        camera(key, Severity::Warning, "out-of-range", 24);
    }
    camera("far_clip_distance: 0.01", Severity::Warning, "empty-range", 28);
    camera("near_clip_distance: 300", Severity::Warning, "empty-range", 29);
    camera("optical_frame: ros", Severity::Warning, "unknown-word", 24);
    camera("width: wide", Severity::Warning, "not-a-number", 16);

    let found = camera("near_clip_distance: -1", Severity::Warning, "out-of-range", 29).unwrap();
    assert_eq!(data!(found, Camera).view.near_clip_distance, 0.04);
    let found = camera("frame_rate: 0", Severity::Warning, "out-of-range", 21).unwrap();
    assert_eq!(data!(found, Camera).view.frame_rate, 30.0);
    let found = camera("lens_type: FISHYE", Severity::Warning, "unknown-word", 20).unwrap();
    assert_eq!(data!(found, Camera).lens, LensType::Normal);
    camera("feild_of_view: 45", Severity::Warning, "unknown-key", 9);
    camera("detection_rate: 0.5", Severity::Warning, "unknown-key", 9);
    let narrow = ["format: COLOR", "lens_type: DUAL_FISHEYE", "width: 1"];
    finding("Camera", &narrow, Severity::Warning, "out-of-range", (2, 16));
    let depth = ["format: DEPTH", "lens_type: FISHEYE"];
    finding("Camera", &depth, Severity::Warning, "lens-type", (1, 20));
}

#[test]
fn a_misspelt_word_or_key_gets_a_suggestion() {
    for (key, help) in [
        ("lens_type: FISHYE", "did you mean `FISHEYE`?"),
        ("lens_type: wide", "it can be NORMAL, FISHEYE, DUAL_FISHEYE"),
        ("feild_of_view: 45", "did you mean `field_of_view`?"),
    ] {
        let (_, findings) = read("degree", "Camera", &["format: COLOR", key]);
        assert_eq!(findings[0].help.as_deref(), Some(help), "{key}");
    }
}
