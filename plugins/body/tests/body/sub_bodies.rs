//! Included models.

use std::fs;

use bunraku_body::{Body, ExtraJointKind, JointIndex, JointKind, LoadOptions};
use bunraku_document::{Diagnostic, Reporter};
use tempfile::TempDir;

const HAND: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Hand
links:
  - name: PALM
    joint_type: free
    translation: [ 0, 0, 5 ]
    elements: [ { type: ForceSensor, name: Wrist, id: 0 } ]
  - { name: THUMB, parent: PALM, joint_type: revolute, joint_id: 0, joint_name: THUMB_JOINT, joint_range: 30 }
  - { name: FINGER, parent: PALM, joint_type: revolute, joint_id: 1 }
extra_joints:
  - { link1_name: THUMB, link2_name: FINGER, joint_type: ball }
";

fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("hand.body"), HAND).unwrap();
    directory
}

/// Loads a model with these links, beside `hand.body`.
fn load(directory: &TempDir, links: &str) -> (Option<Body>, Vec<Diagnostic>) {
    let path = directory.path().join("robot.body");
    fs::write(&path, format!("format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n{links}")).unwrap();
    let reporter = Reporter::new();
    let body = bunraku_body::load(&path, &LoadOptions::default(), &reporter);
    (body, reporter.into_diagnostics())
}

#[test]
fn two_hands_on_one_robot() {
    let links = "  - { name: TORSO, joint_type: revolute, joint_id: 0 }
  - { type: SubBody, uri: hand.body, parent: TORSO, prefix: L_, joint_type: fixed, joint_id_offset: 1, translation: [ 0, 1, 0 ] }
  - { type: SubBody, uri: hand.body, parent: TORSO, suffix: _R, device_prefix: Right, joint_type: revolute, joint_id: 5, joint_id_offset: 3, joint_range: [ -1, 1 ] }
";
    let (body, diagnostics) = load(&directory(), links);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let body = body.unwrap();
    let names: Vec<&str> = body.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["TORSO", "L_PALM", "L_THUMB", "L_FINGER", "PALM_R", "THUMB_R", "FINGER_R"]);
    let joints: Vec<&str> = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint))).collect();
    assert_eq!(joints, ["TORSO", "L_THUMB_JOINT", "L_FINGER", "THUMB_JOINT_R", "FINGER_R", "PALM_R"]);

    let palms = ["L_PALM", "PALM_R"].map(|name| body.link(body.find_link(name).unwrap()));
    assert_eq!(palms.map(|palm| palm.joint.kind), [JointKind::Fixed, JointKind::Revolute]);
    assert_eq!(
        palms.map(|palm| palm.offset.translation.vector.as_slice().to_vec()),
        [vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 5.0]]
    );
    assert!((palms[1].joint.displacement_range.upper - 1_f64.to_radians()).abs() < 1e-15);
    let thumb = body.link(body.find_link("L_THUMB").unwrap());
    assert!((thumb.joint.displacement_range.upper - 30_f64.to_radians()).abs() < 1e-15);

    let devices: Vec<_> =
        body.devices.iter().map(|device| (device.name.as_str(), body.link(device.link).name.as_str())).collect();
    assert_eq!(devices, [("L_Wrist", "L_PALM"), ("RightWrist", "PALM_R")]);
    let loops: Vec<_> =
        body.extra_joints.iter().map(|joint| joint.links.map(|link| body.link(link).name.as_str())).collect();
    assert_eq!(loops, [["L_THUMB", "L_FINGER"], ["THUMB_R", "FINGER_R"]]);
    assert!(body.extra_joints.iter().all(|joint| joint.kind == ExtraJointKind::Ball));
}

#[test]
fn a_sub_body_may_be_the_root() {
    let (body, diagnostics) = load(&directory(), "  - { type: SubBody, uri: hand.body, translation: [ 0, 0, 1 ] }\n");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let body = body.unwrap();
    assert_eq!(
        (body.root().name.as_str(), body.root().joint.kind, body.root().offset.translation.z),
        ("PALM", JointKind::Free, 1.0)
    );
}

