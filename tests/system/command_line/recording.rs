//! The files that `bunraku run` leaves on the disk, however it ends.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;
use bunraku_test_support::TestFolder;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr};

/// The names of the files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

fn load(path: &Path) -> BodyMotion {
    BodyMotion::load(path, &Reporter::new()).unwrap()
}

fn summary(desk: &Desk) -> serde_json::Value {
    serde_json::from_slice(&fs::read(desk.path().join("out/summary.json")).unwrap()).unwrap()
}

/// Starts a run without end, and waits until it has recorded something.
fn endless(desk: &Desk, mut command: Command) -> Child {
    command.current_dir(desk.path()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let partial = desk.path().join("out/Arm.seq.partial");
    while fs::metadata(&partial).map_or(0, |metadata| metadata.len()) < 20_000 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn endless_run() -> Command {
    let mut command = bunraku();
    command.args(["run", "arm.scene.yaml", "--out", "out", "--duration", "100000"]);
    command
}

#[test]
fn a_second_run_into_the_same_directory_is_refused_and_harms_nothing() {
    let desk = Desk::new(ARM, SCENE);
    let mut first = endless(&desk, endless_run());
    for out in ["out", "./out/../out"] {
        let second = desk.bunraku(&["run", "arm.scene.yaml", "--out", out]);
        let message = stderr(&second);
        assert_eq!(second.status.code(), Some(1), "{message}");
        assert!(message.contains("another run is recording into") && message.contains(out), "{message}");
    }
    first.kill().unwrap();
    first.wait().unwrap();
    // The lock was released when the process ended.
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    assert_eq!(load(&desk.path().join("out/Arm.seq")).num_frames(), 11);
}

#[test]
fn a_killed_run_leaves_no_older_result_and_its_own_frames_are_kept() {
    let desk = Desk::new(ARM, SCENE);
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    let mut killed = endless(&desk, endless_run());
    killed.kill().unwrap();
    killed.wait().unwrap();
    let out = desk.path().join("out");
    assert!(!names(&out).iter().any(|name| name == "Arm.seq" || name == "summary.json"), "{:?}", names(&out));
    let frames = load(&out.join("Arm.seq.partial")).num_frames();
    let output = desk.run(&[]);
    assert_eq!(output.status.code(), Some(0));
    let message = stderr(&output);
    assert!(message.contains("bunraku convert out/Arm.1.seq.partial out/Arm.1.seq"), "{message}");
    assert_eq!(load(&out.join("Arm.1.seq.partial")).num_frames(), frames);
    assert_eq!(names(&out), ["Arm.1.seq.partial", "Arm.seq", "summary.json"]);
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
fn end(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_finishes_its_recordings() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let desk = Desk::new(ARM, SCENE);
        let child = endless(&desk, endless_run());
        signal(&child, name);
        // Some senders send it twice.
        signal(&child, name);
        let output = end(child);
        assert_eq!(output.status.code(), Some(code), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains("interrupted at t = "), "{}", stderr(&output));
        assert_eq!(names(&desk.path().join("out")), ["Arm.seq", "summary.json"]);
        let summary = summary(&desk);
        assert_eq!(summary["failure"], "interrupted");
        let frames = load(&desk.path().join("out/Arm.seq")).num_frames();
        assert_eq!(summary["steps"].as_u64().unwrap() + 1, frames as u64);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let desk = Desk::new(ARM, SCENE);
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_bunraku");
    command.args(["-c", &format!("trap '' HUP; exec {program} run arm.scene.yaml --out out --duration 100000")]);
    let mut child = endless(&desk, command);
    signal(&child, "HUP");
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "TERM");
    assert_eq!(end(child).status.code(), Some(143));
}

/// A tree of 40 arms: its frames are 20 times as long as those of one.
fn tree() -> String {
    let mut model = replaced(ARM, "name: Arm", "name: Tree");
    for joint in 1..40 {
        model += &format!(
            "  - {{ name: ARM{joint}, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: {joint}, mass: 1 }}\n"
        );
    }
    model
}

/// Runs with a limit on file sizes, which acts like a full disk on the files that would exceed it.
#[cfg(unix)]
fn run_on_small_disk(desk: &Desk, arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_bunraku");
    let script =
        format!("trap '' XFSZ; ulimit -f 200; exec {program} run arm.scene.yaml --out out --duration 5 {arguments}");
    Command::new("sh").args(["-c", &script]).current_dir(desk.path()).output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_full_disk_costs_one_recording_and_neither_the_others_nor_the_summary() {
    // The tree is first, and last again: recordings after a failed one are finished, too.
    let bodies = "bodies:\n  - { name: Tree, file: tree.body, controller: { type: servo, kp: 10, kd: 1 } }\n";
    let desk = Desk::new(ARM, &replaced(SCENE, "bodies:\n", bodies));
    desk.write("tree.body", &tree());
    let output = run_on_small_disk(&desk, "--set bodies.Tree.joint_displacements.ARM=30.123");
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in [
        "the recording failed: cannot write the recording: File too large",
        "out/Tree.seq is not finished; what was recorded is in out/Tree.seq.partial",
        "bunraku convert out/Tree.seq.partial out/Tree.seq",
    ] {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
    assert_eq!(names(&desk.path().join("out")), ["Arm.seq", "Tree.seq.partial", "summary.json"]);
    let summary = summary(&desk);
    assert_eq!((&summary["files"][0], &summary["unfinished"][0]), (&"Arm.seq".into(), &"Tree.seq.partial".into()));
    assert!(summary["failure"].as_str().unwrap().contains("File too large"));
    assert!(load(&desk.path().join("out/Arm.seq")).num_frames() > 100);
    let convert = ["convert", "out/Tree.seq.partial", "out/Tree.seq"];
    let output = desk.bunraku(&convert);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(load(&desk.path().join("out/Tree.seq")).num_frames() > 100);
}

#[test]
fn a_run_does_not_replace_the_motion_it_plays() {
    let desk = Desk::new(ARM, SCENE);
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    let recorded = fs::read(desk.path().join("out/Arm.seq")).unwrap();
    let playing = replaced(SCENE, "type: pd,", "type: pd, motion: out/../out/Arm.seq,");
    desk.write("arm.scene.yaml", &playing);
    let output = desk.run(&[]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("the recording out/Arm.seq would replace"), "{message}");
    assert_eq!(fs::read(desk.path().join("out/Arm.seq")).unwrap(), recorded);
    assert_eq!(names(&desk.path().join("out")), ["Arm.seq", "summary.json"]);
    let elsewhere = ["run", "arm.scene.yaml", "--out", "other"];
    let output = desk.bunraku(&elsewhere);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn results_do_not_depend_on_their_directory() {
    let desk = Desk::new(ARM, SCENE);
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    let scene = desk.path().join("arm.scene.yaml");
    let other = TestFolder::new();
    let out = other.join("far/away");
    let output = bunraku().current_dir(other.path()).arg("run").arg(scene).arg("--out").arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in ["Arm.seq", "summary.json"] {
        let [here, there] = [desk.path().join("out"), out.clone()].map(|out| fs::read(out.join(name)).unwrap());
        assert!(here == there, "{}\n{}", String::from_utf8_lossy(&here), String::from_utf8_lossy(&there));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| fs::metadata(out.join(name)).unwrap().permissions().mode();
        fs::write(out.join("plain"), "").unwrap();
        assert_eq!([mode("Arm.seq"), mode("summary.json")], [mode("plain"); 2]);
    }
}

#[cfg(unix)]
#[test]
fn more_bodies_than_files_may_be_open() {
    let mut scene = SCENE.to_owned();
    for number in 0..200 {
        scene += &format!("  - {{ name: Arm{number}, file: arm.body }}\n");
    }
    let desk = Desk::new(ARM, &scene);
    let program = env!("CARGO_BIN_EXE_bunraku");
    let script = format!("ulimit -n 100; exec {program} run arm.scene.yaml --out out");
    let output = Command::new("sh").args(["-c", &script]).current_dir(desk.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(names(&desk.path().join("out")).len(), 202);
}

/// An arm of 1 kg with its centre of mass 0.5 m from the joint, held horizontally.
const HEAVY: &str = "mass: 1\n    center_of_mass: [ 0.5, 0, 0 ]\n    inertia: [ 0.01, 0, 0, 0.02, 0, 0.02 ]\n";

#[test]
fn velocities_and_efforts_of_joints_are_recorded() {
    let scene = replaced(SCENE, "duration: 0.01", "duration: 1");
    let scene = replaced(&scene, "type: pd, kp: 10, kd: 1", "type: servo, kp: 1000, kd: 20");
    let desk = Desk::new(
        &replaced(ARM, "inertia: [ 1, 0, 0, 1, 0, 1 ]\n    mass: 1\n", HEAVY),
        &format!("{scene}record: {{ velocities: true, efforts: true, frame_rate: 500 }}\n"),
    );
    for solver in ["impulse", "multibody"] {
        let output = desk.run(&["--set", &format!("simulation.joints={solver}")]);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(stderr(&output).contains("[impulse-servo]"), solver == "impulse", "{}", stderr(&output));
        assert_eq!(names(&desk.path().join("out")), ["Arm.joints.csv", "Arm.seq", "summary.json"]);
        let table = fs::read_to_string(desk.path().join("out/Arm.joints.csv")).unwrap();
        let mut lines = table.lines();
        assert_eq!(lines.next(), Some("time [s],ARM.velocity [rad/s],ARM.effort [N*m]"));
        let rows: Vec<[f64; 3]> = lines
            .map(|line| {
                let values: Vec<f64> = line.split(',').map(|value| value.parse().unwrap()).collect();
                values.try_into().unwrap()
            })
            .collect();
        let motion = load(&desk.path().join("out/Arm.seq")).joint_displacements.unwrap();
        assert_eq!((rows.len(), motion.num_frames(), rows[0]), (501, 501, [0.0; 3]));
        for (frame, [time, velocity, _]) in rows.iter().enumerate().skip(1) {
            assert_eq!(*time, frame as f64 / 500.0);
            let mean = (motion.frame(frame)[0] - motion.frame(frame - 1)[0]) * 500.0;
            // Over two steps the velocity changes with at most 40 rad/s².
            assert!((mean - velocity).abs() < 0.05, "{solver}, frame {frame}: {velocity} instead of {mean}");
        }
        // At rest the servo carries the weight, whose torque is about +Y.
        let [_, velocity, effort] = rows[500];
        assert!(velocity.abs() < 1e-3 && (effort + 9.80665 * 0.5).abs() < 0.02, "{solver}: {velocity}, {effort}");
    }
    desk.write("arm.scene.yaml", &format!("{scene}record: {{ velocities: true }}\n"));
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    let table = fs::read_to_string(desk.path().join("out/Arm.joints.csv")).unwrap();
    assert!(table.starts_with("time [s],ARM.velocity [rad/s]\n0,0\n"), "{table}");
    // Without the setting there is no table, not even an older one.
    desk.write("arm.scene.yaml", &scene);
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    assert_eq!(names(&desk.path().join("out")), ["Arm.seq", "summary.json"]);
}
