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
