//! Comparison with Choreonoid's measurements: Tank at rest in Labo1, without errors.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use bunraku_body::kinematics::link_poses;
use bunraku_body::{Body, Device, DeviceKind};
use bunraku_render::{Light, LightSource, Lighting, Linear, Ray, Reach, Scene, Threads};
use bunraku_sensors::{CameraModel, Random, Scanner};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Unit, UnitQuaternion, Vector3};

use bunraku_test_support::{corpus, golden};

use crate::common::{load, scene};

struct Room {
    tank: Body,
    scene: Scene,
    poses: Vec<Isometry3<f64>>,
}

/// Height of Tank at time 0, m; its tracks slowly push it up from there.
const INITIAL_HEIGHT: f64 = 0.1;

/// The room at the time shown in the data of a device, which is before their delivery.
fn room(corpus: &Path, golden: &Path, device: &str) -> Room {
    let index = std::fs::read_to_string(golden.join("sensors/TankInLabo1/index.csv")).unwrap();
    let line = index.lines().find(|line| line.starts_with(device)).unwrap();
    let mut numbers: Vec<f64> = line.split(',').skip(2).take(14).map(|number| number.parse().unwrap()).collect();
    let (time, delay) = (numbers[0], numbers[1]);
    numbers.drain(..2);
    numbers[2] = INITIAL_HEIGHT + (numbers[2] - INITIAL_HEIGHT) * (time - delay) / time;
    let rotation = Matrix3::from_row_slice(&numbers[3..12]);
    let root = Isometry3::from_parts(
        Vector3::new(numbers[0], numbers[1], numbers[2]).into(),
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation)),
    );
    let (tank, labo) = (load(corpus, "Tank/Tank.body"), load(corpus, "Labo1/Labo1.body"));
    let poses = link_poses(&tank, &root, &[0.0, 0.0]);
    let scene = scene(&[
        (&labo, link_poses(&labo, &labo.root().offset, &labo.initial_displacements())),
        (&tank, poses.clone()),
    ]);
    Room { tank, scene, poses }
}

impl Room {
    fn device(&self, name: &str) -> &Device {
        self.tank.devices.iter().find(|device| device.name == name).unwrap()
    }

    fn link_pose(&self, device: &Device) -> &Isometry3<f64> {
        &self.poses[device.link.0]
    }

    /// Lights of the project: a lamp under the ceiling and that of Tank.
    fn lighting(&self) -> Lighting {
        let lamp = Light {
            color: Linear([0.8; 3]),
            source: LightSource::Spot {
                position: Point3::new(0.0, 0.0, 2.5),
                attenuation: Default::default(),
                direction: Unit::new_normalize(-Vector3::z()),
                beam_width: 60_f64.to_radians(),
                cut_off_angle: 70_f64.to_radians(),
                cut_off_exponent: 1.0,
            },
        };
        let own = self.tank.devices.iter().filter_map(|device| Light::of_device(device, self.link_pose(device)));
        Lighting {
            ambient: Linear([0.02; 3]),
            head: Linear([0.3; 3]),
            lights: std::iter::once(lamp).chain(own).collect(),
            background: Linear::BLACK,
            ..Lighting::default()
        }
    }
}

fn no_errors() -> Random {
    Random::of_sample(0, 0)
}

/// Both folders with the data; `None` if one is missing.
fn data() -> Option<(std::path::PathBuf, std::path::PathBuf)> {
    Some((corpus()?, golden()?))
}

/// Position of the first of four samples of a pixel on graphics cards, to the right and down from its upper left
/// corner.
const FIRST_SAMPLE: [f64; 2] = [0.375, 0.875];

fn share(differences: &[f64], bound: f64) -> f64 {
    differences.iter().filter(|&&found| found <= bound).count() as f64 / differences.len() as f64
}

/// Fractions of the differences, m, that are below some bounds, for the table of docs/reference/sensors.md.
fn print_shares(what: &str, differences: &[f64]) {
    let shares = [0.001, 0.01, 0.1].map(|bound| format!("{:.2} % ≤ {bound} m", 100.0 * share(differences, bound)));
    println!("{what}: {} values, {}", differences.len(), shares.join(", "));
}

