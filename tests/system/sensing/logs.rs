//! Keys of scenes, files in the way of logs, and full disks.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Results, bunraku, npy, stderr};

const ROBOT: &str = "
format: ChoreonoidBody
format_version: 2.0
name: Robot
links:
  - name: BASE
    elements:
      - { type: Imu, name: IMU }
      - { type: Camera, name: EYE, format: COLOR, width: 80, height: 60, frame_rate: 100 }
      - { type: PointLight, name: LAMP }
      - { type: Shape, geometry: { type: Box, size: [ 0.1, 0.1, 0.1 ] } }
";

const SCENE: &str = "
format: BunrakuScene
format_version: 1
simulation: { time_step: 0.001, duration: 0.1 }
bodies:
  - { name: Robot, file: robot.body }
  - { name: Ball, shape: { type: sphere, radius: 0.1 }, translation: [ 0, 0, -1 ], fixed: true }
";

fn desk(rest: &str) -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    fs::write(desk.path().join("robot.body"), ROBOT).unwrap();
    fs::write(desk.path().join("x.scene.yaml"), format!("{SCENE}{rest}")).unwrap();
    desk
}

fn run(desk: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output =
        bunraku().current_dir(desk).args(["run", "x.scene.yaml", "--out", "out"]).args(arguments).output().unwrap();
    (output.status.code(), stderr(&output))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn only_requested_sensors_are_written_and_named_in_the_summary() {
    let desk = desk("record: { sensors: [ Robot/IMU ] }\n");
    assert_eq!(run(desk.path(), &[]), (Some(0), String::new()));
    assert_eq!(names(&desk.path().join("out/sensors/Robot")), ["IMU.csv"]);
    let summary = fs::read_to_string(desk.path().join("out/summary.json")).unwrap();
    assert!(summary.contains("\"sensors/Robot/IMU.csv\""), "{summary}");
    assert_eq!(run(desk.path(), &["--set", "record.sensors=false"]), (Some(0), String::new()));
    assert!(!desk.path().join("out/sensors/Robot/IMU.csv").exists(), "it is of the run before");
}

#[test]
fn pictures_of_an_earlier_run_do_not_stay_between_those_of_this_one() {
    let desk = desk("record: { sensors: [ Robot/EYE ] }\n");
    assert_eq!(run(desk.path(), &[]), (Some(0), String::new()));
    let folder = desk.path().join("out/sensors/Robot/EYE");
    assert_eq!(names(&folder).len(), 12);
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    assert_eq!(run(desk.path(), &["--duration", "0.03"]), (Some(0), String::new()));
    assert_eq!(names(&folder), ["000000.png", "000001.png", "000002.png", "000003.png", "index.csv", "notes.txt"]);
}

#[test]
fn invalid_settings_are_reported_at_their_location() {
    let message = |rest: &str| {
        let desk = desk(rest);
        let (code, message) = run(desk.path(), &[]);
        assert_eq!(code, Some(1), "{message}");
        message
    };
    let printed = message("record: { sensors: [ Robot/IMX ] }\n");
    assert!(printed.contains("`Robot` has no device `IMX`") && printed.contains("did you mean `IMU`?"), "{printed}");
    let printed = message("record: { sensors: [ Robt ] }\n");
    assert!(printed.contains("there is no body `Robt`") && printed.contains("did you mean `Robot`?"), "{printed}");
    if cfg!(not(feature = "viewer")) {
        let printed = message("sensors: { renderer: gpu }\nrecord: { sensors: true }\n");
        assert!(printed.contains("built without") && printed.contains("`renderer: cpu`"), "{printed}");
    }
    let printed = message("sensors: { devices: [ { device: Robot/EYE, rate: -5 } ] }\nrecord: { sensors: true }\n");
    assert!(printed.contains("a rate of -5 Hz is impossible") && printed.contains("x.scene.yaml:8:50"), "{printed}");
    let printed = message("sensors: { seed: -1 }\n");
    assert!(printed.contains("a seed is not negative"), "{printed}");
    let printed = message("record: { joints: [ speeds ] }\n");
    assert!(printed.contains("a channel of joints"), "{printed}");
    let desk = desk("sensors: { devices: [ { device: Robot/IMU, force_noise: 1 } ] }\n");
    let (code, printed) = run(desk.path(), &[]);
    assert!(code == Some(0) && printed.contains("`force_noise` does nothing"), "{printed}");
}

/// A limit on file sizes acts like a full disk on the files that would exceed it.
#[cfg(unix)]
#[test]
fn a_full_disk_keeps_all_complete_samples() {
    let desk = desk("record: { sensors: true }\n");
    let program = env!("CARGO_BIN_EXE_bunraku");
    let script = format!("trap '' XFSZ; ulimit -f 200; exec {program} run x.scene.yaml --out out --duration 5");
    let output = Command::new("sh").args(["-c", &script]).current_dir(desk.path()).output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("the recording of sensors failed: out/sensors/Robot/IMU.csv cannot be written any further"),
        "{message}"
    );
    let table = super::Table::read(&desk.path().join("out/sensors/Robot/IMU.csv"));
    assert!(table.rows.len() > 500 && table.rows.iter().all(|row| row.len() == 7), "{}", table.rows.len());
    assert!(message.contains(&format!("Its {} rows are kept", table.rows.len())), "{message}");
    // Pictures up to then are complete, and in the index.
    let index = super::Table::read(&desk.path().join("out/sensors/Robot/EYE/index.csv"));
    let pictures = names(&desk.path().join("out/sensors/Robot/EYE"));
    assert_eq!(pictures.len(), index.rows.len() + 1);
    let last = image::open(desk.path().join("out/sensors/Robot/EYE").join(&pictures[pictures.len() - 2])).unwrap();
    assert_eq!((last.width(), last.height()), (80, 60));
    let summary = fs::read_to_string(desk.path().join("out/summary.json")).unwrap();
    assert!(summary.contains("unfinished") && summary.contains("sensors/Robot/EYE/index.csv"), "{summary}");
}

