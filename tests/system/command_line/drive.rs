//! `drive` of a body in a scene, set for its root and its joints separately.

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;

use super::desk::{Desk, replaced};
use crate::common::stderr;

/// A pendulum on a free carriage.
const CARRIAGE: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Carriage
links:
  - name: CARRIAGE
    joint_type: free
    mass: 2
    inertia: [ 1, 0, 0, 1, 0, 1 ]
  - name: ARM
    parent: CARRIAGE
    joint_type: revolute
    joint_axis: Y
    joint_id: 0
    mass: 1
    center_of_mass: [ 0, 0, -0.5 ]
    inertia: [ 1, 0, 0, 1, 0, 1 ]
";

const SCENE: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 0.2 }
bodies:
  - name: Arm
    file: arm.body
    motion: both.seq
    drive: DRIVE
";

/// From 0 to 1 m along X, and from 0 to 1 rad, in a second.
const ROOT: &str = "  - type: MultiSE3Seq
    content: LinkPosition
    frameRate: 1
    numParts: 1
    numFrames: 2
    SE3Format: XYZQWQXQYQZ
    frames:
      - [ [ 0.5, 0, 0, 1, 0, 0, 0 ] ]
      - [ [ 1.5, 0, 0, 1, 0, 0, 0 ] ]
";
const JOINTS: &str = "  - type: MultiValueSeq
    content: JointDisplacement
    frameRate: 1
    numParts: 1
    numFrames: 2
    frames:
      - [ 0.25 ]
      - [ 1.25 ]
";

fn desk(drive: &str) -> Desk {
    let desk = Desk::new(CARRIAGE, &SCENE.replace("DRIVE", drive));
    let head = "type: CompositeSeq\ncontent: BodyMotion\nformatVersion: 2\nframeRate: 1\nnumFrames: 2\ncomponents:\n";
    desk.write("both.seq", &format!("{head}{ROOT}{JOINTS}"));
    desk.write("root.seq", &format!("{head}{ROOT}"));
    desk.write("joints.seq", &format!("{head}{JOINTS}"));
    desk
}