#[test]
fn the_lidar_scan_of_tank() {
    let Some((corpus, golden)) = data() else { return };
    let room = room(&corpus, &golden, "VLP-16");
    let device = room.device("VLP-16");
    let DeviceKind::RangeSensor(sensor) = &device.kind else { panic!("{device:?}") };
    let exact = bunraku_body::RangeSensor { detection_rate: 1.0, error_deviation: 0.0, ..sensor.clone() };
    let scanner = Scanner::new(&exact, device.mounting().unwrap()).unwrap();
    let found = scanner.scan(&room.scene, room.link_pose(device), no_errors, Threads::available());
    assert_eq!((found.yaw_samples, found.pitch_samples), (901, 16));

    let text = std::fs::read_to_string(golden.join("sensors/TankInLabo1/VLP-16.csv")).unwrap();
    let theirs: Vec<f64> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.parse().unwrap()).collect();
    assert_eq!(theirs.len(), found.distances.len());

    let both: Vec<f64> = found
        .distances
        .iter()
        .zip(&theirs)
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .map(|(a, b)| (a - b).abs())
        .collect();
    print_shares("VLP-16, same ray", &both);
    let only = found.distances.iter().zip(&theirs).filter(|(a, b)| a.is_finite() != b.is_finite()).count();
    println!("VLP-16: {only} rays hit something in one alone, {} in neither", theirs.len() - both.len() - only);

    // Choreonoid's rays use the nearest pixel of a depth image: up to 0.1° sideways and 0.5° up or down.
    let (aside, up) = (0.1_f64.to_radians(), 0.5_f64.to_radians());
    let pose = scanner.pose(room.link_pose(device));
    let (mut smooth, mut agree, mut facing, mut close) = (0, 0, 0, 0);
    for (index, &theirs) in theirs.iter().enumerate() {
        let (yaw, pitch) = (exact.yaw.angle(index % 901), exact.pitch.angle(index / 901));
        let around: Vec<f64> = [-1.0, 0.0, 1.0]
            .into_iter()
            .flat_map(|x| [-1.0, 0.0, 1.0].map(|y| (yaw + x * aside, pitch + y * up)))
            .map(|(yaw, pitch)| {
                let local = Vector3::new(-yaw.sin() * pitch.cos(), pitch.sin(), -yaw.cos() * pitch.cos());
                let direction = pose.rotation * (exact.optical_rotation * Unit::new_normalize(local));
                let ray = Ray::new(pose.translation.vector.into(), direction);
                room.scene.cast(&ray, scanner.reach()).map_or(f64::INFINITY, |hit| hit.distance)
            })
            .collect();
        let least = around.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = around.iter().copied().fold(0.0, f64::max);
        // Smooth: the surface continues as a plane through the pixel.
        if largest.is_finite() && largest - least < 0.15 * least {
            smooth += 1;
            agree += usize::from(theirs >= least - 0.01 && theirs <= largest + 0.01);
        }
        if largest - least < 0.01 {
            facing += 1;
            close += usize::from((theirs - found.distances[index]).abs() <= 0.01);
        }
    }
    println!(
        "VLP-16: {agree} of {smooth} within 1 cm of what their pixel covers, {close} of {facing} within 1 cm where that is less than 1 cm"
    );
    assert!(smooth > 7000 && agree as f64 > 0.995 * smooth as f64);
    assert!(facing > 2500 && close as f64 > 0.999 * facing as f64);
    assert!(only < 100);
}

