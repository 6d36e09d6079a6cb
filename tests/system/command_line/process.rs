//! Controllers that are programs: scenes, examples, faults.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bunraku_test_support::{Needed, skip};

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, load_motion, stderr, stdout};

const EXAMPLE: &str = "examples/controllers/pendulum.scene.yaml";

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        skip(Needed::Python, format_args!("there is no `{program}`"));
    }
    found
}

/// Runs a scene of the project into a directory.
fn run(scene: &str, out: &Path, more: &[&str]) -> Output {
    bunraku().args(["run", scene, "--out"]).arg(out).args(more).output().unwrap()
}

#[test]
fn the_examples_in_python_and_c_command_the_same_each_time() {
    if !has("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let bytes = |name: &str| std::fs::read(out(name).join("Pendulum.seq")).unwrap();
    for name in ["first", "second"] {
        let output = run(EXAMPLE, &out(name), &[]);
        assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    }
    assert!(bytes("first") == bytes("second"));
    // It holds up the rods: free ones hang down by then.
    let motion = load_motion(&out("first").join("Pendulum.seq"));
    let joints = motion.joint_displacements.unwrap();
    let end = joints.frame(joints.num_frames() - 1);
    assert!((end[0].to_degrees() - 90.0).abs() < 15.0 && end[1].to_degrees().abs() < 15.0, "{end:?}");
    let summary = std::fs::read_to_string(out("first").join("summary.json")).unwrap();
    assert!(summary.contains("\"hold.py\":"), "its hash is recorded: {summary}");
    if !has("cc") {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/controllers/hold.c");
    let program = folder.path().join("hold");
    let mut compiler = Command::new("cc");
    let compiled =
        compiler.args(["-O2", "-Wall", "-Werror", "-ffp-contract=off", "-o"]).arg(&program).arg(source).output();
    let compiled = compiled.unwrap();
    assert!(compiled.status.success(), "{}", stderr(&compiled));
    let set = format!(
        "bodies.Pendulum.controller={{ type: process, command: ['{}'], layout: binary, period: 0.002 }}",
        program.display()
    );
    let output = run(EXAMPLE, &out("c"), &["--set", &set]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(bytes("first") == bytes("c"));
}

/// The scene of the arm with this controller.
fn scene(controller: &str) -> String {
    replaced(SCENE, "{ type: pd, kp: 10, kd: 1 }", controller)
}

#[test]
fn mistakes_in_the_scene_have_their_place() {
    for (controller, expected) in [
        (
            "{ type: process }",
            &["error[missing-key]", "write `command: [ python3, controller.py ]`", "arm.scene.yaml:8:17"][..],
        ),
        ("{ type: process, command: [] }", &["expected a program and its arguments", "arm.scene.yaml:8:43"]),
        (
            "{ type: process, command: [ pyhton3, a.py ] }",
            &["there is no program `pyhton3`", "looked for in PATH", "8:43"],
        ),
        ("{ type: process, command: [ ./a.out ] }", &["there is no program `./a.out`", "looked for at ./a.out"]),
        ("{ type: process, command: sh -c true }", &["the command is one text with blanks", "write a list"]),
        (
            "{ type: process, command: sh, period: 0.0015 }",
            &["a control period of 0.0015 s does not fit a time step of 0.001 s"],
        ),
        ("{ type: process, command: sh, timeout: 0 }", &["a timeout of 0 s is not positive"]),
        ("{ type: process, command: sh, layout: bson }", &["the layout of messages: `json` or `binary`"]),
        ("{ type: process, command: sh, output: displacement }", &["no `kp`", "no `kd`"]),
        ("{ type: process, command: sh, kp: 1 }", &["error[unknown-key]", "unknown key `kp`"]),
        ("{ type: proces, command: sh }", &["did you mean `process`?"]),
    ] {
        Desk::new(ARM, &scene(controller)).fails(&[], expected);
    }
    // A controller that is switched off keeps its keys.
    let output =
        Desk::new(ARM, &scene("{ type: none, command: [ pyhton3 ], layout: json, period: 1 }")).run(&["--strict"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn a_program_that_fails_ends_the_run_with_what_was_recorded() {
    let script =
        "'read a; for i in 1 2 3; do read b; echo \"{\\\"efforts\\\": [0]}\"; done; echo out of ideas >&2; exit 3'";
    let desk = Desk::new(ARM, &scene(&format!("{{ type: process, command: [ sh, -c, {script} ] }}")));
    let output = desk.run(&[]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in [
        "out of ideas\n",
        "error: the controller of `Arm` (`sh -c ",
        "`, arm.scene.yaml:8:43) has ended with exit status: 3 in place of a reply (at t = 0.0030 s)",
    ] {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
    let info = desk.bunraku(&["info", "out/Arm.seq"]);
    assert!(stdout(&info).contains("motion     4 frames"), "{}", stdout(&info));
    let summary = std::fs::read_to_string(desk.path().join("out/summary.json")).unwrap();
    assert!(summary.contains("\"failure\": \"the controller of `Arm`"), "{summary}");
}

/// The walk of SR1 with its torques from a program.
#[test]
fn a_python_controller_walks_like_the_built_in_one() {
    let Some(share) = bunraku_test_support::share().filter(|_| has("python3")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("walk.csv");
    let walk = share.join("motion/SR1/SR1WalkPattern1.seq");
    let model = share.join("model/SR1/SR1.body");
    let mut convert = bunraku();
    convert.arg("convert").arg(walk).arg(&table).arg("--body").arg(model);
    let converted = convert.output().unwrap();
    assert!(converted.status.success(), "{}", stderr(&converted));
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/controllers/follow.py");
    let controller = format!(
        "bodies.SR1.controller={{ type: process, command: [ python3, '{}', '{}', '8000', '100' ] }}",
        program.display(),
        table.display()
    );
    let scene = "assets/scenes/sr1_walk.scene.yaml";
    let common = ["--share", share.to_str().unwrap(), "--duration", "1", "--set"];
    let out = |name: &str| folder.path().join(name);
    let file = |name: &str| -> PathBuf { out(name).join("SR1.seq") };
    for (name, set) in [("python", &*controller), ("again", &*controller), ("own", "bodies.SR1.controller.kp=8000")] {
        let output = run(scene, &out(name), &[&common[..], &[set]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert!(std::fs::read(file("python")).unwrap() == std::fs::read(file("again")).unwrap());
    let difference = bunraku::motion::compare(&load_motion(&file("python")), &load_motion(&file("own"))).unwrap();
    assert!(difference.largest_joint() < 1e-6, "{}", difference.largest_joint());
}
