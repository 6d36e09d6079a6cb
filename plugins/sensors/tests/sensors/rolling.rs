//! Rolling scans compared with closed formulas and with scans at an instant.

use std::f64::consts::TAU;
use std::sync::Arc;

use bunraku_body::{OpticalFrame, RangeSensor, ScanAngles};
use bunraku_document::{Reporter, SourceFile};
use bunraku_mesh::Primitive;
use bunraku_render::{InstanceIndex, Motion, Scene, Threads};
use bunraku_sensors::{Carried, Random, RollingScan, Scan, ScanOptions, ScanPattern, Scanner, SensorError};
use bunraku_test_support::Random as Numbers;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::common::{place, shape, wall};

const RATE: f64 = 10.0;

/// Looks along +X with +Z up.
fn sensor(rows: usize) -> RangeSensor {
    RangeSensor {
        yaw: ScanAngles::centered(TAU, 0.4_f64.to_radians()),
        pitch: ScanAngles::centered(
            (rows - 1) as f64 * 2_f64.to_radians(),
            if rows > 1 { 2_f64.to_radians() } else { 0.0 },
        ),
        max_distance: 1000.0,
        scan_rate: RATE,
        optical_rotation: OpticalFrame::Robotics.rotation(),
        ..RangeSensor::default()
    }
}

fn rolling() -> ScanOptions {
    ScanOptions { rolling: true, intensity: true, ..ScanOptions::default() }
}

/// The first scans in steps of `step` s, with the link at `link(t)`; `update` moves the scene in each step.
fn scans(
    scanner: &Scanner,
    scene: &mut Scene,
    step: f64,
    duration: f64,
    link: impl Fn(f64) -> Isometry3<f64>,
    update: impl Fn(&mut Scene, f64, f64),
    threads: Threads,
) -> Vec<(f64, Scan, u64)> {
    let mut progress = RollingScan::new(0.0);
    let mut found = Vec::new();
    let steps = (duration / step).round() as u32;
    for number in 0..=steps {
        let to = f64::from(number) * step;
        let from = if number == 0 { to } else { f64::from(number - 1) * step };
        update(scene, from, to);
        let motion = Motion::new(link(from), link(to));
        let carried = Carried { from, to, link: &motion };
        if let Some((scan, missed)) = progress.advance(scanner, scene, &carried, threads) {
            found.push((to, scan, missed));
        }
    }
    found
}

fn still(_: &mut Scene, _: f64, _: f64) {}

/// A room with objects around the origin.
fn room() -> Scene {
    let mut random = Numbers::new(3);
    let walls =
        [(Vector3::x(), 4.0), (-Vector3::x(), 3.0), (Vector3::y(), 2.0), (-Vector3::y(), 5.0), (-Vector3::z(), 1.0)];
    let mut parts: Vec<_> = walls.map(|(direction, distance)| wall(direction, distance)).into();
    for _ in 0..20 {
        let mut pose = random.pose(1.0);
        pose.translation.vector = random.direction().into_inner() * 1.7;
        parts.push(place(&[shape(Primitive::Box { size: Vector3::new(0.2, 0.3, 0.1) }, 0)], pose));
        parts.push(place(&[shape(Primitive::Sphere { radius: 0.1 }, 0)], random.pose(1.5)));
    }
    Scene::new(parts)
}

#[test]
fn a_scan_of_what_does_not_move_is_that_at_an_instant_bit_for_bit() {
    let link = Isometry3::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.1, 0.2, 0.3));
    let mounting = Isometry3::new(Vector3::new(0.05, 0.0, 0.1), Vector3::new(0.0, 0.0, 1.0));
    for pattern in [None, Some(vlp16())] {
        let options = ScanOptions { pattern, ..rolling() };
        let scanner = Scanner::with_options(&sensor(16), mounting, &options).unwrap();
        for (step, threads) in [(0.001, 1), (0.007, 2), (0.25, 1)] {
            let found = scans(&scanner, &mut room(), step, 0.5, |_| link, still, Threads::new(threads));
            assert!(found.len() >= 2, "{step}: {}", found.len());
            for (_, scan, _) in found {
                let once = scanner.scan_frame(scan.frame, &room(), &link, || Random::of_sample(0, 0), Threads::ONE);
                assert_eq!(scan.distances, once.distances);
                assert_eq!(scan.intensities, once.intensities);
                assert!(scan.distances.iter().filter(|distance| distance.is_finite()).count() > 10_000);
            }
        }
    }
}

