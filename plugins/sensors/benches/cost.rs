//! Cost of sensors: an IMU and a force sensor per step, and images and scans of rooms of the corpus.
//!
//! ```text
//! BUNRAKU_CORPUS=… cargo bench --profile dev -p bunraku_sensors --bench cost
//! … --bench cost -- VLP-16          only lines with this text
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::kinematics::link_poses;
use bunraku_body::{Body, CameraView, DeviceKind, LoadOptions, OpticalFrame, RangeCamera, RangeFormat, RangeSensor};
use bunraku_document::{Limits, Reporter, SearchRoots, SourceFile};
use bunraku_render::{InstanceIndex, Lighting, Model, Motion, Scene, Textures, Threads};
use bunraku_sensors::log::{Column, VectorLog};
use bunraku_sensors::{
    CameraModel, Carried, Channel, ChannelState, LinkMotion, Random, RollingScan, ScanOptions, ScanPattern, Scanner,
    angular_velocity, force_reading, specific_force,
};
use nalgebra::{Isometry3, Vector3};

/// Steps of rolling scans, s, and their number in a scan.
const STEP: f64 = 0.001;
const STEPS_OF_SCAN: u32 = 100;

fn main() {
    println!("| what | CPU time |");
    println!("|---|---|");
    motion();
    if let Some(share) = bunraku_test_support::share() {
        pictures(&share);
        scans(&share);
    }
}

