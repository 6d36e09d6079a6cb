//! Writes every kind of sensor log into a folder: a ball swings in front of a wall, observed by a camera, a scanner and
//! an IMU.
//!
//! ```text
//! cargo run -p bunraku_sensors --example write_logs -- out/logs
//! python plugins/sensors/examples/read_logs.py out/logs
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku_body::dynamics::Twist;
use bunraku_body::{
    Appearance, CameraView, Geometry, OpticalFrame, RangeCamera, RangeFormat, RangeSensor, ScanAngles, Shape,
};
use bunraku_mesh::Primitive;
use bunraku_render::{InstanceIndex, Lighting, Model, Scene, Textures, Threads};
use bunraku_sensors::log::{
    Cloud, Column, IndexLog, McapLog, McapProfile, ScanRow, VectorLog, WORLD, write_color_png, write_depth_png,
    write_npy, write_ply,
};
use bunraku_sensors::{
    CameraModel, LinkMotion, Random, SampleRate, Scanner, Schedule, angular_velocity, seed_of, specific_force,
};
use nalgebra::{Affine3, Isometry3, Vector3};

const TIME_STEP: f64 = 0.002;
const STEPS: u32 = 501;
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("name a folder to write to")?;
    let mut scene = scene();

    // A camera and a scanner at the origin that look along +X.
    let mounting = Isometry3::from_parts(Default::default(), OpticalFrame::Robotics.rotation());
    let view = CameraView { width: 160, height: 120, field_of_view: 1.0, ..CameraView::default() };
    let camera = RangeCamera { view, error_deviation: 0.002, ..RangeCamera::new(RangeFormat::ColorDepth) };
    let camera = CameraModel::of_range_camera(&camera, mounting)?;
    let yaw = ScanAngles::centered(2.0, 0.02);
    let scanner = Scanner::new(&RangeSensor { yaw, ..RangeSensor::default() }, mounting)?;
    let mut frames = Schedule::new(SampleRate::Hertz(10.0), true);
    let mut scans = Schedule::new(SampleRate::Hertz(20.0), true);

    let mut imu = VectorLog::create(&folder.join("Ball/Imu.csv"), &imu_columns())?;
    let pictures = folder.join("Mast/Camera");
    let mut shown = IndexLog::create(&pictures.join("index.csv"), &["color", "depth", "depth_mm", "points"])?;
    let mut scanned = IndexLog::create(&folder.join("Mast/Scanner/index.csv"), &["scan"])?;
    let mut all = McapLog::create(&folder.join("run.mcap"), McapProfile::Foxglove)?;

    for step in 0..STEPS {
        let time = f64::from(step) * TIME_STEP;
        let motion = swing(time);
        scene.set_poses([(InstanceIndex(0), motion.pose)]);
        let at = Isometry3::translation(0.1, 0.0, 0.0);
        let acceleration = specific_force(&at, &motion, &Vector3::new(0.0, 0.0, -9.80665));
        let spin = angular_velocity(&at, &motion);
        imu.push(time, &[acceleration.x, acceleration.y, acceleration.z, spin.x, spin.y, spin.z])?;
        all.imu("/Ball/Imu", time, "Ball", Some(acceleration), Some(spin))?;
        all.poses(time, [(WORLD, "Ball", motion.pose), (WORLD, "Mast", mounting)])?;
        if let Some(due) = frames.step(time) {
            let random = || Random::of_sample(seed_of(SEED, "Mast", "Camera"), due.sample);
            let taken =
                camera.take(&scene, &Isometry3::identity(), &Lighting::default(), random, Threads::available())?;
            let (width, height) = (taken.width, taken.height);
            let names = ["png", "npy", "mm.png", "ply"].map(|extension| format!("{:06}.{extension}", due.sample));
            let files: [PathBuf; 4] = names.each_ref().map(|name| pictures.join(name));
            write_color_png(&files[0], &taken.colors, width, height)?;
            write_npy(&files[1], &taken.depths, width as usize, height as usize)?;
            write_depth_png(&files[2], &taken.depths, width, height)?;
            let cloud = Cloud { points: &taken.points, colors: &taken.colors, ..Cloud::default() };
            write_ply(&files[3], &cloud, &format!("time {time} s, frame Mast/Camera"))?;
            shown.push(
                due.sample,
                time,
                &camera.pose(&Isometry3::identity()),
                &names.each_ref().map(String::as_str),
            )?;
            all.picture("/Mast/Camera/color", time, "Mast", &taken.colors, (width, height))?;
            all.depth("/Mast/Camera/depth", time, "Mast", &taken.depths, (width, height))?;
            all.cloud("/Mast/Camera/points", time, "Mast", &cloud)?;
        }
        if let Some(due) = scans.step(time) {
            let random = || Random::of_sample(seed_of(SEED, "Mast", "Scanner"), due.sample);
            let scan = scanner.scan(&scene, &Isometry3::identity(), random, Threads::available());
            let name = format!("{:06}.npy", due.sample);
            write_npy(&scan_file(&folder, &name), &scan.distances, scan.yaw_samples, scan.pitch_samples)?;
            scanned.push(due.sample, time, &scanner.pose(&Isometry3::identity()), &[&name])?;
            let level = Isometry3::identity();
            let row = ScanRow {
                distances: &scan.distances,
                intensities: &scan.intensities,
                angles: [yaw.min, yaw.max],
                limits: [0.1, 10.0],
                period: 0.1,
            };
            all.scan("/Mast/Scanner", time, ("world", &level), &row)?;
        }
    }
    imu.flush()?;
    all.finish()?;
    Ok(())
}

/// A ball and a wall behind it.
fn scene() -> Scene {
    let shape = |primitive: Primitive, diffuse: Vector3<f64>| {
        let appearance = Appearance { diffuse, ..Appearance::default() };
        let shape = Shape::new(Geometry::primitive(primitive), Affine3::identity(), appearance);
        Arc::new(Model::new(&[shape], &mut Textures::default()))
    };
    let ball = shape(Primitive::Sphere { radius: 0.3 }, Vector3::new(0.9, 0.2, 0.1));
    let wall = shape(Primitive::Box { size: Vector3::new(0.1, 4.0, 3.0) }, Vector3::new(0.5, 0.6, 0.7));
    Scene::new([(ball, Isometry3::identity()), (wall, Isometry3::translation(3.0, 0.0, 0.0))])
}

fn imu_columns() -> Vec<Column> {
    let columns = ["ax", "ay", "az", "wx", "wy", "wz"];
    let column = |(index, name): (usize, &str)| Column {
        name: name.to_owned(),
        unit: if index < 3 { "m/s^2" } else { "rad/s" }.to_owned(),
    };
    columns.into_iter().enumerate().map(column).collect()
}

fn scan_file(folder: &Path, name: &str) -> PathBuf {
    folder.join("Mast/Scanner").join(name)
}

/// Motion of a ball 1.5 m ahead that moves to and fro and rotates.
fn swing(time: f64) -> LinkMotion {
    let (rate, width) = (3.0_f64, 0.8);
    let (sin, cos) = (rate * time).sin_cos();
    LinkMotion {
        pose: Isometry3::new(Vector3::new(1.5, width * sin, 0.0), Vector3::z() * time),
        twist: Twist { linear: Vector3::y() * (width * rate * cos), angular: Vector3::z() },
        acceleration: Twist { linear: Vector3::y() * (-width * rate * rate * sin), angular: Vector3::zeros() },
    }
}