#[test]
fn samples_of_an_older_run_do_not_stay_among_those_of_another_scene() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = |scene: &str| {
        let mut command = bunraku();
        command.arg("run").arg(Path::new("assets/scenes").join(scene)).args(["--quiet", "--out"]).arg(&out);
        let output = command.args(["--duration", "0.3"]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    };
    let scans = || names(&out.join("sensors/Rover/FRONT_LIDAR"));
    run("sensors_range.scene.yaml");
    assert_eq!(&scans()[..2], ["000000.npy", "000001.npy"]);
    assert!(scans().ends_with(&["index.csv", "pitch.npy", "yaw.npy"].map(str::to_owned)));
    fs::write(out.join("sensors/Rover/FRONT_LIDAR/notes.txt"), "mine").unwrap();
    run("sensors_imu.scene.yaml");
    assert_eq!(scans(), ["notes.txt"]);
    fs::remove_file(out.join("sensors/Rover/FRONT_LIDAR/notes.txt")).unwrap();
    run("sensors_range.scene.yaml");
    run("sensors_imu.scene.yaml");
    assert!(!out.join("sensors/Rover").exists(), "{:?}", names(&out.join("sensors/Rover")));
}

#[test]
fn a_scan_has_its_angles_beside_it() {
    let results = Results::of_ours("sensors_range.scene.yaml", &["--duration", "0.1"]);
    let read = |name: &str| npy(&results.path(&format!("sensors/Rover/FRONT_LIDAR/{name}.npy")));
    let ((_, [rows, columns]), (yaw, yaws), (pitch, pitches)) = (read("000000"), read("yaw"), read("pitch"));
    assert_eq!((yaws, pitches), ([1, columns], [1, rows]));
    assert!(yaw.is_sorted() && (yaw[0] + yaw[columns - 1]).abs() < 1e-9 && pitch.is_sorted());
}
