//! The demo scenes write the results that their comments describe.

use std::f64::consts::FRAC_PI_3;

use super::{Results, mean, npy};

const G: f64 = 9.80665;

#[test]
fn the_imu_of_a_pendulum_measures_its_swing() {
    let results = Results::of_ours("sensors_imu.scene.yaml", &[]);
    let exact = results.table("sensors/Exact/BOB_IMU.csv");
    assert_eq!(exact.columns[..2], ["time [s]", "ax [m/s^2]"]);
    assert_eq!(
        exact.columns[1..],
        ["ax [m/s^2]", "ay [m/s^2]", "az [m/s^2]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]"]
    );
    assert_eq!(exact.rows.len(), 4000);
    let (along, spin) = (exact.column("az"), exact.column("wy"));
    // Energy: speed² = 2·g·m·length²/(m·length² + inertia)·(cos angle − cos 60°), and the rod pulls with g·cos angle +
    // speed²/length.
    let (length, inertia) = (0.6, 0.001);
    let share = length * length / (length * length + inertia);
    for (along, spin) in along.iter().zip(&spin) {
        let cos = FRAC_PI_3.cos() + spin * spin * length / share / (2.0 * G);
        let expected = G * cos + spin * spin * length;
        assert!((along - expected).abs() < 0.1, "{along} instead of {expected} m/s² at {spin} rad/s");
    }
    assert!((along.iter().copied().fold(0.0, f64::max) - 2.0 * G).abs() < 0.05);
    let across = exact.column("ax").iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    assert!(across < 0.1, "{across}");
    // The other pendulum has the same swing; the differences are noise and bias.
    let noisy = results.table("sensors/Noisy/BOB_IMU.csv");
    for (column, bias, deviation) in [("ax", 0.05, 0.2), ("ay", 0.0, 0.2), ("az", -0.1, 0.2), ("wx", 0.01, 0.02)] {
        let pairs = noisy.column(column).into_iter().zip(exact.column(column));
        let errors: Vec<f64> = pairs.map(|(noisy, exact)| noisy - exact - bias).collect();
        let spread = mean(&errors.iter().map(|error| error * error).collect::<Vec<_>>()).sqrt();
        println!("{column}: mean {:.4} off, deviation {spread:.4}", mean(&errors));
        assert!(mean(&errors).abs() < 4.0 * deviation / 4000_f64.sqrt());
        assert!((spread / deviation - 1.0).abs() < 0.05, "{spread}");
    }
}

#[test]
fn force_sensors_carry_a_robot_and_grip_a_box() {
    let results = Results::of_ours("sensors_force.scene.yaml", &[]);
    let of = |file: &str, column: &str| {
        let values = results.table(&format!("sensors/{file}.csv")).column(column);
        mean(&values[3000..])
    };
    let ankles = ["L", "R"].map(|side| of(&format!("Stander/{side}_ANKLE_FORCE"), "fz"));
    println!("ankles {ankles:?} N");
    let weight = 17.0 * G;
    assert!((ankles[0] + ankles[1] - weight).abs() < 1e-3 * weight, "{ankles:?}");
    assert!((ankles[0] - ankles[1]).abs() < 0.02 * weight);
    let mut hanging = 0.0;
    for (side, sign) in [("L", 1.0), ("R", -1.0)] {
        let file = format!("Gripper/FINGER_{side}_FORCE");
        let (squeeze, down) = (of(&file, "fy"), of(&file, "fz"));
        println!("finger {side}: {squeeze:.3} N, {down:.3} N");
        assert!((squeeze - sign * 30.0).abs() < 0.3, "the box pushes the fingers apart: {squeeze}");
        hanging -= down;
    }
    // Friction determines how they share the load of the box; together they carry it and themselves.
    assert!((hanging - (0.4 + 0.8) * G).abs() < 0.05, "{hanging}");
}

