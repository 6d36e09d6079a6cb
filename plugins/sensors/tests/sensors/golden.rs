//! Against what Choreonoid measured: Tank at rest in Labo1, without errors.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use bunraku_body::kinematics::link_poses;
use bunraku_body::{Body, Device, DeviceKind};
use bunraku_render::{Light, LightSource, Lighting, Linear, Ray, Scene, Threads};
use bunraku_sensors::{CameraModel, Random, Scanner, mounting};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Unit, UnitQuaternion, Vector3};

use crate::common::{folder, load, scene};

struct Room {
    tank: Body,
    scene: Scene,
    poses: Vec<Isometry3<f64>>,
}

/// The room as it was `delay` before the data of a device came, which is all the index tells: at rest.
fn room(corpus: &Path, golden: &Path, device: &str) -> Room {
    let index = std::fs::read_to_string(golden.join("sensors/TankInLabo1/index.csv")).unwrap();
    let line = index.lines().find(|line| line.starts_with(device)).unwrap();
    let numbers: Vec<f64> = line.split(',').skip(4).take(12).map(|number| number.parse().unwrap()).collect();
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

    /// The lights of the project: a lamp under the ceiling and that of Tank.
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
        }
    }
}

fn no_errors() -> Random {
    Random::of_sample(0, 0)
}

/// Both folders with the data; `None` if one is missing.
fn data() -> Option<(std::path::PathBuf, std::path::PathBuf)> {
    Some((folder("BUNRAKU_CORPUS")?, folder("BUNRAKU_GOLDEN")?))
}

/// Shares of the differences, m, that are below some bounds, for the table of docs/sensors.md.
fn print_shares(what: &str, differences: &[f64]) {
    let share =
        |bound: f64| differences.iter().filter(|&&found| found <= bound).count() as f64 / differences.len() as f64;
    let shares = [0.001, 0.01, 0.1].map(|bound| format!("{:.2} % ≤ {bound} m", 100.0 * share(bound)));
    println!("{what}: {} values, {}", differences.len(), shares.join(", "));
}

#[test]
fn the_lidar_scan_of_tank() {
    let Some((corpus, golden)) = data() else { return };
    let room = room(&corpus, &golden, "VLP-16");
    let device = room.device("VLP-16");
    let DeviceKind::RangeSensor(sensor) = &device.kind else { panic!("{device:?}") };
    let exact = bunraku_body::RangeSensor { detection_rate: 1.0, error_deviation: 0.0, ..sensor.clone() };
    let scanner = Scanner::new(&exact, mounting(device).unwrap()).unwrap();
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

    // Their ray takes the nearest pixel of a depth picture: up to 0.1° aside and 0.5° up or down.
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
                let ray = Ray { origin: pose.translation.vector.into(), direction };
                room.scene.cast(&ray, scanner.reach()).map_or(f64::INFINITY, |hit| hit.distance)
            })
            .collect();
        let least = around.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = around.iter().copied().fold(0.0, f64::max);
        // Smooth: the surface goes on as a plane through the pixel.
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
}

#[test]
fn the_kinect_cloud_of_tank() {
    let Some((corpus, golden)) = data() else { return };
    let room = room(&corpus, &golden, "Kinect");
    let device = room.device("Kinect");
    let DeviceKind::RangeCamera(sensor) = &device.kind else { panic!("{device:?}") };
    let exact = bunraku_body::RangeCamera { detection_rate: 1.0, error_deviation: 0.0, ..sensor.clone() };
    let camera = CameraModel::of_range_camera(&exact, mounting(device).unwrap()).unwrap();
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
    let pose = camera.optical_pose(room.link_pose(device));
    let turn = mounting(device).unwrap().rotation.inverse() * room.link_pose(device).rotation.inverse();
    for (x, y) in [(0.5, 0.5), (0.0, 0.0), (0.0, 0.5), (0.0, 1.0), (0.5, 0.0), (0.5, 1.0), (1.0, 0.0), (1.0, 1.0)] {
        let differences: Vec<f64> = theirs
            .iter()
            .enumerate()
            .filter(|(_, point)| finite(point))
            .filter_map(|(index, point)| {
                let (column, row) = ((index % 320) as f64, (index / 320) as f64);
                let direction = pose.rotation * camera.view().direction(column + x, row + y).unwrap();
                let hit = room.scene.cast(
                    &Ray { origin: pose.translation.vector.into(), direction },
                    bunraku_render::Reach { min: 0.04, max: 200.0 },
                )?;
                Some((turn * direction.into_inner() * hit.distance - point).norm())
            })
            .collect();
        print_shares(&format!("Kinect at {x} {y}"), &differences);
    }
    let mut shift: Vec<Vector3<f64>> = pairs().map(|(a, b)| (a - b) / a.norm()).collect();
    for axis in 0..3 {
        shift.sort_by(|a, b| a[axis].total_cmp(&b[axis]));
        println!("axis {axis}: median shift {}", shift[shift.len() / 2][axis]);
    }
    let only = found.points.iter().zip(&theirs).filter(|(a, b)| finite(&a.cast()) != finite(b)).count();
    println!("Kinect: {only} pixels hit something in one alone");
}

#[test]
fn the_dual_fisheye_picture_of_tank() {
    let Some((corpus, golden)) = data() else { return };
    let room = room(&corpus, &golden, "Theta");
    let device = room.device("Theta");
    let DeviceKind::Camera(sensor) = &device.kind else { panic!("{device:?}") };
    let camera = CameraModel::of_camera(sensor, mounting(device).unwrap()).unwrap();
    let found =
        camera.take(&room.scene, room.link_pose(device), &room.lighting(), no_errors, Threads::available()).unwrap();
    let picture = image::RgbImage::from_raw(found.width, found.height, found.colors.concat()).unwrap();
    save(&picture, "theta.png");
    let theirs = image::open(golden.join("sensors/TankInLabo1/Theta.png")).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), theirs.dimensions());
}

/// Keeps a picture to look at, in the folder that `BUNRAKU_PICTURES` names.
fn save(picture: &image::RgbImage, name: &str) {
    if let Some(folder) = std::env::var_os("BUNRAKU_PICTURES") {
        picture.save(Path::new(&folder).join(name)).unwrap();
    }
}
