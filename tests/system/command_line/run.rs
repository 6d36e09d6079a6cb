//! `bunraku run`: messages with a location, and complete files.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

#[test]
fn a_valid_scene_runs_and_prints_its_summary() {
    let output = Desk::new(ARM, SCENE).run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    for part in
        ["steps      10", "simulated  0.0100 s", "µs per step", "× real time", "out/Arm.seq", "out/summary.json"]
    {
        assert!(stdout(&output).contains(part), "no {part:?} in:\n{}", stdout(&output));
    }
}

#[test]
fn json_is_one_document_and_nothing_else() {
    let desk = Desk::new(ARM, SCENE);
    let summary: serde_json::Value = serde_json::from_slice(&desk.run(&["--json"]).stdout).unwrap();
    assert_eq!((summary["steps"].as_u64(), summary["files"][0].as_str()), (Some(10), Some("out/Arm.seq")));
    let output = desk.bunraku(&["info", "out/Arm.seq", "--json"]);
    let motion: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((motion["num_frames"].as_u64(), motion["num_joints"].as_u64()), (Some(11), Some(1)));
}

#[test]
fn a_misspelt_key_of_a_model_is_a_warning_with_its_location() {
    let desk = Desk::new(&replaced(ARM, "joint_axis", "joitAxis"), SCENE);
    let output = desk.run(&[]);
    assert_eq!(output.status.code(), Some(0));
    let message = stderr(&output);
    assert!(message.contains("warning[unknown-key]: unknown key `joitAxis` in link `ARM`"), "{message}");
    assert!(message.contains("arm.body:9:5") && message.contains("did you mean `joint_axis`?"), "{message}");
}

