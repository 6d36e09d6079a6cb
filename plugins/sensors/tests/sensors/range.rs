//! Range sensors compared with closed formulas.

use bunraku_body::{OpticalFrame, RangeSensor, ScanAngles};
use bunraku_render::{Scene, Threads};
use bunraku_sensors::{Random, Scanner, SensorError};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::common::{place, shape, wall};
use bunraku_mesh::Primitive;

fn sensor(yaw: (f64, f64), pitch: (f64, f64)) -> RangeSensor {
    RangeSensor {
        yaw: ScanAngles::centered(yaw.0.to_radians(), yaw.1.to_radians()),
        pitch: ScanAngles::centered(pitch.0.to_radians(), pitch.1.to_radians()),
        max_distance: 1000.0,
        ..RangeSensor::default()
    }
}

fn scan(sensor: &RangeSensor, scene: &Scene, pose: Isometry3<f64>) -> Vec<f64> {
    let scanner = Scanner::new(sensor, Isometry3::identity()).unwrap();
    scanner.scan(scene, &pose, || Random::of_sample(1, 0), Threads::ONE).distances
}

#[test]
fn counts_and_order_are_those_of_the_manual() {
    for (yaw, pitch, rays) in
        [((360.0, 0.4), (30.0, 2.0), 901 * 16), ((120.0, 10.0), (0.0, 0.0), 13), ((0.0, 0.0), (0.0, 0.0), 1)]
    {
        let scanner = Scanner::new(&sensor(yaw, pitch), Isometry3::identity()).unwrap();
        assert_eq!(scanner.directions().len(), rays);
    }
    // Yaw first, then pitch, both ascending; positive yaw is left (−X), positive pitch up (+Y); ahead is −Z.
    let scanner = Scanner::new(&sensor((180.0, 90.0), (90.0, 45.0)), Isometry3::identity()).unwrap();
    let h = 0.5_f64.sqrt();
    let expected = [
        [h, -h, 0.0],
        [0.0, -h, -h],
        [-h, -h, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, -1.0],
        [-1.0, 0.0, 0.0],
        [h, h, 0.0],
        [0.0, h, -h],
        [-h, h, 0.0],
    ];
    for (found, expected) in scanner.directions().iter().zip(expected) {
        assert!((found.into_inner() - Vector3::from(expected)).norm() < 1e-12, "{found:?} {expected:?}");
    }
}

#[test]
fn distances_to_walls_are_those_of_the_formula() {
    // The sensor looks along world X; walls 3 m ahead and 20 m behind, floor 1.5 m below.
    let scene = Scene::new([wall(Vector3::x(), 3.0), wall(-Vector3::x(), 20.0), wall(-Vector3::z(), 1.5)]);
    let mut lidar = sensor((360.0, 1.0), (30.0, 2.0));
    lidar.optical_rotation = OpticalFrame::Robotics.rotation();
    let scanner = Scanner::new(&lidar, Isometry3::identity()).unwrap();
    let distances = scan(&lidar, &scene, Isometry3::identity());
    for (index, distance) in distances.iter().enumerate() {
        let (yaw, pitch) = (lidar.yaw.angle(index % 361), lidar.pitch.angle(index / 361));
        let ahead = yaw.cos() * pitch.cos();
        let plane = |distance: f64, share: f64| if share > 1e-9 { distance / share } else { f64::INFINITY };
        let expected = plane(3.0, ahead).min(plane(20.0, -ahead)).min(plane(1.5, -pitch.sin()));
        if expected < 400.0 {
            assert!((distance - expected).abs() < 1e-4, "{yaw} {pitch}: {distance} instead of {expected}");
        }
    }
    assert_eq!(scanner.directions().len(), distances.len());
}

#[test]
fn rays_without_a_hit_are_infinite_and_near_surfaces_are_ignored() {
    let scene = Scene::new([
        wall(-Vector3::z(), 4.0),
        place(&[shape(Primitive::Box { size: Vector3::repeat(0.1) }, 0)], Isometry3::translation(0.0, 0.0, -0.5)),
    ]);
    let with = |min_distance: f64, max_distance: f64| {
        let sensor = RangeSensor { min_distance, max_distance, ..sensor((0.0, 0.0), (0.0, 0.0)) };
        scan(&sensor, &scene, Isometry3::identity())[0]
    };
    assert!((with(0.1, 10.0) - 0.45).abs() < 1e-9);
    assert!((with(0.5, 10.0) - 4.0).abs() < 1e-9);
    assert_eq!(with(0.5, 3.9), f64::INFINITY);
}

