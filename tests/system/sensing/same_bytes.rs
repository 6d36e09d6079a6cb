//! The files of a run depend on its scene alone: not on the time of day, nor on the number of cores that cast rays.

use std::path::{Path, PathBuf};
use std::process::Command;

use bunraku_test_support::project;

use super::{Results, bunraku, stderr};

/// The demo scenes, with added noise if they have none of their own.
const SCENES: [(&str, &str); 6] = [
    ("sensors_imu", ""),
    ("sensors_force", "sensors.devices=[{ device: Stander/L_ANKLE_FORCE, force_noise: 0.1, torque_noise: 0.01 }]"),
    ("sensors_range", "sensors.devices=[{ device: Rover/FRONT_LIDAR, detection_rate: 0.9, error_deviation: 0.01 }]"),
    (
        "sensors_cameras",
        "sensors.devices=[{ device: Stereo/DEPTH, detection_rate: 0.9, error_deviation: 0.01 }, \
         { device: Stereo/CLOUD, detection_rate: 0.9, error_deviation: 0.01 }]",
    ),
    ("sensors_fisheye", ""),
    ("sensors_all", ""),
];

/// All files that the program writes for a scene, run with this command.
fn written(mut command: Command, scene: &str, noise: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let results = Results(tempfile::tempdir().unwrap());
    command.arg("run").arg(Path::new("assets/scenes").join(format!("{scene}.scene.yaml")));
    command.args(["--mcap", "--duration", "1", "--out"]).arg(results.0.path());
    if !noise.is_empty() {
        command.args(["--set", noise]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{scene}: {}", stderr(&output));
    results.files()
}

/// The program on the first core; `None` if the system cannot restrict it to one.
fn on_one_core() -> Option<Command> {
    Command::new("taskset").args(["-c", "0", "true"]).output().ok().filter(|output| output.status.success())?;
    let mut command = Command::new("taskset");
    command.args(["-c", "0", env!("CARGO_BIN_EXE_bunraku")]).current_dir(project()).env_remove("BUNRAKU_SHARE");
    Some(command)
}

#[test]
fn every_log_is_the_same_twice_and_on_one_core() {
    for (scene, noise) in SCENES {
        let first = written(bunraku(), scene, noise);
        let second = match on_one_core() {
            Some(command) => written(command, scene, noise),
            None => {
                println!("{scene}: there is no `taskset` here to keep it on one core; it is run twice on all of them");
                written(bunraku(), scene, noise)
            }
        };
        println!("{scene}: {} files, {} bytes", first.len(), first.iter().map(|(_, bytes)| bytes.len()).sum::<usize>());
        let names = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&first), names(&second), "{scene}");
        assert!(first.iter().any(|(name, _)| name == Path::new("run.mcap")));
        for ((name, bytes), (_, others)) in first.iter().zip(&second) {
            assert!(bytes == others, "{scene}: {} differs", name.display());
        }
    }
}
