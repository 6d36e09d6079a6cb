//! Programs independent of Bunraku read its sensor recordings.

use std::path::Path;
use std::process::Command;

use bunraku_test_support::{Needed, project, skip};

use super::Results;

const PACKAGES: &str = "import numpy, PIL.Image, plyfile, mcap.reader, mcap_protobuf.decoder";

/// `python3`, or the program named by `BUNRAKU_PYTHON`, with the packages above.
fn python() -> Command {
    Command::new(std::env::var_os("BUNRAKU_PYTHON").unwrap_or_else(|| "python3".into()))
}

fn read(folder: &Path) -> (bool, String) {
    let script = project().join("plugins/sensors/examples/read_recording.py");
    let output = python().arg(script).arg(folder).output().unwrap();
    let printed = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), printed)
}

#[test]
fn python_packages_open_every_demo_scene() {
    let has_packages = python().args(["-c", PACKAGES]).output();
    if !has_packages.is_ok_and(|output| output.status.success()) {
        skip(Needed::Python, "there is no python3 with numpy, pillow, plyfile, mcap and mcap-protobuf-support");
        return;
    }
    for (scene, devices) in [("imu", 2), ("force", 5), ("range", 1), ("cameras", 4), ("fisheye", 2), ("all", 12)] {
        let results = Results::of_ours(&format!("sensors_{scene}.scene.yaml"), &["--mcap", "--duration", "1"]);
        let (is_right, printed) = read(results.0.path());
        assert!(is_right && printed.contains(&format!("{devices} sensors")), "{scene}: {printed}");
        println!("{scene}:\n{printed}");
        if scene == "range" {
            // A changed recording is detected.
            let index = results.path("sensors/Rover/FRONT_LIDAR/index.csv");
            let text = std::fs::read_to_string(&index).unwrap();
            std::fs::write(&index, text.replacen("\n3,0.3,", "\n3,0.302,", 1)).unwrap();
            let (is_right, printed) = read(results.0.path());
            assert!(!is_right, "{printed}");
        }
    }
}

#[test]
fn readers_of_ros_2_open_every_demo_scene() {
    let has_packages = python().args(["-c", "import numpy, rosbags.rosbag2, mcap_ros2.decoder"]).output();
    if !has_packages.is_ok_and(|output| output.status.success()) {
        skip(Needed::Python, "there is no python3 with numpy, rosbags and mcap-ros2-support");
        return;
    }
    for (scene, devices) in [("imu", 2), ("force", 5), ("range", 1), ("cameras", 4), ("fisheye", 2), ("all", 12)] {
        let arguments = ["--mcap-profile", "ros2", "--duration", "0.5"];
        let results = Results::of_ours(&format!("sensors_{scene}.scene.yaml"), &arguments);
        let script = project().join("plugins/sensors/examples/read_ros2.py");
        let output = python().arg(script).arg(results.0.path()).output().unwrap();
        let printed = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(output.status.success() && printed.contains(&format!("{devices} sensors")), "{scene}: {printed}");
        println!("{scene}:\n{printed}");
    }
}
