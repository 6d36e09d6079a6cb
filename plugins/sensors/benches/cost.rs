//! Cost of sensors: an IMU and a force sensor per step, and images and scans of a room of the corpus.
//!
//! ```text
//! BUNRAKU_CORPUS=… cargo bench --profile dev -p bunraku_sensors --bench cost
//! ```

#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::kinematics::link_poses;
use bunraku_body::{Body, CameraView, LoadOptions, OpticalFrame, RangeCamera, RangeFormat};
use bunraku_document::{Reporter, SearchRoots};
use bunraku_render::{Lighting, Model, Scene, Textures, Threads};
use bunraku_sensors::{
    CameraModel, Channel, ChannelState, LinkMotion, Random, angular_velocity, force_reading, specific_force,
};
use nalgebra::{Isometry3, Vector3};

fn main() {
    println!("| what | CPU time |");
    println!("|---|---|");
    motion();
    if let Some(share) = bunraku_test_support::share() {
        pictures(&share);
    }
}

/// Sensors of motion and force.
fn motion() {
    const COUNT: u32 = 1_000_000;
    let gravity = Vector3::new(0.0, 0.0, -9.80665);
    let mounting = Isometry3::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.3, 0.2, 0.1));
    let twist = Twist { linear: Vector3::x(), angular: Vector3::new(0.3, 0.2, 1.0) };
    let motion = LinkMotion { pose: mounting.inverse(), twist, acceleration: twist };
    let reaction = Wrench { force: Vector3::x(), torque: Vector3::y() };
    let channel = Channel::limited(Some(Vector3::repeat(100.0)));
    let (mut random, mut state) = (|| Random::of_sample(0, 0), ChannelState::default());
    let imu = cpu_time(|| {
        for _ in 0..COUNT {
            let motion = black_box(&motion);
            let sample = (0, 0.001);
            black_box(channel.measure(specific_force(&mounting, motion, &gravity), sample, &mut state, &mut random));
            black_box(channel.measure(angular_velocity(&mounting, motion), sample, &mut state, &mut random));
        }
    });
    println!("| an IMU a step | {:.3} µs |", imu.as_secs_f64() / f64::from(COUNT) * 1e6);
    let force = cpu_time(|| {
        for _ in 0..COUNT {
            black_box(force_reading(&mounting, &motion.pose, black_box(&reaction)));
        }
    });
    println!("| a force sensor a step | {:.3} µs |", force.as_secs_f64() / f64::from(COUNT) * 1e6);
}

/// Images of the house on one thread; two idle cores give twice the rate.
fn pictures(share: &std::path::Path) {
    let options = LoadOptions { roots: SearchRoots::new(Some(share.to_owned())), ..LoadOptions::default() };
    let load = |model: &str| -> Body {
        bunraku_body::load(&share.join("model").join(model), &options, &Reporter::new()).unwrap()
    };
    let (house, labo) = (load("house/house.wrl"), load("Labo1/Labo1.body"));
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
        let poses = link_poses(body, &body.root().offset, &body.initial_displacements());
        let models = Model::of_links(body, &mut Textures::default());
        let scene = Scene::new(models.into_iter().zip(poses).filter_map(|(model, pose)| Some((model?, pose))));
        for (width, height) in [(320, 240), (640, 480)] {
            for (kind, format) in [("depth", RangeFormat::Depth), ("colour and depth", RangeFormat::ColorDepth)] {
                let view = CameraView { width, height, field_of_view: 1.0, ..CameraView::default() };
                let camera = RangeCamera { view, ..RangeCamera::new(format) };
                let camera = CameraModel::of_range_camera(&camera, Isometry3::identity()).unwrap();
                let take = || {
                    let random = || Random::of_sample(0, 0);
                    black_box(camera.take(&scene, &eye, &Lighting::default(), random, Threads::ONE).unwrap());
                };
                let time = (0..3).map(|_| cpu_time(take)).min().unwrap_or_default().as_secs_f64();
                println!(
                    "| {name}, {kind}, {width}×{height} | {:.1} ms: {:.1} pictures/s a core |",
                    time * 1e3,
                    1.0 / time
                );
            }
        }
    }
}

/// CPU time of this thread; wall time where the system does not report it.
fn cpu_time(work: impl FnOnce()) -> Duration {
    let worked = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    };
    let (start, before) = (Instant::now(), worked());
    work();
    match (before, worked()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed(),
    }
}
