//! Cameras compared with closed formulas.

use bunraku_body::{Camera, CameraView, LensType, OpticalFrame, RangeCamera, RangeFormat};
use bunraku_mesh::Primitive;
use bunraku_render::{Lens, Lighting, Scene, Threads, View, ViewError};
use bunraku_sensors::{CameraModel, CameraReading, Random, SensorError};
use nalgebra::{Isometry3, Vector3};

use crate::common::{place, shape, wall};

fn view(width: u32, height: u32) -> CameraView {
    CameraView { width, height, field_of_view: 1.0, ..CameraView::default() }
}

fn range_camera(format: RangeFormat, view: CameraView) -> RangeCamera {
    RangeCamera { view, ..RangeCamera::new(format) }
}

fn take(camera: &CameraModel, scene: &Scene) -> CameraReading {
    let random = || Random::of_sample(3, 0);
    camera.take(scene, &Isometry3::identity(), &Lighting::default(), random, Threads::ONE).unwrap()
}

#[test]
fn depth_of_a_plane_and_of_a_sphere_are_those_of_the_formula() {
    let camera =
        CameraModel::of_range_camera(&range_camera(RangeFormat::Depth, view(64, 48)), Isometry3::identity()).unwrap();
    let plane = take(&camera, &Scene::new([wall(-Vector3::z(), 3.0)]));
    assert_eq!((plane.depths.len(), plane.points.len(), plane.colors.len()), (64 * 48, 64 * 48, 0));
    assert!(plane.depths.iter().all(|depth| (depth - 3.0).abs() < 1e-5));

    // A ball of 0.5 m around a point 2 m ahead, divided so finely that it deviates from a sphere by a few µm.
    let ball = shape(Primitive::Sphere { radius: 0.5 }, 1000);
    let found = take(&camera, &Scene::new([place(&[ball], Isometry3::translation(0.0, 0.0, -2.0))]));
    let (mut met, mut missed) = (0, 0);
    for (index, &depth) in found.depths.iter().enumerate() {
        let direction = camera.view().pixel_direction(index).unwrap();
        let center = Vector3::new(0.0, 0.0, -2.0);
        let along = direction.dot(&center);
        let below = along * along - (center.norm_squared() - 0.25);
        if below > 1e-3 {
            let expected = -direction.z * (along - below.sqrt());
            assert!((f64::from(depth) - expected).abs() < 1e-4, "{index}: {depth} instead of {expected}");
            met += 1;
        } else if below < -1e-3 {
            assert_eq!(depth, f32::INFINITY);
            assert!(found.points[index].iter().all(|value| value.is_nan()));
            missed += 1;
        }
    }
    assert!(met > 300 && missed > 1000, "{met} {missed}");
}

/// Choreonoid ignores these keys, and so did we.
#[test]
fn range_cameras_measure_nothing_beyond_their_distances() {
    let scene = Scene::new([
        wall(-Vector3::z(), 6.0),
        place(
            &[shape(Primitive::Box { size: Vector3::new(0.2, 9.0, 0.1) }, 0)],
            Isometry3::translation(0.0, 0.0, -1.05),
        ),
    ]);
    let measured = |min_distance: f64, max_distance: f64| {
        let limited = RangeCamera { min_distance, max_distance, ..range_camera(RangeFormat::Depth, view(64, 48)) };
        let reading = take(&CameraModel::of_range_camera(&limited, Isometry3::identity()).unwrap(), &scene);
        let middle = |column: usize| reading.depths[24 * 64 + column];
        (middle(32), middle(4))
    };
    let near = |found: f32, expected: f32| (found - expected).abs() < 1e-4;
    let (bar, back) = measured(0.0, f64::INFINITY);
    assert!(near(bar, 1.0) && near(back, 6.0), "{bar} {back}");
    let (bar, back) = measured(1.5, 50.0);
    assert!(bar == f32::INFINITY && near(back, 6.0), "{bar} {back}");
    let (bar, back) = measured(0.1, 5.0);
    assert!(near(bar, 1.0) && back == f32::INFINITY, "{bar} {back}");
    let backwards =
        RangeCamera { min_distance: 2.0, max_distance: 1.0, ..range_camera(RangeFormat::Depth, view(4, 4)) };
    assert!(matches!(
        CameraModel::of_range_camera(&backwards, Isometry3::identity()),
        Err(SensorError::Distances { .. })
    ));
}

