//! Motions that controllers follow: tables as motions, and where joints start.

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{load_motion, stderr};

/// The arm follows a motion, `rise.csv` unless the text is replaced.
fn following(more: &str) -> String {
    replaced(SCENE, "kp: 10, kd: 1", &format!("kp: 10, kd: 1, motion: rise.csv{more}"))
}

fn first_displacement(desk: &Desk) -> f64 {
    let motion = load_motion(&desk.path().join("out/Arm.seq"));
    motion.joint_displacements.unwrap().frame(0)[0]
}

#[test]
fn a_table_is_a_motion() {
    let desk = Desk::new(ARM, &following(""));
    // Columns of joints are in rad, in any order, with the names of the model.
    desk.write("rise.csv", "ARM,time\n0,0\n0.1,1\n");
    let output = desk.run(&[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    desk.write("rise.csv", "ELBOW,time\n0,0\n0.1,1\n");
    let output = desk.run(&[]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(message.contains("there is no joint `ELBOW`") && message.contains("rise.csv:1:1"), "{message}");
    // `drive: motion` plays it.
    let played = replaced(SCENE, "controller: { type: pd, kp: 10, kd: 1 }", "drive: motion\n    motion: rise.csv");
    let desk = Desk::new(ARM, &played);
    desk.write("rise.csv", "time,ARM\n0,0.5\n1,0.1\n");
    assert_eq!(desk.run(&[]).status.code(), Some(0));
    assert_eq!(first_displacement(&desk), 0.5);
}

#[test]
fn a_motion_that_begins_far_from_where_joints_start_is_reported() {
    let desk = Desk::new(ARM, &following(""));
    desk.write("rise.csv", "time,ARM\n0,1.5\n1,1.5\n");
    let output = desk.run(&[]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{message}");
    for part in [
        "warning[far-start]",
        "arm.scene.yaml:8:",
        "joint `ARM` of `Arm` starts at 0°, but its motion begins at 85.9437°",
        "`start: motion`",
    ] {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
    assert_eq!(first_displacement(&desk), 0.0);
    desk.write("arm.scene.yaml", &following(", start: motion"));
    let output = desk.run(&[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    assert_eq!(first_displacement(&desk), 1.5);
    // A commanded velocity replaces the displacements of the motion.
    desk.write("arm.scene.yaml", &following(", velocity: 10"));
    assert_eq!(stderr(&desk.run(&[])), "");
    Desk::new(ARM, &replaced(SCENE, "kd: 1", "kd: 1, start: motion")).fails(&[], &["error[missing-motion]"]);
    Desk::new(ARM, &replaced(SCENE, "kd: 1", "kd: 1, start: moton")).fails(&[], &["did you mean `motion`?"]);
}