#[test]
fn an_openhrp_model_is_a_part_of_another_through_a_wrapper() {
    const HAND: &str = r#"#VRML V2.0 utf8
PROTO Humanoid [ exposedField MFNode humanoidBody [ ] ] { Group { children IS humanoidBody } }
PROTO Joint [ exposedField SFVec3f translation 0 0 0 exposedField SFRotation rotation 0 0 1 0
  exposedField MFNode children [ ] exposedField SFString jointType "" exposedField SFInt32 jointId -1
  exposedField SFVec3f jointAxis 0 0 1 ] { Transform { children IS children } }
PROTO Gyro [ exposedField SFInt32 sensorId -1 exposedField SFVec3f translation 0 0 0
  exposedField SFRotation rotation 0 0 1 0 ] { Transform { } }
PROTO ExtraJoint [ exposedField SFString link1Name "" exposedField SFString link2Name ""
  exposedField SFVec3f link1LocalPos 0 0 0 exposedField SFVec3f link2LocalPos 0 0 0
  exposedField SFString jointType "xyz" exposedField SFVec3f jointAxis 1 0 0 ] { }
DEF HAND Humanoid { humanoidBody DEF PALM Joint { jointType "free" translation 0 0 5 children [
  DEF Turn Gyro { sensorId 3 }
  DEF THUMB Joint { jointType "rotate" jointId 0 jointAxis 0 1 0 translation 0.5 0 0 }
  DEF FINGER Joint { jointType "rotate" jointId 2 } ] } }
DEF CLOSED ExtraJoint { link1Name "THUMB" link2Name "FINGER" }
"#;
    let directory = directory();
    fs::write(directory.path().join("hand.wrl"), HAND).unwrap();
    fs::write(directory.path().join("hand.yaml"), "model_file: hand.wrl\n").unwrap();
    let links = "  - { name: TORSO, joint_type: revolute, joint_id: 0 }
  - { type: SubBody, uri: hand.yaml, parent: TORSO, prefix: L_, joint_type: fixed, joint_id_offset: 1, translation: [ 0, 1, 0 ] }
  - { type: SubBody, uri: hand.yaml, parent: TORSO, suffix: _R, device_prefix: Right, joint_type: fixed, joint_id_offset: 2 }
";
    let (body, diagnostics) = load(&directory, links);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let body = body.unwrap();
    let joints: Vec<&str> = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint))).collect();
    assert_eq!(joints, ["TORSO", "L_THUMB", "THUMB_R", "L_FINGER", "FINGER_R"]);
    let [palm, other, thumb] = ["L_PALM", "PALM_R", "L_THUMB"].map(|name| body.link(body.find_link(name).unwrap()));
    assert_eq!(palm.joint.kind, JointKind::Fixed);
    assert_eq!(
        [palm, other, thumb].map(|link| link.offset.translation.vector.as_slice().to_vec()),
        [vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 5.0], vec![0.5, 0.0, 0.0]]
    );
    assert_eq!((thumb.joint.kind, thumb.joint.axis.y), (JointKind::Revolute, 1.0));
    let devices: Vec<_> = body.devices.iter().map(|device| (device.name.as_str(), device.id)).collect();
    assert_eq!(devices, [("L_Turn", Some(3)), ("RightTurn", Some(3))]);
    let loops: Vec<_> =
        body.extra_joints.iter().map(|joint| joint.links.map(|link| body.link(link).name.as_str())).collect();
    assert_eq!(loops, [["L_THUMB", "L_FINGER"], ["THUMB_R", "FINGER_R"]]);
}

#[test]
fn mistakes_are_located() {
    let directory = directory();
    let first = |links: &str| {
        let (body, diagnostics) = load(&directory, links);
        assert!(body.is_none());
        let diagnostic = &diagnostics[0];
        let position = diagnostic.position().map(|position| (position.line, position.column));
        (diagnostic.code, position, diagnostic.file().unwrap().file_name().unwrap().to_string_lossy().into_owned())
    };
    assert_eq!(
        first("  - { type: SubBody, uri: foot.body }\n"),
        ("file-not-found", Some((4, 27)), "robot.body".to_owned())
    );
    assert_eq!(first("  - { type: SubBody }\n"), ("missing-key", Some((4, 5)), "robot.body".to_owned()));
    assert_eq!(
        first("  - { type: SubBody, uri: robot.body }\n"),
        ("sub-body-cycle", Some((4, 27)), "robot.body".to_owned())
    );
    let orphan = "  - { name: A }\n  - { type: SubBody, uri: hand.body, parent: B }\n";
    assert_eq!(first(orphan), ("unknown-link", Some((5, 46)), "robot.body".to_owned()));
    fs::write(directory.path().join("hand.body"), HAND.replace("revolute", "revolut")).unwrap();
    assert_eq!(
        first("  - { type: SubBody, uri: hand.body }\n"),
        ("unknown-joint-type", Some((9, 46)), "hand.body".to_owned())
    );
}

#[test]
fn a_circle_through_other_files_ends() {
    let directory = directory();
    fs::write(
        directory.path().join("hand.body"),
        format!("{HAND}  # and back\n")
            .replace("extra_joints:", "  - { type: SubBody, uri: robot.body, parent: PALM, prefix: X }\nextra_joints:"),
    )
    .unwrap();
    let (body, diagnostics) = load(&directory, "  - { type: SubBody, uri: hand.body }\n");
    assert!(
        body.is_none() && diagnostics.iter().any(|diagnostic| diagnostic.code == "sub-body-cycle"),
        "{diagnostics:?}"
    );
}

#[test]
fn copies_of_copies_are_limited() {
    let directory = directory();
    let twice = |uri: &str| {
        let sub = |prefix: &str| format!("  - {{ type: SubBody, uri: {uri}, parent: A, prefix: {prefix} }}\n");
        format!("format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - name: A\n{}{}", sub("l"), sub("r"))
    };
    for level in 0..30 {
        let uri = if level == 0 { "hand.body".to_owned() } else { format!("m{}.body", level - 1) };
        fs::write(directory.path().join(format!("m{level}.body")), twice(&uri)).unwrap();
    }
    let (body, diagnostics) = load(&directory, "  - { type: SubBody, uri: m29.body }\n");
    assert!(body.is_none() && diagnostics.iter().any(|diagnostic| diagnostic.code == "limit-sub-bodies"));
}
