//! Mapping files: content, errors, and requirements of tasks.

use std::sync::Arc;

use bunraku_body::LoadOptions;
use bunraku_document::{Reporter, SearchRoots, SourceFile, render};
use bunraku_task::model::ToolId;
use bunraku_task::robot::{GripperLaw, RobotSetup, check_support, load_mapping, read_mapping};
use bunraku_test_support::TestFolder;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

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

/// Matches a mapping to our arm; returns the findings.
fn fit(text: &str) -> (Option<RobotSetup>, Vec<String>) {
    let reporter = Reporter::new();
    let mapping = read_mapping(&SourceFile::from_text("robot.yaml", text), &reporter);
    let setup =
        mapping.and_then(|mapping| RobotSetup::new(Arc::new(body(&assets("models/arm.body"))), &mapping, &reporter));
    (setup, reporter.into_diagnostics().iter().map(render::plain).collect())
}

#[test]
fn a_mapping_defines_the_numbers_of_tasks() {
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
fn a_mapping_says_when_moves_have_arrived() {
    let usual = fit(MAPPING).0.unwrap().arrival;
    assert_eq!((usual.position, usual.time), (1e-3, 1.0));
    let given = fit(&format!("{MAPPING}arrival: {{ position: 0.01, rotation: 2 }}\n")).0.unwrap().arrival;
    assert_eq!((given.position, given.time), (0.01, 1.0));
    assert!((given.rotation - 2_f64.to_radians()).abs() < 1e-12, "degrees");
    let (setup, findings) = fit(&format!("{MAPPING}arrival: {{ time: 0, positon: 1 }}\n"));
    assert!(setup.is_none());
    let has = |text: &str| findings.iter().any(|finding| finding.contains(text));
    assert!(has("`time` of `arrival` is not positive") && has("did you mean `position`?"), "{findings:?}");
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
    let (setup, findings) = fit(&text);
    assert!(setup.is_some());
    // Our fingers are prismatic, and their range does not contain such an angle.
    assert!(findings.iter().all(|found| found.starts_with("warning[width-beyond-joint]")), "{findings:?}");
}

/// Damages one part and compares the messages with the snapshot of this name.
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
fn missing_capabilities_are_reported_before_a_run() {
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

#[test]
fn an_unreachable_width_is_reported_before_the_run() {
    let (setup, findings) = fit(&MAPPING.replace("[ 0, 0.1 ]", "[ 0, 0.4 ]"));
    assert!(setup.is_some());
    insta::assert_snapshot!("mapping_range_beyond_joint", findings.join("\n\n"));
    let text = MAPPING
        .replace("type: linear", "type: table\n    widths: [ 0, 0.05, 0.1 ]")
        .replace("scale: 0.5", "displacements: [ 0, 0.2, 0.05 ]");
    let (_, findings) = fit(&text);
    assert_eq!(findings.len(), 2, "one a joint: {findings:?}");
    assert!(findings[0].contains("a width of 0.05 m needs `FINGER_L` at 0.2"), "{findings:?}");
    let text = MAPPING.replace("0.02, 0.02 ]", "0.02, 0.2 ]");
    let (setup, findings) = fit(&text);
    assert!(setup.is_some() && findings.len() == 1, "{findings:?}");
    assert!(findings[0].contains("warning[initial-pose-beyond-joint]"), "{findings:?}");
}

/// A directory with a model and a mapping of it.
fn mapped(body: &str) -> TestFolder {
    let folder = TestFolder::new();
    let model = std::fs::read_to_string(assets("models/arm.body")).unwrap();
    folder.write("models/arm.body", model);
    folder.write("models/notes.txt", "no model");
    folder.write("tasks/arm.robot.yaml", MAPPING.replace("body: arm.body", &format!("body: {body}")));
    folder
}

#[test]
fn a_missing_body_of_a_mapping_is_reported_with_its_location() {
    for (body, code, help) in [
        ("../modles/arm.body", "file-not-found", "did you mean `../models/arm.body`?"),
        ("../models/amr.body", "file-not-found", "did you mean `../models/arm.body`?"),
        ("../models/gripper.body", "file-not-found", "it was looked for at "),
        ("../models", "file-unreadable", "name a model file in it"),
        ("../models/notes.txt", "unknown-file-type", "`.body`, `.urdf`, `.xml` (MJCF) or `.wrl`"),
        ("${SHRE}/arm.body", "bad-path", "did you mean `${SHARE}`?"),
        ("${SHARE}/arm.body", "bad-path", "pass `--share DIR`"),
    ] {
        let folder = mapped(body);
        let reporter = Reporter::new();
        let mapping = load_mapping(&folder.path().join("tasks/arm.robot.yaml"), &reporter).unwrap();
        assert!(mapping.body.load(&LoadOptions::default(), &reporter).is_none(), "{body}");
        let found = reporter.into_diagnostics();
        assert_eq!(found.len(), 1, "{found:?}");
        let position = found[0].position().unwrap_or_else(|| panic!("no place: {}", found[0]));
        assert_eq!((found[0].code, position.line, position.column), (code, 3, 7), "{}", found[0]);
        assert!(found[0].help.as_ref().is_some_and(|found| found.contains(help)), "{}", found[0]);
    }
}

#[test]
fn share_in_the_body_of_a_mapping_is_replaced() {
    let folder = mapped("${SHARE}/models/arm.body");
    let reporter = Reporter::new();
    let mapping = load_mapping(&folder.path().join("tasks/arm.robot.yaml"), &reporter).unwrap();
    let options = LoadOptions { roots: SearchRoots::new(Some(folder.path().to_owned())), ..LoadOptions::default() };
    assert!(mapping.body.load(&options, &reporter).is_some(), "{:?}", reporter.into_diagnostics());
}

#[test]
fn the_root_pose_defaults_to_that_of_the_model() {
    let reporter = Reporter::new();
    let model = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.0, 0.0, 0.5));
    for (good, bad, expected) in [
        ("", "", Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.8), model.rotation)),
        ("translation: [ 0, 0, 0.8 ]", "", model),
        (
            "translation: [ 0, 0, 0.8 ]",
            "rotation: [ 1, 0, 0, 0 ]",
            Isometry3::from_parts(model.translation, UnitQuaternion::identity()),
        ),
    ] {
        let text = MAPPING.replacen(good, bad, 1);
        let mapping = read_mapping(&SourceFile::from_text("robot.yaml", text), &reporter).unwrap();
        assert!((mapping.root(&model).to_homogeneous() - expected.to_homogeneous()).norm() < 1e-12, "{bad}");
    }
}