#[test]
fn a_rover_scans_a_room() {
    let results = Results::of_ours("sensors_range.scene.yaml", &["--mcap"]);
    let index = results.table("sensors/Rover/FRONT_LIDAR/index.csv");
    assert_eq!(index.rows.len(), 61);
    assert_eq!(index.times()[10], 1.0);
    for (sample, x) in index.column("x").iter().enumerate() {
        let (distances, shape) = npy(&results.path(&format!("sensors/Rover/FRONT_LIDAR/{sample:06}.npy")));
        assert_eq!(shape, [1, 121]);
        // At first the wall at 3 m is straight ahead.
        if sample < 20 {
            assert!((distances[60] - (3.0 - x)).abs() < 0.01, "{sample}: {} at {x}", distances[60]);
        }
        assert!(distances.iter().all(|distance| *distance > 0.3));
    }
    assert!(std::fs::metadata(results.path("run.mcap")).unwrap().len() > 10_000);
}

#[test]
fn cameras_see_depth_and_clouds() {
    let results = Results::of_ours("sensors_cameras.scene.yaml", &[]);
    for camera in ["LEFT", "RIGHT", "DEPTH"] {
        let index = results.table(&format!("sensors/Stereo/{camera}/index.csv"));
        assert_eq!(index.rows.len(), 21, "{camera}");
        let picture = image::open(results.path(&format!("sensors/Stereo/{camera}/000020.png"))).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (160, 120));
        let colors: std::collections::BTreeSet<_> = picture.pixels().map(|pixel| pixel.0).collect();
        assert!(colors.len() > 50, "{camera} shows {} colours", colors.len());
    }
    let (depths, shape) = npy(&results.path("sensors/Stereo/DEPTH/000000.npy"));
    assert_eq!(shape, [120, 160]);
    // The axis points 12 degrees down from 0.95 m: the floor in the middle of the lowest row is at a known depth.
    let row = |pixel: f64| (pixel - 60.0) / 60.0 * 25_f64.to_radians().tan();
    let down = 12_f64.to_radians();
    let expected = 0.95 / (row(119.5) * down.cos() + down.sin());
    assert!((depths[119 * 160 + 80] - expected).abs() < 1e-3, "{} instead of {expected}", depths[119 * 160 + 80]);
    let millimetres = image::open(results.path("sensors/Stereo/DEPTH/000000.mm.png")).unwrap().into_luma16();
    for (pixel, depth) in millimetres.pixels().zip(&depths) {
        assert!(!depth.is_finite() || (f64::from(pixel.0[0]) / 1000.0 - depth).abs() < 6e-4);
    }
    let cloud = std::fs::read(results.path("sensors/Stereo/CLOUD/000003.ply")).unwrap();
    let header = String::from_utf8_lossy(&cloud[..200]).into_owned();
    let points: usize = header.split("element vertex ").nth(1).unwrap().split('\n').next().unwrap().parse().unwrap();
    let share = points as f64 / (160.0 * 120.0);
    assert!(header.contains("time 1.5 s, frame Stereo/CLOUD") && share > 0.6 && share < 0.96, "{header} {share}");
}

#[test]
fn fisheyes_show_circles() {
    let results = Results::of_ours("sensors_fisheye.scene.yaml", &["--duration", "1"]);
    let open = |name: &str| image::open(results.path(name)).unwrap().into_rgb8();
    let down = open("sensors/Pole/DOWN/000005.png");
    assert_eq!(down.dimensions(), (200, 200));
    let is_black = |x: u32, y: u32, picture: &image::RgbImage| picture.get_pixel(x, y).0 == [0; 3];
    assert!([(2, 2), (197, 2), (2, 197), (197, 197)].iter().all(|&(x, y)| is_black(x, y, &down)));
    assert!(!is_black(100, 100, &down) && !is_black(100, 30, &down) && !is_black(30, 100, &down));
    let around = open("sensors/Pole/AROUND/000005.png");
    assert_eq!(around.dimensions(), (320, 160));
    assert_eq!(results.table("sensors/Pole/AROUND/index.csv").rows.len(), 6);
}

