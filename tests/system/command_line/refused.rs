//! Scenes that cannot be simulated as written, reported before the run or at its end, with the names used in the scene.

use std::fs;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::stderr;

/// `run` refuses the scene with this code at this location, and `check` reports the same.
#[track_caller]
fn refused(model: &str, scene: &str, code: &str, place: &str) {
    let desk = Desk::new(model, scene);
    let error = format!("error[{code}]");
    desk.fails(&[], &[&error, place]);
    let output = desk.bunraku(&["check", "arm.scene.yaml"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains(&error) && message.contains(place), "no {error} in:\n{message}");
}

#[test]
fn a_run_without_steps_is_refused() {
    refused(ARM, &replaced(SCENE, "duration: 0.01", "duration: 0.0004"), "no-steps", "arm.scene.yaml:4:13");
    Desk::new(ARM, SCENE).fails(&["--duration", "1e-9"], &["error[no-steps]", "a run of 0.000000001 s has no steps"]);
}

/// A free ball, with `from` in its text replaced by `to`.
fn ball(from: &str, to: &str) -> String {
    const BALL: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - name: BALL
    joint_type: free
    mass: 1
    inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ]
    elements: [ { type: Shape, geometry: { type: Sphere, radius: 0.1 } } ]
";
    replaced(BALL, from, to)
}

#[test]
fn numbers_that_cannot_be_simulated_are_refused() {
    let scene = replaced(SCENE, "    controller: { type: pd, kp: 10, kd: 1 }\n", "");
    let place = "arm.scene.yaml:6:11";
    for mass in ["1e20", "1e-300"] {
        refused(&ball("mass: 1\n", &format!("mass: {mass}\n")), &scene, "mass-range", place);
    }
    for moment in ["1e25", "1e-30"] {
        let inertia = format!("[ {moment}, 0, 0, {moment}, 0, {moment} ]");
        refused(&ball("[ 0.1, 0, 0, 0.1, 0, 0.1 ]", &inertia), &scene, "inertia-range", place);
    }
    refused(&ball("[ 0.1, 0", "[ -0.1, 0"), &scene, "inertia-not-positive", place);
    for radius in ["1e25", "1e10"] {
        refused(&ball("radius: 0.1", &format!("radius: {radius}")), &scene, "too-large", place);
    }
    for far in ["1e39", "-1e25"] {
        let moved = format!("{scene}    translation: [ 0, {far}, 0 ]\n");
        refused(&ball("mass: 1\n", "mass: 1\n"), &moved, "too-far", place);
    }
    for gain in ["1e18", "1e300"] {
        refused(ARM, &replaced(SCENE, "kp: 10", &format!("kp: {gain}")), "gain-range", "arm.scene.yaml:8:33");
    }
    let tied = format!(
        "{scene}extra_joints:\n  - {{ type: ball, link1: Arm, link2: world, translation_in_link2: [ 1e25, 0, 0 ] }}\n"
    );
    refused(&ball("mass: 1\n", "mass: 1\n"), &tied, "too-far", "arm.scene.yaml:9:5");
    // A body that is not moved by forces may have any mass.
    let still = format!("{scene}    drive: static\n");
    assert_eq!(Desk::new(&ball("mass: 1\n", "mass: 1e20\n"), &still).run(&[]).status.code(), Some(0));
}

#[test]
fn names_that_files_cannot_have_are_refused() {
    let named = |name: &str| replaced(SCENE, "name: Arm", &format!("name: {name}"));
    let long = "a".repeat(256);
    for name in ["CON", "nul", "Com1.left", "\"a\\0b\"", "\"a\\x1b[2Jb\"", "\"a\\nb\"", "a/b", "'..'", long.as_str()] {
        refused(ARM, &named(name), "bad-body-name", "arm.scene.yaml:6:11");
        let output = Desk::new(ARM, &named(name)).run(&[]);
        assert!(!stderr(&output).contains('\u{1b}'), "{name}");
    }
    // The name in the model is reported if the scene gives none.
    let unnamed = replaced(SCENE, "name: Arm\n    file", "file");
    refused(&replaced(ARM, "name: Arm", "name: AUX"), &unnamed, "bad-body-name", "arm.scene.yaml:6:5");
    for name in ["Console", "COM10", "lpt", "con_1"] {
        assert_eq!(Desk::new(ARM, &named(name)).run(&[]).status.code(), Some(0), "{name}");
    }
}

#[test]
fn recordings_whose_names_differ_in_case_only_are_refused() {
    let scene = format!("{SCENE}  - {{ name: ARM, file: arm.body }}\n");
    refused(ARM, &scene, "duplicate-body-name", "arm.scene.yaml:9:13");
    // A body that is not recorded has no file.
    let scene = format!("{SCENE}  - {{ name: ARM, file: arm.body, drive: static }}\n");
    assert_eq!(Desk::new(ARM, &scene).run(&[]).status.code(), Some(0));
}