/// The link turns at 2 rad/s and drives at 3 m/s; the sensor is 0.4 m ahead of its origin.
#[test]
fn a_spinning_and_driving_sensor_before_a_wall_measures_the_closed_form() {
    const SPIN: f64 = 2.0;
    const SPEED: f64 = 3.0;
    const LEVER: f64 = 0.4;
    const WALL: f64 = 8.0;
    let scanner = Scanner::with_options(&sensor(1), Isometry3::translation(LEVER, 0.0, 0.0), &rolling()).unwrap();
    let link = |time: f64| Isometry3::new(Vector3::x() * SPEED * time, Vector3::z() * SPIN * time);
    for step in [0.001, 0.0003, 0.013] {
        let found = scans(&scanner, &mut Scene::new([wall(Vector3::x(), WALL)]), step, 0.35, link, still, Threads::ONE);
        assert_eq!(found.len(), 3);
        let (mut largest, mut hits) = (0.0_f64, 0);
        for (at, scan, missed) in found {
            assert_eq!(missed, 0);
            let begin = scan.frame as f64 / RATE;
            assert!((at + scan.start - begin).abs() < 1e-12);
            for (column, &distance) in scan.distances.iter().enumerate() {
                let yaw = scanner.yaw().angle(column);
                let time = begin + (yaw - scanner.yaw().angle(0)) / TAU / RATE;
                let heading = SPIN * time;
                let eye = SPEED * time + LEVER * heading.cos();
                let ahead = (heading + yaw).cos();
                let expected = if ahead > 2e-2 { (WALL - eye) / ahead } else { continue };
                largest = largest.max((distance - expected).abs());
                hits += 1;
            }
        }
        assert!(hits > 1200, "{hits}");
        // Between two steps the lever arm turns uniformly, too: rounding alone remains.
        assert!(largest < 1e-9, "{step}: {largest}");
    }
}