#[test]
fn one_robot_writes_everything() {
    let results = Results::of_ours("sensors_all.scene.yaml", &["--mcap", "--duration", "1"]);
    let samples = |device: &str| results.table(&format!("sensors/Inspector/{device}/index.csv")).rows.len();
    assert_eq!(samples("LASER"), 11);
    for camera in ["COLOR", "DEPTH", "COLOR_DEPTH", "POINTS", "COLOR_POINTS", "FISHEYE", "AROUND"] {
        assert_eq!(samples(camera), 6, "{camera}");
    }
    assert_eq!(npy(&results.path("sensors/Inspector/LASER/000010.npy")).1, [4, 181]);
    for device in ["IMU", "ACCELEROMETER", "GYRO", "CASTER_FORCE"] {
        let table = results.table(&format!("sensors/Inspector/{device}.csv"));
        assert_eq!(table.rows.len(), 1000);
        assert!(table.rows.iter().flatten().all(|value| value.is_finite()));
    }
    let joints = results.table("Inspector.joints.csv");
    assert_eq!(joints.rows.len(), 101);
    assert!(joints.columns.contains(&"WHEEL_L.torque.y [N*m]".to_owned()), "{:?}", joints.columns);
    let contacts = std::fs::read_to_string(results.path("Inspector.contacts.csv")).unwrap();
    assert!(contacts.contains(",WHEEL_L,Floor,FLOOR,"), "{}", &contacts[..400]);
}

#[test]
fn the_guide_shows_what_the_scenes_of_sensors_write() {
    let cameras = Results::of_ours("sensors_cameras.scene.yaml", &["--duration", "1"]);
    let open = |path: &std::path::Path| image::open(path).unwrap().into_rgb8().into_raw();
    let written = open(&cameras.path("sensors/Stereo/LEFT/000010.png"));
    let shown = open("docs/pictures/stereo_left.png".as_ref());
    assert_eq!(written.len(), shown.len());
    let differences = written.iter().zip(&shown).map(|(a, b)| f64::from(a.abs_diff(*b)));
    let difference = differences.sum::<f64>() / shown.len() as f64;
    // Falling bodies may be a pixel elsewhere on other processors.
    assert!(difference < 1.0, "{difference}");
    let imu = Results::of_ours("sensors_imu.scene.yaml", &[]);
    let plot = imu.path("imu.svg");
    let table = imu.path("sensors/Noisy/BOB_IMU.csv");
    let arguments =
        ["plot".as_ref(), table.as_os_str(), "--channel".as_ref(), "az".as_ref(), "--out".as_ref(), plot.as_os_str()];
    let output = super::bunraku().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", super::stderr(&output));
    // Title, axes and scales; the curve may be rounded differently.
    let frame = |path: &std::path::Path| -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().filter(|line| line.len() < 200).map(str::to_owned).collect()
    };
    assert_eq!(frame(&plot), frame("docs/pictures/imu.svg".as_ref()));
}

#[test]
fn the_balance_of_a_robot_is_recorded() {
    let results = Results::of_ours("legs.scene.yaml", &["--set", "record={ frame_rate: 100, balance: [ Stander ] }"]);
    let balance = results.table("Stander.balance.csv");
    assert_eq!(balance.rows.len(), 300);
    let at = |time: f64, name: &str| balance.column(name)[(time * 100.0).round() as usize - 1];
    // It stands for a second: the zero moment point is below the centre of mass. Its feet reach from -0.08 to 0.14 m.
    for axis in ["x", "y"] {
        let off = at(0.9, &format!("zmp.{axis}")) - at(0.9, &format!("com.{axis}"));
        assert!(off.abs() < 1e-3, "{axis}: {off} m");
    }
    let inside = at(0.9, "margin");
    let ahead = 0.14 - at(0.9, "zmp.x");
    let behind = at(0.9, "zmp.x") + 0.08;
    println!("{inside:.4} m inside; {ahead:.4} m to the toes, {behind:.4} m to the heels");
    assert!((inside - ahead.min(behind)).abs() < 0.01, "{inside} m");
    // 25 N at the pelvis, 0.7 m above the floor, move it forwards: 19 kg weigh 186 N.
    let moved = at(1.1, "zmp.x") - at(0.9, "zmp.x");
    println!("pushed by {moved:.4} m");
    assert!(moved > 0.03 && moved < 0.12, "{moved} m");
}
