//! Drafts of mapping files, compared with what is known of the robots.

use std::sync::Arc;

use bunraku_body::Body;
use bunraku_document::{Reporter, SourceFile, render};
use bunraku_task::draft::{DraftError, RobotDraft, draft, mapping_text};
use bunraku_task::model::ToolId;
use bunraku_task::robot::{RobotSetup, read_mapping};
use bunraku_test_support::corpus;
use nalgebra::Vector3;

use crate::arms::{assets, body};

/// A draft, and the robot that its text describes.
fn drafted(body: Body) -> (RobotDraft, RobotSetup) {
    let draft = draft(&body).unwrap();
    let text = mapping_text(&body, "robot.body", &draft);
    let reporter = Reporter::new();
    let mapping = read_mapping(&SourceFile::from_text("robot.yaml", text), &reporter);
    let setup = mapping.and_then(|mapping| RobotSetup::new(Arc::new(body), &mapping, &reporter));
    let findings: Vec<String> = reporter.into_diagnostics().iter().map(render::plain).collect();
    assert_eq!(findings, Vec::<String>::new());
    (draft, setup.unwrap())
}

#[test]
fn our_arm_is_described_as_by_hand() {
    let (draft, setup) = drafted(body(&assets("models/arm.body")));
    assert_eq!(draft.notes, Vec::<String>::new());
    assert_eq!(setup.root.translation.vector, Vector3::new(0.0, 0.0, 0.8));
    let (tool, by_hand) = (setup.tool(ToolId(0)).unwrap(), body(&assets("models/arm.body")));
    assert_eq!(by_hand.link(tool.link).name, "HAND");
    let rotation = by_hand.link(by_hand.find_link("TOOL").unwrap()).offset.rotation;
    assert!(tool.offset.rotation.angle_to(&rotation) < 1e-6, "X points back, Y along the opening");
    // The fingers reach 0.2 m ahead of HAND; the middle of what they grip is 0.01 m behind their tips and 0.18 m ahead of
    // the tool.
    assert!((tool.offset.translation.vector - Vector3::new(0.01, 0.0, 0.0)).norm() < 1e-6);
    let gripper = setup.gripper(ToolId(0)).unwrap();
    assert!((gripper.widths[0] - 0.0).abs() < 1e-6 && (gripper.widths[1] - 0.1).abs() < 1e-6, "{:?}", gripper.widths);
    for finger in &gripper.joints {
        assert!((finger.law.displacement(0.04) - 0.02).abs() < 1e-6, "each finger moves by half the distance");
    }
    for (joint, value) in setup.initial.iter().enumerate() {
        assert!((value - draft.initial[joint]).abs() < 2e-6, "joint {joint}");
    }
}

#[test]
fn the_linkage_of_a_gripper_becomes_a_table_of_its_stroke() {
    // Robotiq's 2F-85 opens to 85 mm.
    const STROKE: f64 = 0.085;
    let Some(corpus) = corpus() else { return };
    let (draft, setup) = drafted(body(&corpus.join("share/model/UniversalRobots/UR5-2F85.body")));
    assert_eq!(draft.notes, Vec::<String>::new());
    let gripper = setup.gripper(ToolId(0)).unwrap();
    assert_eq!(gripper.joints.len(), 6);
    assert!(gripper.widths[0] < 2e-4 && (gripper.widths[1] - STROKE).abs() < 2e-4, "{:?}", gripper.widths);
    // By the numbers of the model: cranks of 57.15 mm, 41.14° from the middle when open, carry the fingers parallel.
    let width = |angle: f64| {
        STROKE - 2.0 * 0.057_15 * (41.1405_f64.to_radians().sin() - (41.1405_f64.to_radians() - angle).sin())
    };
    for hundredths in 1..85 {
        let wanted = f64::from(hundredths) * 1e-3;
        for finger in &gripper.joints {
            let angle = finger.law.displacement(wanted).abs();
            assert!((width(angle) - wanted).abs() < 1e-4, "{} m for {wanted} m", width(angle));
        }
    }
}

#[test]
fn fingers_that_cross_the_middle_open_away_from_each_other() {
    let Some(corpus) = corpus() else { return };
    let (_, setup) = drafted(body(&corpus.join("share/model/PA10/PA10.body")));
    let gripper = setup.gripper(ToolId(0)).unwrap();
    assert!(gripper.widths[0].abs() < 1e-6 && (gripper.widths[1] - 0.06).abs() < 1e-6, "{:?}", gripper.widths);
    let [left, right] = [0, 1].map(|finger: usize| gripper.joints[finger].law.displacement(0.04));
    assert!((left + 0.02).abs() < 1e-6 && (right - 0.02).abs() < 1e-6, "{left} and {right}");
}

#[test]
fn an_arm_without_a_hand_is_refused() {
    let ur5 = corpus().map(|corpus| body(&corpus.join("share/model/UniversalRobots/UR5.body")));
    let rover = body(&assets("models/rover.body"));
    for body in [Some(rover), ur5].into_iter().flatten() {
        assert_eq!(draft(&body).map(|_| ()), Err(DraftError::NoHand(body.name.clone())));
    }
}

#[test]
fn an_arm_whose_model_leaves_its_root_free_stands_on_the_table() {
    let (draft, setup) = drafted(body(&assets("models/picker.urdf")));
    assert!(draft.is_fixed && !setup.body.is_fixed());
    assert_eq!(setup.root.translation.vector.z, 0.8);
    let ahead = setup.tool(ToolId(0)).unwrap().offset.rotation * -Vector3::x();
    assert!((ahead + Vector3::z()).norm() < 1e-7, "it points down: {ahead}");
}

#[test]
fn a_name_cannot_write_lines_of_the_file() {
    let mut robot = body(&assets("models/picker.urdf"));
    robot.name = "Picker\ntorso: shoulder\u{2028}head: [ a, b ]".to_owned();
    let (_, setup) = drafted(robot);
    assert!(setup.torso.is_none() && setup.head.is_none());
}