#[test]
fn lost_rays_and_errors_are_as_frequent_and_as_large_as_stated_and_repeat() {
    let scene = Scene::new([wall(-Vector3::z(), 5.0)]);
    let sensor = RangeSensor { detection_rate: 0.9, error_deviation: 0.01, ..sensor((40.0, 0.1), (20.0, 0.1)) };
    let scanner = Scanner::new(&sensor, Isometry3::identity()).unwrap();
    let scan = |sample: u64, threads: usize| {
        scanner.scan(&scene, &Isometry3::identity(), || Random::of_sample(4, sample), Threads::new(threads)).distances
    };
    let found = scan(0, 1);
    assert_eq!(found, scan(0, 3));
    assert_ne!(found, scan(1, 1));
    let exact: Vec<f64> = scanner.directions().iter().map(|direction| -5.0 / direction.z).collect();
    let errors: Vec<f64> =
        found.iter().zip(&exact).filter(|(found, _)| found.is_finite()).map(|(found, exact)| found - exact).collect();
    let share = errors.len() as f64 / found.len() as f64;
    assert!((share - 0.9).abs() < 0.005, "{share}");
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
    assert!(mean.abs() < 1e-4 && (deviation - 0.01).abs() < 1e-4, "{mean} {deviation}");
}

#[test]
fn errors_do_not_move_readings_out_of_the_measurable_distances() {
    // Each is a deviation of 0.1 m away from a limit.
    let scan = |distance: f64, min_distance: f64, max_distance: f64| {
        let scene = Scene::new([wall(-Vector3::z(), distance)]);
        let plain = sensor((0.1, 1e-5), (0.1, 1e-3));
        let sensor = RangeSensor { error_deviation: 0.1, min_distance, max_distance, ..plain };
        let scanner = Scanner::new(&sensor, Isometry3::identity()).unwrap();
        scanner.scan(&scene, &Isometry3::identity(), || Random::of_sample(1, 0), Threads::ONE).distances
    };
    for (distance, min, max) in [(4.9, 0.0, 5.0), (0.6, 0.5, 5.0), (0.1, 0.0, 5.0)] {
        let found = scan(distance, min, max);
        let measured: Vec<f64> = found.iter().copied().filter(|distance| distance.is_finite()).collect();
        assert!(measured.iter().all(|found| (min..=max).contains(found)), "{distance}");
        // One side of the normal distribution beyond its deviation.
        let lost = 1.0 - measured.len() as f64 / found.len() as f64;
        assert!((lost - 0.1587).abs() < 0.01, "{distance}: {lost}");
        assert!(!measured.contains(&0.0));
    }
}

#[test]
fn the_scan_is_taken_where_the_device_is() {
    let scene = Scene::new([wall(Vector3::y(), 7.0)]);
    // On a link 1 m along Y that is rotated by 90° about Z, with the sensor 0.5 m ahead of it looking along link X.
    let link = Isometry3::from_parts(
        Vector3::new(0.0, 1.0, 0.0).into(),
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2),
    );
    let mounting = Isometry3::translation(0.5, 0.0, 0.0) * OpticalFrame::Robotics.rotation();
    let scanner = Scanner::new(&sensor((0.0, 0.0), (0.0, 0.0)), mounting).unwrap();
    let found = scanner.scan(&scene, &link, || Random::of_sample(0, 0), Threads::ONE);
    assert!((found.distances[0] - 5.5).abs() < 1e-9, "{found:?}");
    let point = scanner.pose(&link) * nalgebra::Point3::from(scanner.points(&found)[0]);
    assert!((point - nalgebra::Point3::new(0.0, 7.0, 0.0)).norm() < 1e-9);
}

#[test]
fn invalid_sensors_are_refused_and_a_million_beams_are_not() {
    let error = |sensor: RangeSensor| Scanner::new(&sensor, Isometry3::identity()).unwrap_err();
    let plain = || sensor((10.0, 1.0), (0.0, 0.0));
    let huge = error(sensor((360.0, 1e-4), (170.0, 1e-4)));
    assert!(matches!(huge, SensorError::TooManyRays { .. }));
    assert!(huge.to_string().contains("at most 16777216"), "{huge}");
    let negative = RangeSensor { yaw: ScanAngles { min: 1.0, max: -1.0, step: 0.1 }, ..plain() };
    assert!(matches!(error(negative), SensorError::Angles { axis: "yaw", .. }));
    let step = RangeSensor { pitch: ScanAngles { min: 0.0, max: 1.0, step: f64::NAN }, ..plain() };
    assert!(matches!(error(step), SensorError::Angles { axis: "pitch", .. }));
    for (min_distance, max_distance) in [(-1.0, 10.0), (5.0, 2.0), (f64::NAN, 1.0)] {
        let backwards = RangeSensor { min_distance, max_distance, ..plain() };
        assert!(matches!(error(backwards), SensorError::Distances { .. }));
    }
    assert!(matches!(error(RangeSensor { detection_rate: 1.5, ..plain() }), SensorError::DetectionRate(_)));
    assert!(matches!(error(RangeSensor { error_deviation: -0.1, ..plain() }), SensorError::ErrorDeviation(_)));

    let million = Scanner::new(&sensor((100.0, 0.1), (100.0, 0.1)), Isometry3::identity()).unwrap();
    let found = million.scan(
        &Scene::new([wall(-Vector3::z(), 2.0)]),
        &Isometry3::identity(),
        || Random::of_sample(0, 0),
        Threads::available(),
    );
    assert_eq!((found.yaw_samples, found.pitch_samples, found.distances.len()), (1001, 1001, 1001 * 1001));
    assert!(found.distances.iter().all(|distance| distance.is_finite()));
}
