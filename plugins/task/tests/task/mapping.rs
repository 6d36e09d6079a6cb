//! Mapping files: what they say, what they say wrongly, and what a task needs of them.

use std::sync::Arc;

use bunraku_document::{Reporter, SourceFile, render};
use bunraku_task::model::ToolId;
use bunraku_task::robot::{GripperLaw, RobotSetup, check_support, read_mapping};

use crate::arms::{assets, body};
use crate::common::read;
use crate::execution::arm;
use crate::messages::SOUND;

const MAPPING: &str = "\
format: BunrakuRobot
format_version: 1
body: arm.body
translation: [ 0, 0, 0.8 ]
tools:
  - { id: 0, link: TOOL, base: BASE }
grippers:
  - id: 0
    type: linear
    range: [ 0, 0.1 ]
    joints:
      - { name: FINGER_L, scale: 0.5 }
      - { name: FINGER_R, scale: 0.5 }
initial: [ 0, 0, 20, 0, 70, 0, 0.02, 0.02 ]
";

/// Fits a mapping to our arm; gives what was found.
fn fit(text: &str) -> (Option<RobotSetup>, Vec<String>) {
    let reporter = Reporter::new();
    let mapping = read_mapping(&SourceFile::from_text("robot.yaml", text), &reporter);
    let setup =
        mapping.and_then(|mapping| RobotSetup::new(Arc::new(body(&assets("models/arm.body"))), &mapping, &reporter));
    (setup, reporter.into_diagnostics().iter().map(render::plain).collect())
}

#[test]
fn a_mapping_says_what_the_numbers_mean() {
    let (setup, findings) = fit(MAPPING);
    assert_eq!(findings, Vec::<String>::new());
    let setup = setup.unwrap();
    assert_eq!(setup.tool(ToolId(0)).unwrap().chain.joints().len(), 6);
    assert_eq!(setup.root.translation.vector.z, 0.8);
    assert!((setup.initial[2] - 20_f64.to_radians()).abs() < 1e-12, "degrees");
    assert_eq!(setup.initial[6], 0.02, "m");
    let by_joint =
        MAPPING.replace("initial: [ 0, 0, 20, 0, 70, 0, 0.02, 0.02 ]", "initial: { FOREARM: 45, FINGER_L: 0.01 }");
    let setup = fit(&by_joint).0.unwrap();
    assert!((setup.initial[2] - 45_f64.to_radians()).abs() < 1e-12);
    assert!((setup.initial[4] - 70_f64.to_radians()).abs() < 1e-12, "as in the standard pose");
    assert_eq!(setup.initial[6], 0.01);
}

#[test]
fn grippers_of_every_law() {
    let asin = GripperLaw::Asin { sign: -1.0, offset: 0.015, length: 0.042 };
    assert!((asin.displacement(0.072) + 0.5_f64.asin()).abs() < 1e-12);
    assert!(
        (GripperLaw::Linear { scale: -8.448_133, offset: 0.755_854_77 }.displacement(0.0) - 0.755_854_77).abs() < 1e-12
    );
    let table = GripperLaw::Table(vec![(0.0, 1.0), (0.1, 0.5), (0.2, 0.4)]);
    for (width, expected) in [(-1.0, 1.0), (0.05, 0.75), (0.1, 0.5), (0.15, 0.45), (9.0, 0.4)] {
        assert!((table.displacement(width) - expected).abs() < 1e-12, "{width}");
    }
    let text = MAPPING
        .replace("type: linear", "type: table\n    widths: [ 0, 0.1 ]")
        .replace("scale: 0.5", "displacements: [ 0, 0.05 ]");
    assert_eq!(fit(&text).1, Vec::<String>::new());
    let text = MAPPING.replace("type: linear", "type: asin\n    length: 0.05").replace("scale: 0.5", "sign: -1");
    assert_eq!(fit(&text).1, Vec::<String>::new());
}

/// Spoils one thing and compares what is printed with the snapshot of this name.
#[track_caller]
fn spoiled(good: &str, bad: &str, snapshot: &str) {
    assert!(MAPPING.contains(good), "{good}");
    let (setup, findings) = fit(&MAPPING.replacen(good, bad, 1));
    assert!(setup.is_none());
    insta::assert_snapshot!(snapshot, findings.join("\n\n"));
}

#[test]
fn mistakes_of_mappings() {
    spoiled("link: TOOL", "link: TOLL", "mapping_unknown_link");
    spoiled("base: BASE", "base: FINGER_L", "mapping_tool_not_on_base");
    spoiled("FINGER_L", "FINGER_LL", "mapping_unknown_joint");
    spoiled("linear", "liner", "mapping_unknown_gripper");
    spoiled("[ 0, 0.1 ]", "[ 0.1, 0 ]", "mapping_empty_range");
    spoiled("20, 0, 70", "70", "mapping_pose_too_short");
    spoiled("BunrakuRobot", "BunrakuScene", "mapping_other_format");
}

#[test]
fn what_the_robot_lacks_is_told_before_it_moves() {
    let setup = arm();
    let needs = |good: &str, bad: &str, snapshot: &str| {
        assert!(SOUND.contains(good), "{good}");
        let task = read(&SOUND.replacen(good, bad, 1)).remove(0);
        let reporter = Reporter::new();
        check_support(&task, &setup, &reporter);
        let found: Vec<String> = reporter.into_diagnostics().iter().map(render::plain).collect();
        insta::assert_snapshot!(snapshot, found.join("\n\n"));
    };
    needs("values: 0\n", "values: 1\n", "support_another_hand");
    needs("\"moveArm\"", "\"recognize\"", "support_unavailable_command");
    needs("\"moveArm\"", "\"moveTorso\"", "support_no_torso");
    needs("\"moveArm\"", "\"moveBothArms\"", "support_one_arm");
}