/// Sensors of motion and force.
fn motion() {
    const COUNT: u32 = 10_000;
    let gravity = Vector3::new(0.0, 0.0, -9.80665);
    let mounting = Isometry3::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.3, 0.2, 0.1));
    let twist = Twist { linear: Vector3::x(), angular: Vector3::new(0.3, 0.2, 1.0) };
    let motion = LinkMotion { pose: mounting.inverse(), twist, acceleration: twist };
    let reaction = Wrench { force: Vector3::x(), torque: Vector3::y() };
    let channel = Channel::limited(Some(Vector3::repeat(100.0)));
    let (mut random, mut state) = (|| Random::of_sample(0, 0), ChannelState::default());
    let result = |time: f64| format!("{:.3} µs", time / f64::from(COUNT) * 1e6);
    report("an IMU a step", result, || {
        for _ in 0..COUNT {
            let motion = black_box(&motion);
            let sample = (0, 0.001);
            black_box(channel.measure(specific_force(&mounting, motion, &gravity), sample, &mut state, &mut random));
            black_box(channel.measure(angular_velocity(&mounting, motion), sample, &mut state, &mut random));
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let columns =
        ["ax", "ay", "az", "wx", "wy", "wz"].map(|name| Column { name: name.to_owned(), unit: String::new() });
    report("an IMU and a row of its table a step", result, || {
        let mut table = VectorLog::create(&folder.path().join("IMU.csv"), &columns).unwrap();
        for step in 0..COUNT {
            let (motion, sample) = (black_box(&motion), (0, 0.001));
            // Other numbers in each row, with all their digits.
            let scale = 1.0 + 0.001 / f64::from(step + 3);
            let force = specific_force(&mounting, motion, &gravity) * scale;
            let force = channel.measure(force, sample, &mut state, &mut random);
            let spin = angular_velocity(&mounting, motion) * scale;
            let spin = channel.measure(spin, sample, &mut state, &mut random);
            table.push(f64::from(step) * 0.001, &[force.x, force.y, force.z, spin.x, spin.y, spin.z]).unwrap();
        }
        table.flush().unwrap();
    });
    report("a force sensor a step", result, || {
        for _ in 0..COUNT {
            black_box(force_reading(&mounting, &motion.pose, black_box(&reaction)));
        }
    });
}

fn load(share: &Path, model: &str) -> Body {
    let options = LoadOptions { roots: SearchRoots::new(Some(share.to_owned())), ..LoadOptions::default() };
    bunraku_body::load(&share.join("model").join(model), &options, &Reporter::new()).unwrap()
}

/// Images of the house and of Labo1 on one thread, and depths by the time on the wall on two threads, which need two idle
/// cores.
fn pictures(share: &Path) {
    let (house, labo) = (load(share, "house/house.wrl"), load(share, "Labo1/Labo1.body"));
    let looks = OpticalFrame::Robotics.rotation();
    let center = house
        .root()
        .visual
        .iter()
        .filter_map(bunraku_body::Shape::bounding_box)
        .reduce(|all, next| all.union(next))
        .unwrap();
    let center = center.min + (center.max - center.min) / 2.0;
    let scenes = [
        ("house", &house, Isometry3::from(center) * looks),
        ("Labo1", &labo, Isometry3::translation(-2.0, -0.5, 0.6) * looks),
    ];
    for (name, body, eye) in scenes {
        let scene = Scene::new(instances(body, &body.root().offset));
        for (width, height) in [(320, 240), (640, 480)] {
            for (kind, format) in [("depth", RangeFormat::Depth), ("colour and depth", RangeFormat::ColorDepth)] {
                let view = CameraView { width, height, field_of_view: 1.0, ..CameraView::default() };
                let camera = RangeCamera { view, ..RangeCamera::new(format) };
                let camera = CameraModel::of_range_camera(&camera, Isometry3::identity()).unwrap();
                let label = format!("{name}, {kind}, {width}×{height}");
                let result = |time: f64| format!("{:.1} ms: {:.1} pictures/s a core", time * 1e3, 1.0 / time);
                report(&label, result, || {
                    let random = || Random::of_sample(0, 0);
                    black_box(camera.take(&scene, &eye, &Lighting::default(), random, Threads::ONE).unwrap());
                });
                if format != RangeFormat::Depth {
                    continue;
                }
                let result = |time: f64| format!("{:.1} ms: {:.1} pictures/s", time * 1e3, 1.0 / time);
                report_by(wall_time, &format!("{label}, two threads"), result, || {
                    let random = || Random::of_sample(0, 0);
                    black_box(camera.take(&scene, &eye, &Lighting::default(), random, Threads::new(2)).unwrap());
                });
            }
        }
    }
}

/// Links of a body with the root at a pose.
fn instances(body: &Body, root: &Isometry3<f64>) -> Vec<(Arc<Model>, Isometry3<f64>)> {
    let poses = link_poses(body, root, &body.initial_displacements());
    let models = Model::of_links(body, &mut Textures::default());
    models.into_iter().zip(poses).filter_map(|(model, pose)| Some((model?, pose))).collect()
}

/// Scans of Tank's VLP-16 in Labo1: at an instant, and rolling in steps while Tank stands and drives.
fn scans(share: &Path) {
    let (tank, labo) = (load(share, "Tank/Tank.body"), load(share, "Labo1/Labo1.body"));
    let device = tank.devices.iter().find(|device| device.name == "VLP-16").unwrap();
    let DeviceKind::RangeSensor(sensor) = &device.kind else { return };
    let sensor = RangeSensor { detection_rate: 1.0, error_deviation: 0.0, scan_rate: 10.0, ..sensor.clone() };
    let mounting = device.mounting().unwrap();
    let drive = |time: f64| {
        let turn = Vector3::z() * (0.5 * time);
        Isometry3::new(Vector3::new(-2.0 + 0.3 * time, -0.5, 0.1), turn)
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/sensors/vlp16.csv");
    let source = SourceFile::read(&file, &Limits::default(), &Reporter::new()).unwrap();
    let pattern = Arc::new(ScanPattern::read(&source, &Reporter::new()).unwrap());
    let start = drive(0.0);
    let (room, own) = (instances(&labo, &labo.root().offset), instances(&tank, &start));
    let offsets: Vec<_> = own.iter().map(|(_, pose)| start.inverse() * pose).collect();
    let movers = room.len()..room.len() + own.len();
    let mut scene = Scene::new(room.into_iter().chain(own));
    println!("| | Labo1 and Tank: {} triangles in {} links |", scene.num_triangles(), scene.num_instances());
    // All links move as one here.
    let at = link_poses(&tank, &start, &tank.initial_displacements())[device.link.0];
    let carrier = start.inverse() * at;
    for (name, pattern) in [("grid", None), ("table", Some(pattern))] {
        for intensity in [false, true] {
            let options = ScanOptions { pattern: pattern.clone(), intensity, ..ScanOptions::default() };
            let still = Scanner::with_options(&sensor, mounting, &options).unwrap();
            let rolling = ScanOptions { rolling: true, ..options };
            let rolling = Scanner::with_options(&sensor, mounting, &rolling).unwrap();
            let rays = still.scan(&scene, &at, || Random::of_sample(0, 0), Threads::ONE).distances.len();
            let light = if intensity { ", intensity" } else { "" };
            let label = |kind: &str| format!("VLP-16 in Labo1, {name}{light}, {kind}");
            let result = |time: f64| format!("{:.2} ms: {:.2} Mrays/s", time * 1e3, rays as f64 / time / 1e6);
            let mut number = 0;
            report(&label("at an instant"), result, || {
                number += 1;
                black_box(still.scan_frame(number, &scene, &at, || Random::of_sample(0, 0), Threads::ONE));
            });
            for (kind, speed) in [("rolling, at rest", 0.0), ("rolling, driving", 1.0)] {
                let mut progress = RollingScan::new(0.0);
                let mut step = 0_u32;
                report(&label(kind), result, || {
                    loop {
                        let (from, to) = (f64::from(step) * STEP, f64::from(step + 1) * STEP);
                        // Each scan repeats the same way, so that all see the same surroundings.
                        let since = f64::from(step % STEPS_OF_SCAN) * STEP;
                        let [first, last] = [since, since + STEP].map(|time| drive(speed * time));
                        let moved = movers.clone().zip(&offsets);
                        scene.set_motions(
                            moved.map(|(index, offset)| {
                                (InstanceIndex(index), Motion::new(first * offset, last * offset))
                            }),
                        );
                        step += 1;
                        let carried = Carried { from, to, link: &Motion::new(first * carrier, last * carrier) };
                        if black_box(progress.advance(&rolling, &scene, &carried, Threads::ONE)).is_some() {
                            break;
                        }
                    }
                });
            }
            scene.set_poses(movers.clone().zip(&offsets).map(|(index, offset)| (InstanceIndex(index), start * offset)));
        }
    }
}

/// Time that a piece of work takes.
type Clock = fn(&mut dyn FnMut()) -> Duration;

/// Measures a line of the table by the CPU time of this thread, unless the arguments name others.
fn report(label: &str, result: impl Fn(f64) -> String, work: impl FnMut()) {
    report_by(cpu_time, label, result, work);
}

/// Measures a line of the table, unless the arguments name others.
fn report_by(clock: Clock, label: &str, result: impl Fn(f64) -> String, work: impl FnMut()) {
    if std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).all(|wanted| label.contains(&wanted)) {
        println!("| {label} | {} |", result(least_time(clock, work)));
    }
}

/// Least time of a call, s: of some rounds, each long enough for the clock of the system.
fn least_time(clock: Clock, mut work: impl FnMut()) -> f64 {
    /// Duration of a round, s. Some systems count the time of threads in ticks of 4 ms.
    const ROUND: f64 = 0.25;
    const ROUNDS: u32 = 6;
    let mut count = 1_u32;
    let mut round = |count: u32| clock(&mut || (0..count).for_each(|_| work())).as_secs_f64();
    loop {
        let time = round(count);
        if time > ROUND / 4.0 {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let needed = (f64::from(count) * ROUND / time).ceil() as u32;
            count = needed.max(1);
            break;
        }
        count *= 4;
    }
    (0..ROUNDS).map(|_| round(count)).fold(f64::INFINITY, f64::min) / f64::from(count)
}

fn wall_time(work: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// CPU time of this thread; wall time where the system does not report it.
fn cpu_time(work: &mut dyn FnMut()) -> Duration {
    let worked = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    };
    let before = worked();
    let elapsed = wall_time(work);
    match (before, worked()) {
        (Some(before), Some(after)) => after - before,
        _ => elapsed,
    }
}
