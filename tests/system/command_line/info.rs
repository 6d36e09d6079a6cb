//! `bunraku info`.

use std::process::Stdio;

use super::desk::{ARM, Desk, SCENE, replaced};
use crate::common::{bunraku, stderr, stdout};

#[test]
fn a_closed_pipe_is_no_failure() {
    let desk = Desk::new(ARM, SCENE);
    let mut info = bunraku();
    info.current_dir(desk.path()).args(["info", "arm.body"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut info = info.spawn().unwrap();
    // The pipe is closed before anything was read from it.
    drop(info.stdout.take());
    let output = info.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn a_bare_file_name_is_in_the_current_directory() {
    let desk = Desk::new(&replaced(ARM, "mass: 1", "elements: [ { type: Resource, uri: hand.stl } ]"), SCENE);
    let output = desk.bunraku(&["info", "arm.body"]);
    assert!(stderr(&output).contains("= help: searched in .: is the path spelt right?"), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("model      Arm\n"), "{}", stdout(&output));
}

#[test]
fn joints_have_their_axes_and_limits_and_links_their_shapes() {
    let shapes = "elements: [ { type: Shape, geometry: { type: Box, size: [ 1, 1, 1 ] } }, { type: Shape, geometry: { type: Box, size: [ 2, 1, 1 ] } }, \
                  { type: Visual, elements: { type: Shape, geometry: { type: Sphere, radius: 1 } } } ]";
    let ranges = "joint_range: [ -90, 45 ]\n    joint_velocity_range: [ -180, 180 ]\n    max_joint_effort: 20";
    let arm = replaced(ARM, "    mass: 1\n", &format!("    mass: 1\n    {ranges}\n    {shapes}\n"));
    let output = Desk::new(&arm, SCENE).bunraku(&["info", "arm.body"]);
    let text = stdout(&output);
    for part in [
        "axis [0, 1, 0], range -90° to 45°, velocity ±180°/s, effort ±20 N·m\n",
        "1.0000 kg  2 × box, sphere; for collisions 2 × box\n",
        "kg  no shape\n",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}{}", stderr(&output));
    }
}