#[test]
fn a_misspelt_key_of_a_scene_is_an_error_with_its_location() {
    let desk = Desk::new(ARM, &replaced(SCENE, "simulation:\n", "simulation:\n  tme_step: 0.002\n"));
    desk.fails(&[], &["error[unknown-key]", "arm.scene.yaml:4:3", "did you mean `time_step`?"]);
    // Nested keys, too: with a misspelt controller the arm would fall.
    Desk::new(ARM, &replaced(SCENE, "controller", "controler"))
        .fails(&[], &["error[unknown-key]", "arm.scene.yaml:8:5", "did you mean `controller`?"]);
    let output = desk.run(&["--lenient"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert!(message.contains("warning[unknown-key]") && message.contains("arm.scene.yaml:4:3"), "{message}");
    // The run that is repeated has accepted the key.
    assert_eq!(desk.bunraku(&["rerun", "out"]).status.code(), Some(0));
}

#[test]
fn strict_makes_warnings_errors() {
    Desk::new(&replaced(ARM, "joint_axis", "joitAxis"), SCENE)
        .fails(&["--strict"], &["error[unknown-key]", "arm.body:9:5"]);
    let scene = replaced(SCENE, "duration", "duratoin");
    Desk::new(ARM, &scene).fails(&["--strict", "--duration", "1"], &["error[unknown-key]", "arm.scene.yaml:4:3"]);
}

#[test]
fn an_unknown_joint_type() {
    let model = replaced(ARM, "joint_type: revolute", "joint_type: revolut");
    Desk::new(&model, SCENE)
        .fails(&[], &["`revolut` is not a joint type", "arm.body:8:17", "did you mean `revolute`?"]);
}

#[test]
fn a_parent_that_does_not_exist() {
    let model = replaced(ARM, "parent: BASE", "parent: BSAE");
    Desk::new(&model, SCENE)
        .fails(&[], &["the parent link `BSAE` does not exist", "arm.body:7:13", "did you mean `BASE`?"]);
}

#[test]
fn parents_in_a_cycle() {
    let model = format!("{ARM}  - {{ name: A, parent: B }}\n  - {{ name: B, parent: A }}\n");
    Desk::new(&model, SCENE).fails(&[], &["the parents form a cycle: A → B → A", "arm.body:13:24"]);
}

#[test]
fn two_links_of_one_name() {
    let model = format!("{ARM}  - {{ name: ARM, parent: BASE }}\n");
    Desk::new(&model, SCENE).fails(&[], &["link name `ARM` is already taken on line 6", "arm.body:13:13"]);
}

#[test]
fn several_errors_are_reported_at_once() {
    let model = replaced(&replaced(ARM, "mass: 1", "mass: heavy"), "joint_axis: Y", "joint_axis: W");
    Desk::new(&model, SCENE).fails(&[], &["expected a number, found `heavy`", "`W` is not an axis"]);
}

#[test]
fn a_motion_with_the_wrong_number_of_joints_moves_the_common_ones_with_a_warning() {
    let scene = replaced(SCENE, "type: pd,", "type: pd, motion: arm.seq,");
    let desk = Desk::new(ARM, &scene);
    desk.write(
        "arm.seq",
        "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 10\nnumFrames: 1\ncomponents:\n  -\n    \
         type: MultiValueSeq\n    content: JointDisplacement\n    numParts: 3\n    frames:\n      - [ 0, 0, 0 ]\n",
    );
    let output = desk.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let message = stderr(&output);
    assert!(message.contains("the motion has 3 joints, but `Arm` has 1") && message.contains("arm.scene.yaml:8:37"));
    assert!(message.contains("the first 1 are moved"), "{message}");
    assert_eq!(desk.run(&["--strict"]).status.code(), Some(1));
}

#[test]
fn missing_files() {
    Desk::new(ARM, &replaced(SCENE, "arm.body", "amr.body"))
        .fails(&[], &["file not found: amr.body", "arm.scene.yaml:7:11"]);
    let output = bunraku().args(["run", "nowhere.scene.yaml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("file not found: nowhere.scene.yaml"));
}

#[test]
fn a_headless_scene_without_an_end() {
    let desk = Desk::new(ARM, &replaced(SCENE, "simulation:\n  duration: 0.01\n", ""));
    desk.fails(&[], &["the scene has no `simulation.duration`", "arm.scene.yaml:1:1", "`--duration S`"]);
    let scene = replaced(SCENE, "duration: 0.01", "time_step: 0.001");
    Desk::new(ARM, &scene).fails(&[], &["the scene has no `simulation.duration`", "arm.scene.yaml:4:3"]);
    assert_eq!(desk.run(&["--duration", "0.02"]).status.code(), Some(0));
}

#[test]
fn the_share_directory_is_asked_for() {
    let output = bunraku().args(["run", "assets/scenes/sr1_walk.scene.yaml"]).output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    for part in ["sr1_walk.scene.yaml:14:12", "${SHARE}", "--share DIR", "BUNRAKU_SHARE"] {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

#[test]
fn a_diverging_simulation_stops_and_keeps_its_recording() {
    let arm = replaced(ARM, "mass: 1", "mass: 1\n    center_of_mass: [ 0.1, 0, 0 ]");
    for solver in ["simulation.joints=multibody", "simulation.joints=impulse"] {
        let desk = Desk::new(&arm, SCENE);
        let wild = [solver, "bodies.Arm.controller.kp=1e14", "bodies.Arm.joint_displacements=[1]"];
        let output = desk.run(&wild.map(|setting| ["--set", setting]).concat());
        // Without a motion the controller holds the initial pose: the disturbance by gravity is enough for such gains.
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{solver}: {message}");
        assert!(message.contains("the simulation diverged: joint `ARM` of `Arm`"), "{message}");
        assert!(message.contains("kp = 1e+14") && message.contains("an error grows"), "{message}");
        let time: f64 = message.split("t = ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let motion = BodyMotion::load(&desk.path().join("out/Arm.seq"), &Reporter::new()).unwrap();
        // One frame for each step before the one that failed, and the initial one.
        assert_eq!(motion.num_frames(), (time / 0.001).round() as usize, "{message}");
        assert!(fs::read_to_string(desk.path().join("out/summary.json")).unwrap().contains("diverged"));
    }
}

#[test]
fn a_killed_recording_loads_up_to_its_last_whole_frame() {
    let desk = Desk::new(ARM, SCENE);
    let mut run = bunraku();
    run.current_dir(desk.path()).args(["run", "arm.scene.yaml", "--out", "out", "--duration", "100000"]);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let partial = desk.path().join("out/Arm.seq.partial");
    while fs::metadata(&partial).map_or(0, |metadata| metadata.len()) < 100_000 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    // On Unix this is kill -9.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!desk.path().join("out/Arm.seq").exists());
    let reporter = Reporter::new();
    let motion = BodyMotion::load(&partial, &reporter).unwrap();
    let size = fs::metadata(&partial).unwrap().len();
    let lines =
        fs::read_to_string(&partial).unwrap().lines().filter(|line| line.trim_start().starts_with("- ")).count();
    assert!(
        motion.num_frames() >= lines / 2 - 1 && motion.num_frames() <= lines / 2,
        "{} of {lines} in {size}",
        motion.num_frames()
    );
    assert!(!reporter.has_errors());
    let output = bunraku().arg("info").arg(&partial).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn values_can_be_set_from_the_command_line() {
    let desk = Desk::new(ARM, SCENE);
    let output = desk.run(&["--json", "--set", "simulation.time_step=0.005", "--set", "bodies.Arm.controller.kp=[20]"]);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["steps"].as_u64(), Some(2));
    let desk = Desk::new(ARM, SCENE);
    desk.fails(&["--set", "bodies.Amr.controller.kp=1"], &["--set bodies.Amr.controller.kp=1", "did you mean `Arm`?"]);
    desk.fails(&["--set", "simulation.time_step=fast"], &["expected a number, found `fast`"]);
}

#[test]
fn a_prismatic_joint_with_a_rotor_runs_without_findings() {
    let sliding = replaced(ARM, "joint_type: revolute", "joint_type: prismatic\n    rotor_inertia: 0.1");
    let output = Desk::new(&sliding, SCENE).run(&[]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn links_that_a_recording_would_lose_are_named() {
    let model = format!("{ARM}  - {{ name: STONE, parent: ARM, joint_type: free }}\n");
    let output = Desk::new(&model, SCENE).run(&[]);
    let message = stderr(&output);
    assert!(message.contains("link `STONE` of `Arm` moves on its own and is not recorded"), "{message}");
    let scene = format!("{SCENE}record: {{ links: all, frame_rate: 500 }}\n");
    let desk = Desk::new(&model, &scene);
    assert_eq!(stderr(&desk.run(&[])), "");
    let motion = BodyMotion::load(&desk.path().join("out/Arm.seq"), &Reporter::strict()).unwrap();
    assert_eq!((motion.num_links(), motion.num_joints(), motion.frame_rate, motion.num_frames()), (3, 2, 500.0, 6));
}

#[test]
fn a_tail_recording_keeps_the_end() {
    let scene = replaced(SCENE, "duration: 0.01", "duration: 0.1");
    let desk = Desk::new(ARM, &format!("{scene}record: {{ tail: 0.02 }}\n"));
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    let joints = || BodyMotion::load(&desk.path().join("out/Arm.seq"), &Reporter::new()).unwrap().joint_displacements;
    let tail = joints().unwrap();
    assert_eq!((tail.num_frames(), tail.start(), tail.end()), (21, 0.08, 0.1));
    desk.write("arm.scene.yaml", &scene);
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    let full = joints().unwrap();
    assert_eq!(&full.values()[80..], tail.values());
    Desk::new(ARM, &format!("{SCENE}record: {{ tail: 0 }}\n")).fails(&[], &["a length of 0 s is not positive"]);
}

#[test]
fn the_collisions_of_a_body_are_set_in_the_scene() {
    let box_of = |name: &str, joint: &str, size: &str| {
        format!(
            "format: ChoreonoidBody\nformat_version: 2.0\nname: {name}\nlinks:\n  - {{ name: {name}, joint_type: {joint}, mass: 1, elements: \
             [ {{ type: Shape, geometry: {{ type: Box, size: [ {size} ] }} }} ] }}\n"
        )
    };
    let scene = |keys: &str| {
        format!(
            "format: BunrakuScene\nformat_version: 1\nsimulation: {{ duration: 0.5 }}\nbodies:\n  - {{ name: Floor, file: floor.body, drive: \
             static }}\n  - {{ name: Cube, file: cube.body, translation: [ 0, 0, 0.2 ]{keys} }}\n"
        )
    };
    let height = |keys: &str| {
        let desk = Desk::new(ARM, &scene(keys));
        desk.write("floor.body", &box_of("Floor", "fixed", "2, 2, 0.2"));
        desk.write("cube.body", &box_of("Cube", "free", "0.2, 0.2, 0.2"));
        let output = desk.run(&[]);
        let motion = BodyMotion::load(&desk.path().join("out/Cube.seq"), &Reporter::strict()).unwrap();
        let poses = motion.link_positions.unwrap();
        (poses.frame(poses.num_frames() - 1)[0].translation.z, stderr(&output))
    };
    assert!((height("").0 - 0.2).abs() < 1e-3);
    let (fallen, message) = height(", collision: false, self_collision: true");
    assert!(fallen < -0.9, "{fallen}");
    assert!(message.contains("`self_collision` does nothing") && message.contains("arm.scene.yaml:6"), "{message}");
    let wrong = replaced(SCENE, "    controller", "    collision: perhaps\n    controller");
    Desk::new(ARM, &wrong).fails(&[], &["`perhaps`", "arm.scene.yaml:8:16"]);
}

#[test]
fn every_controller_runs_with_its_gains() {
    for controller in ["pd, kp: 10, kd: 1", "servo, kp: [ 10 ], kd: { ARM: 1 }", "velocity, kd: 1", "none"] {
        let output = Desk::new(ARM, &replaced(SCENE, "pd, kp: 10, kd: 1", controller)).run(&["--strict"]);
        assert_eq!(output.status.code(), Some(0), "{controller}: {}", stderr(&output));
        assert_eq!(stderr(&output), "");
    }
}

#[test]
fn controllers_require_the_gains_they_use() {
    for (controller, message) in [
        ("servo, kd: 1", "`kp`"),
        ("velocity, kp: 1", "`kd`"),
        ("velocity, kd: -1", "the gain -1 is negative"),
        ("servos, kp: 1, kd: 1", "did you mean `servo`?"),
    ] {
        Desk::new(ARM, &replaced(SCENE, "pd, kp: 10, kd: 1", controller)).fails(&[], &[message]);
    }
}

const JOINED: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 0.01 }
bodies:
  - { name: Left, file: arm.body }
  - { name: Right, file: arm.body, translation: [ 1, 0, 0 ] }
extra_joints:
  - { name: Hook, type: ball, link1: Left/ARM, link2: Right/ARM, translation_in_link1: [ 0.5, 0, 0 ], translation_in_link2: [ -0.5, 0, 0 ] }
";

#[test]
fn extra_joints_of_a_scene_connect_bodies() {
    for joint in [
        "type: ball, link1: Left/ARM, link2: Right/ARM, translation_in_link1: [ 0.5, 0, 0 ], translation_in_link2: [ -0.5, 0, 0 ]",
        "type: hinge, axis: [ 0, 1, 0 ], link1: Left/ARM, link2: world",
        "type: fixed, link1: Right/ARM, translation_in_link2: [ 1, 0, 0 ]",
        "type: piston, link1: Right/ARM, link2: Left, translation_in_link2: [ 1, 0, 0 ]",
    ] {
        let written = JOINED.lines().last().unwrap();
        let scene = replaced(JOINED, written, &format!("  - {{ {joint} }}"));
        let output = Desk::new(ARM, &scene).run(&["--strict"]);
        assert_eq!(output.status.code(), Some(0), "{joint}: {}", stderr(&output));
        assert_eq!(stderr(&output), "", "{joint}");
        let output = Desk::new(ARM, &scene).run(&["--set", "simulation.joints=impulse"]);
        assert_eq!(output.status.code(), Some(0), "{joint}: {}", stderr(&output));
    }
}

#[test]
fn impossible_extra_joints_are_reported_with_their_location() {
    for (from, to, messages) in [
        ("Left/ARM", "Lefd/ARM", ["the scene has no body `Lefd` (did you mean `Left`?)", "arm.scene.yaml:8:38"]),
        ("link1: Left/ARM", "link1: ARM", ["the scene has no body `ARM`", "did you mean `Left/ARM`?"]),
        ("Right/ARM", "Right/ARN", ["`Right` has no link `ARN`", "did you mean `Right/ARM`?"]),
        (
            "link2: Right/ARM",
            "link2: Left/ARM",
            ["an extra joint cannot join `Left/ARM` to itself", "arm.scene.yaml:8:5"],
        ),
        ("type: ball", "type: bal", ["`bal` is not a type of extra joint", "did you mean `ball`?"]),
        ("type: ball, ", "", ["extra joint `Hook` has no `type`", "arm.scene.yaml:8:5"]),
        ("link1: Left/ARM, ", "", ["extra joint `Hook` has no `link1`", "arm.scene.yaml:8:5"]),
    ] {
        let [message, other] = messages;
        let message = message.split(" (").next().unwrap();
        Desk::new(ARM, &replaced(JOINED, from, to)).fails(&[], &[message, other]);
    }
    for (from, to, message) in [
        ("link1: Left/ARM, link2: Right/ARM", "link1: Left, link2: Right", "has no effect: forces cannot move these"),
        (
            "[ 0.5, 0, 0 ]",
            "[ 0.4, 0, 0 ]",
            "extra joint `Hook` (ball between `Left/ARM` and `Right/ARM`) is open by 100.000 mm",
        ),
        ("link1:", "link0: x, link1:", "unknown key `link0` in extra joint `Hook`"),
        (
            "translation_in_link2: [ -0.5, 0, 0 ] }",
            "translation_in_link2: [ -0.5, 0, 0 ], axes: [ 0, 1, 0 ] }",
            "did you mean `axis`?",
        ),
    ] {
        let output = Desk::new(ARM, &replaced(JOINED, from, to)).run(&[]);
        let text = stderr(&output);
        assert!(text.contains(message) && text.contains("arm.scene.yaml:8:"), "no {message:?} in:\n{text}");
    }
}

#[test]
fn a_joint_to_a_body_whose_model_is_missing_is_not_reported() {
    let scene = replaced(JOINED, "name: Right, file: arm.body", "name: Right, file: none.body");
    let output = Desk::new(ARM, &scene).run(&[]);
    let message = stderr(&output);
    assert!(message.contains("file not found") && !message.contains("has no body"), "{message}");
}