#[test]
fn the_field_of_view_belongs_to_the_shorter_side() {
    for (width, height) in [(640, 480), (480, 640)] {
        let view = View { width, height, lens: Lens::Normal { field_of_view: 1.0 }, near: 0.1, far: 10.0 };
        let (middle, end) = (f64::from(width) / 2.0, f64::from(height) / 2.0);
        let edge = if width > height { view.direction(middle, 0.0) } else { view.direction(0.0, end) }.unwrap();
        assert!(((-edge.z).acos() - 0.5).abs() < 1e-12);
    }
}

#[test]
fn a_cloud_is_in_the_frame_of_the_device_whatever_the_optical_frame() {
    // The optical frame looks along device X; the wall is 2 m along it.
    let mut cloud = range_camera(RangeFormat::PointCloud, view(8, 6));
    cloud.view.optical_frame = OpticalFrame::Robotics;
    cloud.view.optical_rotation = OpticalFrame::Robotics.rotation();
    let camera = CameraModel::of_range_camera(&cloud, Isometry3::identity()).unwrap();
    let found = take(&camera, &Scene::new([wall(Vector3::x(), 2.0)]));
    assert_eq!(found.points.len(), 48);
    assert!(found.points.iter().all(|point| (point.x - 2.0).abs() < 1e-6));
    // The first point is at the upper left: left is +Y, up is +Z.
    let scale = 2.0 * (0.5_f32).tan() / 3.0;
    let expected = Vector3::new(2.0, 3.5 * scale, 2.5 * scale);
    assert!((found.points[0] - expected).norm() < 1e-5, "{} {expected}", found.points[0]);
}

#[test]
fn formats_deliver_the_data_they_name() {
    let ball = shape(Primitive::Sphere { radius: 0.5 }, 20);
    let scene = Scene::new([place(&[ball], Isometry3::translation(0.0, 0.0, -2.0))]);
    let deliver = |format| {
        let camera = range_camera(format, view(32, 24));
        take(&CameraModel::of_range_camera(&camera, Isometry3::identity()).unwrap(), &scene)
    };
    let depth = deliver(RangeFormat::Depth);
    let met = depth.depths.iter().filter(|depth| depth.is_finite()).count();
    assert!(met > 50 && met < 32 * 24);
    let count = |reading: &CameraReading| (reading.colors.len(), reading.points.len(), reading.depths.len());
    assert_eq!(count(&depth), (0, 768, 768));
    assert_eq!(count(&deliver(RangeFormat::ColorDepth)), (768, 768, 768));
    assert_eq!(count(&deliver(RangeFormat::PointCloud)), (0, met, 0));
    let colored = deliver(RangeFormat::ColorPointCloud);
    assert_eq!(count(&colored), (met, met, 0));
    assert!(colored.colors.iter().all(|color| color[0] > 50), "points without light");
    let camera = Camera { view: view(32, 24), lens: LensType::Normal };
    assert_eq!(count(&take(&CameraModel::of_camera(&camera, Isometry3::identity()).unwrap(), &scene)), (768, 0, 0));
}

#[test]
fn clipping_planes_cut_along_the_axis() {
    let scene = Scene::new([wall(-Vector3::z(), 3.0)]);
    for (near, far, seen) in [(0.04, 3.001, true), (0.04, 2.999, false), (3.001, 10.0, false)] {
        let mut camera = range_camera(RangeFormat::Depth, view(16, 12));
        (camera.view.near_clip_distance, camera.view.far_clip_distance) = (near, far);
        let found = take(&CameraModel::of_range_camera(&camera, Isometry3::identity()).unwrap(), &scene);
        assert!(found.depths.iter().all(|depth| depth.is_finite() == seen), "{near} {far}");
    }
}