#[test]
fn the_kinect_cloud_of_tank() {
    let Some((corpus, golden)) = data() else { return };
    let room = room(&corpus, &golden, "Kinect");
    let device = room.device("Kinect");
    let DeviceKind::RangeCamera(sensor) = &device.kind else { panic!("{device:?}") };
    let exact = bunraku_body::RangeCamera { detection_rate: 1.0, error_deviation: 0.0, ..sensor.clone() };
    let camera = CameraModel::of_range_camera(&exact, device.mounting().unwrap()).unwrap();
    let found =
        camera.take(&room.scene, room.link_pose(device), &room.lighting(), no_errors, Threads::available()).unwrap();

    let mut text = String::new();
    let file = std::fs::File::open(golden.join("sensors/TankInLabo1/Kinect.xyz.gz")).unwrap();
    flate2::read::GzDecoder::new(BufReader::new(file)).read_to_string(&mut text).unwrap();
    let theirs: Vec<Vector3<f64>> = text
        .as_bytes()
        .lines()
        .map(|line| {
            let line = line.unwrap();
            let mut numbers = line.split_whitespace().map(|number| number.parse::<f64>().unwrap_or(f64::NAN));
            Vector3::from_fn(|_, _| numbers.next().unwrap())
        })
        .collect();
    assert_eq!(theirs.len(), found.points.len());
    let picture = image::RgbImage::from_raw(found.width, found.height, found.colors.concat()).unwrap();
    save(&picture, "kinect.png");

    let finite = |point: &Vector3<f64>| point.iter().all(|value| value.is_finite());
    let pairs =
        || found.points.iter().map(|point| point.cast::<f64>()).zip(&theirs).filter(|(a, b)| finite(a) && finite(b));
    let plain: Vec<f64> = pairs().map(|(a, b)| (a - b).norm()).collect();
    print_shares("Kinect, same pixel", &plain);

    // Choreonoid's depth is that of the first of four samples in a pixel, and its point is on the ray through the lower
    // left corner of the pixel. Interpreted so, both agree.
    let pose = camera.optical_pose(room.link_pose(device));
    let reach = Reach { min: camera.view().near, max: camera.view().far };
    let depth_at = |x: f64, y: f64| {
        let local = camera.view().direction(x, y).unwrap();
        let ray = Ray::new(pose.translation.vector.into(), pose.rotation * local);
        room.scene.cast(&ray, reach).map(|hit| -local.z * hit.distance)
    };
    let turn = camera.optical_pose(&Isometry3::identity()).rotation;
    let their_way: Vec<f64> = theirs
        .iter()
        .enumerate()
        .filter(|(_, point)| finite(point))
        .filter_map(|(index, point)| {
            let (column, row) = ((index % 320) as f64, (index / 320) as f64);
            let depth = depth_at(column + FIRST_SAMPLE[0], row + FIRST_SAMPLE[1])?;
            let corner = camera.view().direction(column, row + 1.0).unwrap();
            Some(
                (device.mounting().unwrap().rotation.inverse() * (turn * (corner.into_inner() * (depth / -corner.z)))
                    - point)
                    .norm(),
            )
        })
        .collect();
    print_shares("Kinect, their sample and corner", &their_way);
    assert!(share(&their_way, 0.01) > 0.98);
    let only = found.points.iter().zip(&theirs).filter(|(a, b)| finite(&a.cast()) != finite(b)).count();
    println!("Kinect: {only} pixels hit something in one alone");
    assert!(only < 500);
}

#[test]
fn the_dual_fisheye_picture_of_tank() {
    let Some((corpus, golden)) = data() else { return };
    let room = room(&corpus, &golden, "Theta");
    let device = room.device("Theta");
    let DeviceKind::Camera(sensor) = &device.kind else { panic!("{device:?}") };
    let camera = CameraModel::of_camera(sensor, device.mounting().unwrap()).unwrap();
    let found =
        camera.take(&room.scene, room.link_pose(device), &room.lighting(), no_errors, Threads::available()).unwrap();
    let picture = image::RgbImage::from_raw(found.width, found.height, found.colors.concat()).unwrap();
    save(&picture, "theta.png");
    let theirs = image::open(golden.join("sensors/TankInLabo1/Theta.png")).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), theirs.dimensions());
    // Colours depend on the lights, but the set of non-black pixels does not, except for near objects: Choreonoid
    // applies the camera's offset from the link twice.
    let dark = |pixel: &image::Rgb<u8>| pixel.0.iter().all(|&value| value < 8);
    let same = picture.pixels().zip(theirs.pixels()).filter(|(a, b)| dark(a) == dark(b)).count();
    let share = same as f64 / f64::from(picture.width() * picture.height());
    println!("Theta: {:.1} % of the pixels show something, or nothing, in both", 100.0 * share);
    assert!(share > 0.85);
}

/// Saves an image for inspection, in the folder given by `BUNRAKU_PICTURES`.
fn save(picture: &image::RgbImage, name: &str) {
    if let Some(folder) = std::env::var_os("BUNRAKU_PICTURES") {
        picture.save(Path::new(&folder).join(name)).unwrap();
    }
}