/// A ball flies past, and a plate turns about an axis through its middle.
#[test]
fn moving_targets_are_met_where_they_are_at_the_time_of_the_ray() {
    const RADIUS: f64 = 0.5;
    let ball_at = |time: f64| Vector3::new(3.0, -2.0 + 5.0 * time, 0.2);
    let mut scene = Scene::new([place(&[shape(Primitive::Sphere { radius: RADIUS }, 0)], Isometry3::identity())]);
    let update = |scene: &mut Scene, from: f64, to: f64| {
        let pose = |time: f64| {
            Isometry3::from_parts(ball_at(time).into(), UnitQuaternion::from_scaled_axis(Vector3::z() * time))
        };
        scene.set_motions([(InstanceIndex(0), Motion::new(pose(from), pose(to)))]);
    };
    let scanner = Scanner::with_options(&sensor(1), Isometry3::identity(), &rolling()).unwrap();
    let found = scans(&scanner, &mut scene, 0.002, 0.9, |_| Isometry3::identity(), update, Threads::ONE);
    let mut hits = 0;
    for (_, scan, _) in found {
        for (column, &distance) in scan.distances.iter().enumerate() {
            let yaw = scanner.yaw().angle(column);
            let time = scan.frame as f64 / RATE + (yaw - scanner.yaw().angle(0)) / TAU / RATE;
            let (direction, center) = (Vector3::new(yaw.cos(), yaw.sin(), 0.0), ball_at(time));
            let along = direction.dot(&center);
            let half = RADIUS * RADIUS - (center.norm_squared() - along * along);
            let expected = if half >= 0.0 && along > 0.0 { along - half.sqrt() } else { f64::INFINITY };
            // At the rim the last digits decide.
            if half.abs() > 1e-9 {
                assert!(distance == expected || (distance - expected).abs() < 1e-6, "{time}: {distance} {expected}");
                hits += usize::from(distance.is_finite());
            }
        }
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn scans_that_end_within_one_step_are_left_out_but_the_last() {
    let scanner = Scanner::with_options(&sensor(1), Isometry3::identity(), &rolling()).unwrap();
    let mut scene = Scene::new([wall(Vector3::x(), 2.0)]);
    let found = scans(&scanner, &mut scene, 0.35, 1.05, |_| Isometry3::identity(), still, Threads::ONE);
    let frames: Vec<(u64, u64)> = found.iter().map(|(_, scan, missed)| (scan.frame, *missed)).collect();
    // At 0.35 s scan 2 is complete, at 0.7 s scan 6, at 1.05 s scan 9.
    assert_eq!(frames, [(2, 2), (6, 3), (9, 2)]);
}

#[test]
fn a_copy_of_a_scan_in_progress_continues_like_the_original() {
    let scanner = Scanner::with_options(&sensor(16), Isometry3::identity(), &rolling()).unwrap();
    let (scene, motion) = (room(), Motion::still(Isometry3::identity()));
    let step = |progress: &mut RollingScan, number: u32| {
        let to = f64::from(number) * 0.01;
        progress.advance(&scanner, &scene, &Carried { from: to - 0.01, to, link: &motion }, Threads::ONE)
    };
    let mut progress = RollingScan::new(0.0);
    (0..5).for_each(|number| assert!(step(&mut progress, number).is_none()));
    let mut copy = progress.clone();
    let rest = |progress: &mut RollingScan| (5..25).filter_map(|number| step(progress, number)).collect::<Vec<_>>();
    let found = rest(&mut progress);
    assert_eq!(found.len(), 2);
    assert_eq!(found, rest(&mut copy));
}

fn read(text: &str) -> (Option<ScanPattern>, Vec<String>) {
    let reporter = Reporter::new();
    let pattern = ScanPattern::read(&SourceFile::from_text("pattern.csv", text), &reporter);
    let findings = reporter.diagnostics().into_iter().map(|finding| {
        let line = finding.position().map_or(0, |position| position.line);
        format!("{line}: {}", finding.message)
    });
    (pattern, findings.collect())
}

fn vlp16() -> Arc<ScanPattern> {
    table("vlp16.csv")
}

/// A table of `assets/sensors`.
fn table(name: &str) -> Arc<ScanPattern> {
    let path = bunraku_test_support::project().join("assets/sensors").join(name);
    let (pattern, findings) = read(&std::fs::read_to_string(path).unwrap());
    assert_eq!(findings, [""; 0]);
    Arc::new(pattern.unwrap())
}

#[test]
fn the_vlp32_table_has_32_lasers_that_are_dense_about_the_horizon() {
    let pattern = table("vlp32.csv");
    let mut lasers: Vec<(u16, f64)> =
        pattern.beams().iter().map(|beam| (beam.ring, beam.elevation.to_degrees())).collect();
    lasers.sort_by_key(|laser| laser.0);
    assert!(lasers.iter().map(|laser| laser.0).eq(0..32), "{lasers:?}");
    assert!(lasers.is_sorted_by(|lower, upper| lower.1 < upper.1), "{lasers:?}");
    assert!((lasers[0].1 + 25.0).abs() < 1e-9 && (lasers[31].1 - 15.0).abs() < 1e-9, "{lasers:?}");
    // A third of a degree apart from -4° to 1.667°.
    let dense = lasers.windows(2).filter(|pair| (pair[1].1 - pair[0].1 - 1.0 / 3.0).abs() < 2e-3).count();
    assert_eq!(dense, 17, "{lasers:?}");
    let options = ScanOptions { pattern: Some(pattern), ..rolling() };
    let scanner = Scanner::with_options(&sensor(1), Isometry3::identity(), &options).unwrap();
    let scene = Scene::new([wall(Vector3::z(), 1.0), wall(-Vector3::z(), 1.0)]);
    let scan = scanner.scan_frame(0, &scene, &Isometry3::identity(), || Random::of_sample(0, 0), Threads::ONE);
    // 0.1 s of 55.296 µs with 32 rays each.
    assert!((57_838..=57_902).contains(&scan.distances.len()), "{}", scan.distances.len());
    for point in scanner.cloud(&scan) {
        let elevation = point.position.z.atan2(point.position.xy().norm()).to_degrees();
        assert!((elevation - lasers[usize::from(point.ring)].1).abs() < 1e-9, "{elevation} {}", point.ring);
    }
}

#[test]
fn the_rosette_does_not_repeat_within_its_period_and_fills_its_cone() {
    let pattern = table("rosette.csv");
    assert!((pattern.period() - 1.0).abs() < 1e-12 && pattern.turns_per_scan() == 0.0);
    let options = ScanOptions { pattern: Some(pattern.clone()), ..rolling() };
    let scanner = Scanner::with_options(&sensor(1), Isometry3::identity(), &options).unwrap();
    let scene = Scene::new([wall(Vector3::x(), 1.0)]);
    // Cells of 1° that were hit.
    let mut cells = std::collections::HashSet::new();
    let mut scans = Vec::new();
    for frame in 0..11 {
        let scan = scanner.scan_frame(frame, &scene, &Isometry3::identity(), || Random::of_sample(0, 0), Threads::ONE);
        assert_eq!(scan.distances.len(), 2400, "{frame}");
        let before = cells.len();
        for point in scanner.cloud(&scan) {
            let azimuth = point.position.y.atan2(point.position.x).to_degrees();
            let elevation = point.position.z.atan2(point.position.xy().norm()).to_degrees();
            assert!(azimuth.hypot(elevation) < 35.001, "{azimuth} {elevation}");
            #[allow(clippy::cast_possible_truncation)]
            cells.insert((azimuth.floor() as i32, elevation.floor() as i32));
        }
        assert!(frame == 10 || cells.len() > before, "scan {frame} adds no cell to the {before} before");
        scans.push(scan.distances);
    }
    for (later, distances) in scans.iter().enumerate().take(10).skip(1) {
        assert!(!scans[..later].contains(distances), "scan {later} repeats an earlier one");
    }
    assert_eq!(scans[10], scans[0]);
}

#[test]
fn a_spinning_table_fires_its_lasers_in_turn_over_the_circle() {
    let scanner =
        Scanner::with_options(&sensor(1), Isometry3::identity(), &ScanOptions { pattern: Some(vlp16()), ..rolling() })
            .unwrap();
    let scene = Scene::new([wall(Vector3::z(), 1.0), wall(-Vector3::z(), 1.0)]);
    let scan = scanner.scan_frame(3, &scene, &Isometry3::identity(), || Random::of_sample(0, 0), Threads::ONE);
    // 0.1 s of 55.296 µs with 16 rays each.
    assert!((28_924..=28_944).contains(&scan.distances.len()), "{}", scan.distances.len());
    let cloud = scanner.cloud(&scan);
    // All but those within 0.06° of the horizon hit the floor or the ceiling within reach.
    assert_eq!(cloud.len(), scan.distances.len());
    let mut last = -1.0;
    for (index, point) in cloud.iter().enumerate() {
        let at = 3.0 / RATE + point.time;
        assert!(point.time >= last && point.time < 1.0 / RATE, "{index}");
        last = point.time;
        let elevation = point.position.z.atan2(point.position.xy().norm()).to_degrees();
        assert!((elevation - (2.0 * f64::from(point.ring) - 15.0)).abs() < 1e-9, "{elevation} {}", point.ring);
        // Clockwise seen from above.
        let azimuth = -TAU * RATE * at;
        let difference = point.position.y.atan2(point.position.x) - azimuth;
        assert!((difference - (difference / TAU).round() * TAU).abs() < 1e-9);
    }
}

#[test]
fn a_table_longer_than_a_scan_continues_in_the_next_and_repeats_after_its_period() {
    let rows: String = (0..50).map(|row| format!("{row},0,{}\n", f64::from(row) * 0.005)).collect();
    let (pattern, findings) = read(&format!("# period: 0.25\nazimuth,elevation,time\n{rows}"));
    assert!(findings.is_empty(), "{findings:?}");
    let options = ScanOptions { pattern: pattern.map(Arc::new), ..rolling() };
    let scanner = Scanner::with_options(&sensor(1), Isometry3::identity(), &options).unwrap();
    let scene = Scene::new([wall(Vector3::x(), 1.0)]);
    let angles = |frame: u64| -> Vec<f64> {
        let scan = scanner.scan_frame(frame, &scene, &Isometry3::identity(), || Random::of_sample(0, 0), Threads::ONE);
        scanner.cloud(&scan).iter().map(|point| point.position.y.atan2(point.position.x).to_degrees().round()).collect()
    };
    let expected = |range: std::ops::Range<i32>| -> Vec<f64> { range.map(f64::from).collect() };
    assert_eq!(angles(0), expected(0..20));
    assert_eq!(angles(1), expected(20..40));
    assert_eq!(angles(2), [expected(40..50), expected(0..10)].concat());
    assert_eq!(angles(5), angles(0));
}

#[test]
fn faulty_tables_are_reported_with_their_line() {
    let (pattern, findings) = read("# a comment\nazimuth [deg],elevation [deg],time [s]\n0,1,0\n5,x,0.1\n");
    assert_eq!(pattern, None);
    assert!(findings[0].starts_with("4: this row of a pattern"), "{findings:?}");
    assert!(read("azimuth,time\n0,0\n").1[0].starts_with("1: a pattern has the columns"));
    assert!(read("azimuth,elevation,time\n0,0,1\n0,0,0.5\n").1[0].contains("ascend"));
    assert!(read("azimuth,elevation,time\n").1[0].contains("ascend"));
    assert!(read("# period: 1\nazimuth,elevation,time\n0,0,1\n").1[0].contains("less than its period"));
}

/// Glass before a white wall: its return and that of the wall, by their light.
#[test]
fn transparent_surfaces_give_a_return_and_let_light_pass() {
    let mut glass = shape(Primitive::Box { size: Vector3::new(0.01, 2.0, 2.0) }, 0);
    glass.appearance.transparency = 0.8;
    (glass.appearance.diffuse, glass.appearance.ambient) = (Vector3::repeat(1.0), 1.0);
    let mut white = shape(Primitive::Box { size: Vector3::new(1.0, 9.0, 9.0) }, 0);
    white.appearance.diffuse = Vector3::repeat(1.0);
    let scene = Scene::new([
        place(&[glass], Isometry3::translation(2.005, 0.0, 0.0)),
        place(&[white], Isometry3::translation(5.5, 0.0, 0.0)),
    ]);
    let ahead = RangeSensor { yaw: ScanAngles::centered(0.0, 0.0), ..sensor(1) };
    let take = |options: ScanOptions| {
        let scanner = Scanner::with_options(&ahead, Isometry3::identity(), &options).unwrap();
        let scan = scanner.scan(&scene, &Isometry3::identity(), || Random::of_sample(0, 0), Threads::ONE);
        let intensities = scan.intensities.iter().map(|value| (value * 1e5).round() / 1e5).collect::<Vec<_>>();
        (scan.distances.iter().map(|value| (value * 1e9).round() / 1e9).collect::<Vec<_>>(), intensities)
    };
    let both = ScanOptions { intensity: true, returns: 2, transmission: true, ..ScanOptions::default() };
    // 20 % are reflected by the front of the glass, which is closed; 80 % pass it twice.
    assert_eq!(take(both.clone()), (vec![5.0, 2.0], vec![0.64, 0.2]));
    assert_eq!(take(ScanOptions { returns: 1, ..both.clone() }), (vec![5.0], vec![0.64]));
    assert_eq!(take(ScanOptions { transmission: false, ..both.clone() }), (vec![2.0, f64::INFINITY], vec![1.0, 0.0]));
    assert_eq!(take(ScanOptions { min_intensity: 0.3, ..both }), (vec![5.0, f64::INFINITY], vec![0.64, 0.0]));
}

/// A beam that is half on a plate and half on a wall behind it returns both, or their mean where they are close.
#[test]
fn wide_beams_return_both_sides_of_an_edge() {
    let white = |size: Vector3<f64>| {
        let mut white = shape(Primitive::Box { size }, 0);
        white.appearance.diffuse = Vector3::repeat(1.0);
        white
    };
    let take = |plate: f64, separation: f64| {
        let scene = Scene::new([
            place(&[white(Vector3::new(0.1, 2.0, 2.0))], Isometry3::translation(plate + 0.05, 1.0, 0.0)),
            place(&[white(Vector3::new(1.0, 9.0, 9.0))], Isometry3::translation(5.5, 0.0, 0.0)),
        ]);
        let options = ScanOptions {
            intensity: true,
            returns: 2,
            beam_divergence: 0.01,
            beam_rays: 64,
            return_separation: separation,
            ..ScanOptions::default()
        };
        let ahead = RangeSensor { yaw: ScanAngles::centered(0.0, 0.0), ..sensor(1) };
        let scanner = Scanner::with_options(&ahead, Isometry3::translation(0.0, -1e-6, 0.0), &options).unwrap();
        scanner.scan(&scene, &Isometry3::identity(), || Random::of_sample(0, 0), Threads::ONE)
    };
    let scan = take(3.0, 0.5);
    let mut distances = scan.distances.clone();
    distances.sort_by(f64::total_cmp);
    // The longest ray of a beam is 12 ppm longer than the shortest.
    assert!((distances[0] - 3.0).abs() < 1e-4 && (distances[1] - 5.0).abs() < 1e-4, "{distances:?}");
    assert!((scan.intensities[0] - 0.5).abs() < 0.05 && (scan.intensities.iter().sum::<f32>() - 1.0).abs() < 1e-3);
    let merged = take(4.8, 0.5);
    assert!((merged.distances[0] - 4.9).abs() < 0.02 && merged.distances[1] == f64::INFINITY, "{merged:?}");
}

#[test]
fn intensity_is_the_luminance_of_the_material_times_the_cosine_of_incidence() {
    let plate = |color: Vector3<f64>| {
        let mut plate = shape(Primitive::Box { size: Vector3::new(0.1, 30.0, 30.0) }, 0);
        plate.appearance.diffuse = color;
        place(&[plate], Isometry3::translation(2.05, 0.0, 0.0))
    };
    let fan = RangeSensor { yaw: ScanAngles::centered(2.0, 0.25), ..sensor(1) };
    let options = ScanOptions { intensity: true, ..ScanOptions::default() };
    let scanner = Scanner::with_options(&fan, Isometry3::identity(), &options).unwrap();
    // sRGB 0.5 is 0.2140 of full light.
    for (color, light) in
        [(Vector3::repeat(1.0), 1.0), (Vector3::repeat(0.5), 0.2140), (Vector3::x(), 0.2126), (Vector3::zeros(), 0.0)]
    {
        let scan =
            scanner.scan(&Scene::new([plate(color)]), &Isometry3::identity(), || Random::of_sample(0, 0), Threads::ONE);
        for point in scanner.cloud(&scan) {
            let cosine = point.position.x / point.position.norm();
            assert!((f64::from(point.intensity) - light * cosine).abs() < 1e-4, "{point:?}");
        }
        assert!(scan.distances.iter().all(|distance| distance.is_finite()));
    }
}

#[test]
fn noise_grows_with_the_distance() {
    let deviation = |distance: f64| {
        let scene = Scene::new([wall(Vector3::x(), distance)]);
        let dense = RangeSensor {
            yaw: ScanAngles::centered(1e-3, 1e-7),
            error_deviation: 0.01,
            max_distance: 200.0,
            ..sensor(1)
        };
        let options = ScanOptions { error_growth: 0.002, ..ScanOptions::default() };
        let scanner = Scanner::with_options(&dense, Isometry3::identity(), &options).unwrap();
        let scan = scanner.scan(&scene, &Isometry3::identity(), || Random::of_sample(1, 0), Threads::ONE);
        let squares: f64 = scan.distances.iter().map(|found| (found - distance).powi(2)).sum();
        (squares / scan.distances.len() as f64).sqrt()
    };
    for (distance, expected) in [(1.0, 0.012), (10.0, 0.03), (100.0, 0.21)] {
        assert!((deviation(distance) / expected - 1.0).abs() < 0.03, "{distance}: {}", deviation(distance));
    }
}

#[test]
fn properties_out_of_range_are_refused_by_their_names() {
    let with = |options: ScanOptions| Scanner::with_options(&sensor(1), Isometry3::identity(), &options).unwrap_err();
    let plain = ScanOptions::default;
    for (options, name) in [
        (ScanOptions { returns: 0, ..plain() }, "returns"),
        (ScanOptions { returns: 9, ..plain() }, "returns"),
        (ScanOptions { beam_rays: 0, ..plain() }, "beam_rays"),
        (ScanOptions { beam_divergence: -0.1, ..plain() }, "beam_divergence"),
        (ScanOptions { return_separation: f64::NAN, ..plain() }, "return_separation"),
        (ScanOptions { min_intensity: 2.0, ..plain() }, "min_intensity"),
        (ScanOptions { error_growth: -1.0, ..plain() }, "error_growth"),
    ] {
        assert!(matches!(with(options), SensorError::Option { name: found, .. } if found == name), "{name}");
    }
    let wide = RangeSensor { yaw: ScanAngles { min: -4.0, max: 4.0, step: 0.1 }, ..sensor(1) };
    let error = Scanner::with_options(&wide, Isometry3::identity(), &rolling()).unwrap_err();
    assert!(error.to_string().contains("at most a turn"), "{error}");
}