const TWO: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 1 }
bodies:
  - { name: Left, file: arm.body, controller: { type: pd, kp: 10, kd: 1 } }
  - { name: Right, file: arm.body, translation: [ 0, 3, 0 ], joint_displacements: [ 10 ], controller: { type: pd, kp: 10, kd: 1 } }
";

#[test]
fn a_diverging_body_is_named_as_in_the_scene() {
    let desk = Desk::new(&replaced(ARM, "mass: 1", "mass: 1\n    center_of_mass: [ 0.1, 0, 0 ]"), TWO);
    let output = desk.run(&["--set", "bodies.Right.controller.kp=1e9", "--set", "simulation.gravity=[5,0,-9.8]"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("the simulation diverged: joint `ARM` of `Right`"), "{message}");
    assert!(!message.contains("`Arm`"), "{message}");
    let summary = fs::read_to_string(desk.path().join("out/summary.json")).unwrap();
    assert!(summary.contains("joint `ARM` of `Right`"), "{summary}");
}

/// Seven links of 0.2 m that end in a load; all joints about Y.
fn chain(link: f64, load: f64) -> String {
    let mut model = String::from("format: ChoreonoidBody\nformat_version: 2.0\nname: Chain\nlinks:\n  - name: BASE\n");
    let mut parent = "BASE".to_owned();
    for joint in 0..7 {
        let mass = if joint == 6 { load } else { link };
        let moment = mass * 0.01;
        model += &format!(
            "  - {{ name: L{joint}, parent: {parent}, translation: [ 0.2, 0, 0 ], joint_type: revolute, joint_axis: Y, joint_id: {joint}, \
             mass: {mass}, center_of_mass: [ 0.1, 0, 0 ], inertia: [ {moment}, 0, 0, {moment}, 0, {moment} ] }}\n"
        );
        parent = format!("L{joint}");
    }
    model
}

#[test]
fn gaps_of_impulse_joints_are_measured_and_reported() {
    let scene = replaced(SCENE, "type: pd, kp: 10, kd: 1", "type: servo, kp: 20000, kd: 500");
    let scene = replaced(&scene, "duration: 0.01", "duration: 0.3");
    let run = |model: &str, solver: &str| {
        let desk = Desk::new(model, &scene);
        let output = desk.run(&["--json", "--set", &format!("simulation.joints={solver}")]);
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let gap = summary["largest_joint_gap"].clone();
        // In joint coordinates, joints cannot separate.
        let (gap, joint) = (gap["gap"].as_f64(), gap["joint"].as_str());
        assert_eq!((gap.is_some(), joint.is_some()), (solver == "impulse", solver == "impulse"));
        (output.status.code(), gap.unwrap_or(0.0), joint.unwrap_or_default().to_owned(), stderr(&output))
    };
    let (code, gap, joint, message) = run(&chain(0.05, 400.0), "impulse");
    assert_eq!(code, Some(0));
    assert!(gap > 1e-3 && joint.starts_with("joint `L") && joint.ends_with("` of `Arm`"), "{gap} {joint}");
    assert!(message.contains(&format!("warning: {joint} parted by")), "{message}");
    assert!(message.contains("`joints: multibody` under `simulation` holds them"), "{message}");
    assert!(message.contains("[impulse-light-link]") && message.contains("[impulse-servo]"), "{message}");
    let (code, gap, _, message) = run(&chain(0.05, 40.0), "multibody");
    assert!(code == Some(0) && gap < 1e-4 && message.is_empty(), "{gap}: {message}");
    let (code, gap, _, message) = run(ARM, "impulse");
    let is_servo_alone = message.matches("warning").count() == 1 && message.contains("[impulse-servo]");
    assert!(code == Some(0) && gap < 1e-4 && is_servo_alone, "{gap}: {message}");
}

#[test]
fn a_chain_of_two_thousand_joints_runs() {
    let chain = |links: usize| {
        let mut chain =
            "format: ChoreonoidBody\nformat_version: 2.0\nname: Chain\nlinks:\n  - name: LINK0\n".to_owned();
        for link in 1..=links {
            chain += &format!(
                "  - {{ name: LINK{link}, parent: LINK{}, translation: [ 0.1, 0, 0 ], joint_type: revolute, joint_axis: Y, joint_id: {}, mass: 1, \
                 inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ] }}\n",
                link - 1,
                link - 1
            );
        }
        chain
    };
    let scene = "format: BunrakuScene\nformat_version: 1\nsimulation: { duration: 0.002 }\nbodies: [ { name: Arm, file: arm.body } ]\n";
    let output = Desk::new(&chain(2000), scene).run(&[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}