/// Root position along X and joint angle at each of `frames`, and the messages.
fn run(desk: &Desk, frames: &[usize]) -> (Vec<[f64; 2]>, String) {
    let output = desk.run(&[]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{message}");
    let motion = BodyMotion::load(&desk.path().join("out/Arm.seq"), &Reporter::strict()).unwrap();
    let (root, joints) = (motion.link_positions.unwrap(), motion.joint_displacements.unwrap());
    let at = |&frame: &usize| [root.frame(frame)[0].translation.x, joints.frame(frame)[0]];
    (frames.iter().map(at).collect(), message)
}

#[test]
fn a_root_that_is_under_way_at_once_carries_its_joints_along() {
    let (found, message) = run(&desk("{ root: motion, joints: physics }"), &[0, 200]);
    assert_eq!(message, "");
    assert_eq!(found[0], [0.5, 0.0]);
    assert!((found[1][0] - 0.7).abs() < 1e-5, "{found:?}");
    // The carriage has its velocity from the start, and does not accelerate: the arm goes on hanging.
    assert!(found[1][1].abs() < 1e-9, "{found:?}");
}

#[test]
fn joints_follow_a_motion_while_the_root_falls() {
    let (found, message) = run(&desk("{ root: physics, joints: motion }"), &[0, 200]);
    assert_eq!(message, "");
    assert_eq!(found[0], [0.0, 0.25]);
    assert!((found[1][1] - 0.45).abs() < 1e-5, "{found:?}");
    // The carriage is at rest and not held. The arm (1 kg, 0.5 m) swings towards -X from the start, so that the momentum
    // of the two (3 kg) along X is that of the arm at 1 rad/s.
    let arm = |angle: f64| -0.5 * angle.sin();
    let expected = (-0.5 * 0.25_f64.cos() * 0.2 - (arm(0.45) - arm(0.25))) / 3.0;
    assert!((found[1][0] - expected).abs() < 1e-4, "{found:?} instead of {expected}");
}

#[test]
fn equal_halves_are_the_same_as_the_whole() {
    for drive in ["motion", "{ root: motion, joints: motion }"] {
        assert_eq!(run(&desk(drive), &[0]).0, [[0.5, 0.25]]);
    }
    for drive in ["physics", "{}", "{ joints: physics }"] {
        let (found, message) = run(&desk(drive), &[0]);
        assert_eq!(found, [[0.0, 0.0]]);
        assert!(message.contains("the motion does nothing") && message.contains("arm.scene.yaml:7:13"), "{message}");
    }
}

#[test]
fn errors_in_a_drive_are_reported_with_their_location() {
    for (drive, parts) in [
        ("{ root: motoin }", ["`physics` or `motion`", "arm.scene.yaml:8:20"]),
        ("{ root: static }", ["the root alone cannot be `static`", "`fixed: true`"]),
        ("[ motion ]", ["`physics`, `motion` or `static`", "arm.scene.yaml:8:12"]),
    ] {
        desk(drive).fails(&[], &parts);
    }
    let without = replaced(&SCENE.replace("DRIVE", "{ root: motion }"), "    motion: both.seq\n", "");
    Desk::new(CARRIAGE, &without).fails(&[], &["needs a `motion` to follow", "arm.scene.yaml:7:12"]);
    let set = |drive: &str, motion: &str, parts: &[&str]| {
        desk(drive).fails(&["--set", &format!("bodies.Arm.motion={motion}")], parts);
    };
    set("{ root: motion }", "joints.seq", &["the motion has no poses of links"]);
    set("{ joints: motion }", "root.seq", &["the motion has no displacements of joints"]);
}

#[test]
fn keys_without_effect_with_a_drive_are_reported() {
    for (drive, key, what) in [
        ("{ root: motion }", "translation: [ 0, 0, 1 ]", "`translation` does nothing"),
        ("{ joints: motion }", "joint_displacements: [ 5 ]", "`joint_displacements` does nothing"),
        (
            "{ joints: motion }",
            "controller: { type: pd, kp: 1, kd: 1 }",
            "the controller does nothing: the joints follow",
        ),
    ] {
        let scene = format!("{}    {key}\n", SCENE.replace("DRIVE", drive));
        let desk = desk(drive);
        desk.write("arm.scene.yaml", &scene);
        let message = stderr(&desk.run(&[]));
        assert!(message.contains(what) && message.contains("arm.scene.yaml:9:"), "{message}");
    }
}

#[test]
fn a_model_with_another_actuation_mode_gives_a_note() {
    let desk = desk("{ root: motion, joints: physics }");
    desk.write(
        "arm.body",
        &replaced(CARRIAGE, "    joint_id: 0\n", "    joint_id: 0\n    actuation_mode: joint_displacement\n"),
    );
    let check = || {
        let output = desk.bunraku(&["check", "arm.scene.yaml"]);
        stderr(&output)
    };
    assert_eq!(check(), "");
    // Without a controller the joint follows the model's actuation mode: it keeps its displacement.
    let (found, _) = run(&desk, &[0, 200]);
    assert!((found[1][1] - found[0][1]).abs() < 1e-5, "{found:?}");
    let scene = SCENE.replace("DRIVE", "{ root: motion }");
    let free = "    joint_displacements: [ 30 ]\n    controller: { type: pd, kp: 0, kd: 0 }\n";
    desk.write("arm.scene.yaml", &format!("{scene}{free}"));
    let message = check();
    for part in
        ["joint `ARM`", "to be actuated by displacement, but the scene actuates it by effort", "arm.scene.yaml:5"]
    {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
    // It falls with g · 0.5 m · sin 30° / 1.25 m², 1.96 rad/s².
    let (found, _) = run(&desk, &[0, 200]);
    assert!((found[0][1] - found[1][1] - 0.039).abs() < 0.003, "{found:?}");
}
