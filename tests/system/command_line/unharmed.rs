//! Files that a run must not damage, and limits that end it with a reason.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use bevy::prelude::*;
use bunraku::SandboxPlugins;
use bunraku::document::Reporter;
use bunraku::scene::{Scene, SceneOptions};
use bunraku_test_support::png_with_a_broken_palette;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

/// A camera that looks down, an IMU and a range sensor.
const CAMERA: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Cam
links:
  - name: R
    joint_type: free
    mass: 1
    inertia: [ 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 ]
    elements:
      - { type: Camera, name: C, format: COLOR_DEPTH, width: 32, height: 24, frame_rate: 100, translation: [ 0, 0, 3 ] }
      - { type: Imu, name: I }
      - { type: RangeSensor, name: L, yaw_range: 90, yaw_step: 5, max_distance: 10, scan_rate: 100 }
";

fn head(duration: f64) -> String {
    format!("format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: {duration} }}\n")
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs the program in the desk's directory, after shell commands such as `ulimit`.
#[cfg(unix)]
fn shell(desk: &Desk, before: &str, arguments: &str) -> Output {
    let script = format!("{before}; exec {} {arguments}", env!("CARGO_BIN_EXE_bunraku"));
    Command::new("bash").args(["-c", &script]).current_dir(desk.path()).output().unwrap()
}

#[test]
fn a_heightfield_below_the_results_is_neither_removed_nor_replaced_by_a_sample() {
    let desk = Desk::new(ARM, SCENE);
    desk.write("cam.body", CAMERA);
    let bodies = "  - { name: H, shape: { type: heightfield, image: sensors/C/C/000001.png, size: [ 3, 3, 0.2 ] } }
  - { name: C, file: cam.body, translation: [ 0, 0, 2 ] }
";
    desk.write("s.scene.yaml", &format!("{}bodies:\n{bodies}record: {{ sensors: true }}\n", head(0.02)));
    fs::create_dir_all(desk.path().join("sensors/C/C")).unwrap();
    let picture = desk.path().join("sensors/C/C/000001.png");
    image::GrayImage::from_fn(8, 8, |x, y| image::Luma([(x * y) as u8])).save(&picture).unwrap();
    let before = fs::read(&picture).unwrap();
    let output = desk.bunraku(&["run", "s.scene.yaml", "--out", "."]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("000001.png would replace") && message.contains("--out"), "{message}");
    assert!(fs::read(&picture).unwrap() == before);
    assert_eq!(desk.bunraku(&["run", "s.scene.yaml", "--out", "out"]).status.code(), Some(0));
    // Pictures of the run are results, too.
    for pictures in [["--frames", "sensors/C/C"], ["--film", "sensors/C/C/000001.png"]] {
        let output = desk.bunraku(&[&["run", "s.scene.yaml", "--out", "out"], &pictures[..]].concat());
        assert!(stderr(&output).contains("000001.png would replace"), "{}", stderr(&output));
        assert!(fs::read(&picture).unwrap() == before);
    }
}

#[test]
fn a_scene_called_like_the_summary_the_lock_or_a_partial_file_is_not_replaced() {
    let desk = Desk::new(ARM, SCENE);
    let scene = r#"{ "format": "BunrakuScene", "format_version": 1, "simulation": { "duration": 0.05 }, "bodies": [ { "name": "B", "shape": { "type": "box", "size": [ 1, 1, 1 ] } } ] }"#;
    for name in ["summary.json", ".bunraku.lock", "B.seq.partial"] {
        desk.write(name, scene);
        let output = desk.bunraku(&["run", name, "--out", "."]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert_eq!(fs::read_to_string(desk.path().join(name)).unwrap(), scene);
        fs::remove_file(desk.path().join(name)).unwrap();
    }
    desk.write("summary.json", "materials: []\n");
    desk.write("arm.scene.yaml", &format!("{SCENE}materials: summary.json\n"));
    let output = desk.bunraku(&["run", "arm.scene.yaml", "--out", "."]);
    assert!(stderr(&output).contains("summary.json would replace"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(desk.path().join("summary.json")).unwrap(), "materials: []\n");
    assert_eq!(names(desk.path()), ["arm.body", "arm.scene.yaml", "summary.json"]);
}

#[test]
fn rerun_into_its_own_results_is_refused() {
    let desk = Desk::new(ARM, SCENE);
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    for (out, word) in
        [("out/new", "lies in"), ("out/../out/a/b", "lies in"), ("out", "is"), (".", "contains"), ("out/none/..", "is")]
    {
        let output = desk.bunraku(&["rerun", "out", "--out", out]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{out}: {message}");
        assert!(message.contains(&format!("`--out` {word} the directory of the results")), "{out}: {message}");
        assert_eq!(names(&desk.path().join("out")), ["Arm.seq", "summary.json"]);
    }
    let output = desk.bunraku(&["rerun", "out", "--out", "outer"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn an_override_does_not_change_aliases_of_its_body() {
    let bodies = "bodies:\n  - { name: A, file: arm.body, controller: &c { type: servo, kp: 10, kd: 1 } }\n  - { name: B, file: arm.body, controller: *c }\n";
    let desk = Desk::new(ARM, &format!("{}{bodies}", head(0.01)));
    assert_eq!(desk.run(&["--set", "bodies.A.controller.kp=77"]).status.code(), Some(0));
    let summary: serde_json::Value =
        serde_json::from_slice(&fs::read(desk.path().join("out/summary.json")).unwrap()).unwrap();
    let kp = |body: usize| summary["resolved_scene"]["bodies"][body]["controller"]["kp"].as_f64().unwrap();
    assert_eq!([kp(0), kp(1)], [77.0, 10.0]);
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_no_file_is_reported_and_does_not_block() {
    let desk = Desk::new(ARM, SCENE);
    fs::create_dir(desk.path().join("out")).unwrap();
    let lock = desk.path().join("out/.bunraku.lock");
    let makers: [&dyn Fn(); 3] = [
        &|| assert!(Command::new("mkfifo").arg(&lock).status().unwrap().success()),
        &|| fs::create_dir(&lock).unwrap(),
        &|| std::os::unix::fs::symlink("../elsewhere", &lock).unwrap(),
    ];
    for make in makers {
        make();
        let output = desk.run(&[]);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("`.bunraku.lock` in it is not a file") && message.contains("out"), "{message}");
        assert_eq!(names(desk.path()), ["arm.body", "arm.scene.yaml", "out"]);
        let _ = fs::remove_file(&lock).or_else(|_| fs::remove_dir(&lock));
    }
    assert_eq!(desk.run(&[]).status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_is_an_error_with_a_reason() {
    let desk = Desk::new(ARM, SCENE);
    let output = shell(&desk, "ulimit -f 100", "run arm.scene.yaml --out out --duration 20");
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{:?} {message}", output.status);
    assert!(message.contains("File too large"), "{message}");
    assert_eq!(names(&desk.path().join("out")), ["Arm.seq.partial", "summary.json"]);
    // Even a limit of 0 bytes is reported.
    let output = shell(&desk, "ulimit -f 0", "run arm.scene.yaml --out none");
    assert_eq!(output.status.code(), Some(1), "{:?}", output.status);
    assert!(stderr(&output).contains("File too large"), "{}", stderr(&output));
    assert!(
        !names(&desk.path().join("none")).contains(&".bunraku.lock".to_owned()),
        "{:?}",
        names(&desk.path().join("none"))
    );
}

#[cfg(unix)]
#[test]
fn a_run_that_has_used_up_its_file_handles_writes_its_summary() {
    let imus: String = (0..60).map(|number| format!("      - {{ type: Imu, name: I{number} }}\n")).collect();
    let model = replaced(CAMERA, "      - { type: Imu, name: I }\n", &imus);
    let desk = Desk::new(ARM, SCENE);
    desk.write("cam.body", &model);
    let bodies = "bodies:\n  - { name: C, file: cam.body, translation: [ 0, 0, 2 ] }\n";
    desk.write("s.scene.yaml", &format!("{}{bodies}record: {{ sensors: true }}\n", head(0.05)));
    let mut with_summary = 0;
    // From too few handles for the logs to more than enough: at every number the run ends with a reason, and with a
    // summary once it has started.
    for handles in 60..100 {
        let _ = fs::remove_dir_all(desk.path().join("out"));
        let output = shell(&desk, &format!("ulimit -n {handles}"), "run s.scene.yaml --out out");
        let message = stderr(&output);
        let has_summary = desk.path().join("out/summary.json").is_file();
        match output.status.code() {
            Some(0) => assert!(has_summary, "{handles}: {message}"),
            code => {
                assert_eq!(code, Some(1), "{handles}: {message}");
                assert!(message.contains("Too many open files"), "{handles}: {message}");
                assert!(!message.contains("cannot write the summary"), "{handles}: {message}");
            }
        }
        with_summary += usize::from(has_summary);
        if has_summary {
            let summary: serde_json::Value =
                serde_json::from_slice(&fs::read(desk.path().join("out/summary.json")).unwrap()).unwrap();
            let hashed = summary["sha256"]["files"].as_object().unwrap().len();
            assert_eq!(hashed, summary["files"].as_array().unwrap().len(), "{handles}: {summary}");
            assert!(summary["files"][0] == "C.seq", "{handles}: {summary}");
        }
    }
    assert!(with_summary > 5, "{with_summary}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf8_is_refused_by_its_name_before_the_run() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::new(ARM, SCENE);
    let folder = desk.path().join(OsStr::from_bytes(b"n\xff"));
    fs::create_dir(&folder).unwrap();
    for name in ["arm.body", "arm.scene.yaml"] {
        fs::copy(desk.path().join(name), folder.join(name)).unwrap();
    }
    for (scene, out) in
        [(folder.join("arm.scene.yaml"), folder.join("o")), (desk.path().join("arm.scene.yaml"), folder.join("o"))]
    {
        let output = bunraku().current_dir(desk.path()).arg("run").arg(scene).arg("--out").arg(out).output().unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(r"n\xFF") && message.contains("not UTF-8"), "{message}");
        assert_eq!(names_of(&folder), 2, "nothing is written");
    }
}

#[cfg(target_os = "linux")]
fn names_of(directory: &Path) -> usize {
    fs::read_dir(directory).unwrap().count()
}

#[test]
fn rerun_of_a_run_that_was_interrupted_before_its_first_step_says_so() {
    let desk = Desk::new(ARM, SCENE);
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    let path = desk.path().join("out/summary.json");
    let mut summary: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    summary["failure"] = "interrupted".into();
    summary["simulated_time"] = 0.0.into();
    fs::write(&path, summary.to_string()).unwrap();
    let output = desk.bunraku(&["rerun", "out"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("interrupted before its first step") && !message.contains("not positive"), "{message}");
}

#[test]
fn a_rerun_whose_scene_can_no_longer_be_read_reports_that() {
    let desk = Desk::new(ARM, SCENE);
    assert_eq!(desk.run(&["--set", "bodies.Arm.controller.kp=1e14"]).status.code(), Some(0));
    let path = desk.path().join("out/summary.json");
    let mut summary: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    summary["failure"] = "something".into();
    fs::write(&path, summary.to_string()).unwrap();
    desk.write("arm.scene.yaml", &replaced(SCENE, "bodies:", "bodys:"));
    let output = desk.bunraku(&["rerun", "out"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("bodys") && !message.contains("cannot read the summary"), "{message}");
}

#[test]
fn a_picture_that_makes_its_decoder_panic_is_a_warning_or_an_error() {
    let desk = Desk::new(ARM, SCENE);
    fs::write(desk.path().join("p.png"), png_with_a_broken_palette()).unwrap();
    let shape = "{ type: Shape, geometry: { type: Box }, appearance: { texture: { url: p.png } } }";
    let model = "format: ChoreonoidBody\nformat_version: 2.0\nname: t\nlinks:\n  - { name: R, joint_type: fixed, elements: [ S ] }\n";
    desk.write("t.body", &replaced(model, "S ]", &format!("{shape} ]")));
    desk.write("cam.body", CAMERA);
    let bodies = "bodies:\n  - { name: T, file: t.body, drive: static }\n  - { name: C, file: cam.body, translation: [ 0, 0, 2 ] }\n";
    desk.write("run.scene.yaml", &format!("{}{bodies}record: {{ sensors: true }}\n", head(0.05)));
    let shape = "bodies: [ { name: H, shape: { type: heightfield, image: p.png, size: [ 1, 1, 1 ] } } ]\n";
    desk.write("height.scene.yaml", &format!("{}{shape}", head(0.05)));
    for (arguments, code, part) in [
        (&["picture", "t.body", "--out", "o.png"][..], 0, "unreadable-texture"),
        (&["run", "run.scene.yaml", "--out", "out"], 0, "p.png is not shown"),
        (&["check", "height.scene.yaml"], 1, "error[bad-image]"),
    ] {
        let output = desk.bunraku(arguments);
        let message = format!("{}{}", stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains(part), "no {part:?} in:\n{message}");
        assert!(!message.contains("panic") && !message.contains("internal"), "{message}");
    }
    assert!(desk.path().join("o.png").is_file());
}

#[test]
fn a_project_whose_rotation_is_none_is_an_error_with_its_place() {
    let desk = Desk::new(ARM, SCENE);
    let project = "\
items:
  name: Root
  class: RootItem
  children:
    - name: World
      class: WorldItem
      children:
        - name: B
          class: BodyItem
          data:
            modelFile: arm.body
            rootAttitude: [ 1, 0, 0, 0, 1, 0, 1e9, 0, 1 ]
";
    for (from, to) in
        [("1e9", "1e9"), ("1e9", "1e300"), ("1e9, 0, 1 ]", "0, 0, -1 ]"), ("rootAttitude", "initialRootAttitude")]
    {
        desk.write("a.cnoid", &replaced(project, from, to));
        let message = stderr(&desk.bunraku(&["check", "a.cnoid"]));
        assert!(message.contains("error[not-a-rotation]") && message.contains("a.cnoid:12:"), "{message}");
    }
}

#[test]
fn a_recording_without_a_frame_leaves_no_partial_file() {
    let desk = Desk::new(ARM, SCENE);
    let path = desk.path().join("arm.scene.yaml");
    let scene = Scene::load(&path, &SceneOptions::default(), &Reporter::new()).unwrap();
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    let entities = scene.spawn(app.world_mut());
    scene.record(app.world_mut(), &entities, desk.path()).unwrap();
    assert!(desk.path().join("Arm.seq.partial").is_file());
    let files = scene.finish_recordings(app.world_mut(), &entities, desk.path());
    assert_eq!((files.finished.len(), files.failed.len()), (0, 1));
    assert_eq!(names(desk.path()), ["arm.body", "arm.scene.yaml"]);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_before_its_first_step_advises_nothing_about_partial_files() {
    let bodies: String = (0..400).map(|number| format!("  - {{ name: Arm{number}, file: arm.body }}\n")).collect();
    let desk = Desk::new(ARM, &format!("{SCENE}{bodies}"));
    let first = desk.path().join("out/Arm.seq.partial");
    for _ in 0..10 {
        let _ = fs::remove_dir_all(desk.path().join("out"));
        let mut run = bunraku();
        run.current_dir(desk.path()).args(["run", "arm.scene.yaml", "--out", "out", "--duration", "1000"]);
        let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        // The other recordings are created after this one, and the first step comes after all of them.
        while !first.is_file() {
            std::thread::sleep(Duration::from_micros(100));
        }
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(130), "{message}");
        let summary: serde_json::Value =
            serde_json::from_slice(&fs::read(desk.path().join("out/summary.json")).unwrap()).unwrap();
        if summary["steps"] != 0 {
            continue;
        }
        assert_eq!(message, "error: interrupted at t = 0.0000 s; nothing was recorded\n");
        assert_eq!(names(&desk.path().join("out")), ["summary.json"]);
        let message = stderr(&desk.bunraku(&["rerun", "out"]));
        assert!(message.contains("interrupted before its first step"), "{message}");
        return;
    }
    panic!("no run was interrupted early enough");
}