#[test]
fn a_fisheyes_radius_is_proportional_to_the_angle() {
    let camera = Camera {
        view: CameraView { width: 400, height: 17, field_of_view: std::f64::consts::PI, ..CameraView::default() },
        lens: LensType::Fisheye,
    };
    let camera = CameraModel::of_camera(&camera, Isometry3::identity()).unwrap();
    let view = camera.view();
    assert_eq!((view.width, view.height), (400, 400));
    for (radius, angle) in [(0.0, 0.0_f64), (100.0, 45.0), (200.0, 90.0)] {
        let angle = angle.to_radians();
        let right = view.direction(200.0 + radius, 200.0).unwrap();
        assert!((right.into_inner() - Vector3::new(angle.sin(), 0.0, -angle.cos())).norm() < 1e-12);
        let up = view.direction(200.0, 200.0 - radius).unwrap();
        assert!((up.into_inner() - Vector3::new(0.0, angle.sin(), -angle.cos())).norm() < 1e-12);
    }
    assert_eq!(view.direction(5.0, 5.0), None);
}

#[test]
fn a_dual_fisheye_shows_the_front_at_the_left_and_the_back_at_the_right_with_below_between() {
    let camera =
        Camera { view: CameraView { width: 720, height: 480, ..CameraView::default() }, lens: LensType::DualFisheye };
    let camera = CameraModel::of_camera(&camera, Isometry3::identity()).unwrap();
    let view = camera.view();
    assert_eq!((view.width, view.height), (720, 360));
    let looks = |x: f64, y: f64| view.direction(x, y).unwrap().into_inner();
    for (x, y, expected) in [
        (180.0, 180.0, -Vector3::z()),
        (540.0, 180.0, Vector3::z()),
        (359.999, 180.0, -Vector3::y()),
        (360.001, 180.0, -Vector3::y()),
        (180.0, 0.001, Vector3::x()),
        (540.0, 359.999, -Vector3::x()),
    ] {
        assert!((looks(x, y) - expected).norm() < 1e-4, "{x} {y}: {}", looks(x, y));
    }
}

#[test]
fn lost_pixels_and_errors_along_the_ray_are_as_stated() {
    let mut camera = range_camera(RangeFormat::Depth, view(160, 120));
    (camera.detection_rate, camera.error_deviation) = (0.8, 0.02);
    let camera = CameraModel::of_range_camera(&camera, Isometry3::identity()).unwrap();
    let found = take(&camera, &Scene::new([wall(-Vector3::z(), 3.0)]));
    let errors: Vec<f64> = found
        .depths
        .iter()
        .enumerate()
        .filter(|(_, depth)| depth.is_finite())
        .map(|(index, &depth)| (f64::from(depth) - 3.0) / -camera.view().pixel_direction(index).unwrap().z)
        .collect();
    let share = errors.len() as f64 / found.depths.len() as f64;
    let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
    assert!((share - 0.8).abs() < 0.015 && (deviation - 0.02).abs() < 0.001, "{share} {deviation}");
}

#[test]
fn impossible_cameras_are_refused() {
    let error = |view: CameraView| {
        CameraModel::of_camera(&Camera { view, lens: LensType::Normal }, Isometry3::identity()).unwrap_err()
    };
    for (width, height) in [(0, 480), (640, 0), (u32::MAX, u32::MAX)] {
        let found = error(view(width, height));
        assert_eq!(found, SensorError::View(ViewError::Size { width, height }));
        assert!(found.to_string().contains(&format!("{width}×{height} pixels")), "{found}");
    }
    for field_of_view in [0.0, -1.0, 4.0, f64::NAN] {
        let found = error(CameraView { field_of_view, ..view(4, 4) });
        assert!(matches!(found, SensorError::View(ViewError::FieldOfView(_))));
    }
    for (near_clip_distance, far_clip_distance) in [(-1.0, 10.0), (5.0, 1.0), (0.1, f64::NAN)] {
        let found = error(CameraView { near_clip_distance, far_clip_distance, ..view(4, 4) });
        assert!(matches!(found, SensorError::View(ViewError::Clipping { .. })));
    }
}
