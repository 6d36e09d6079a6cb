//! The command line as users see it: exit codes, messages with a location, and complete files.

mod animated;
mod check;
mod compared;
mod convert;
mod desk;
mod drive;
mod faults;
mod growth;
mod hostile;
mod info;
mod isolation;
mod misuse;
mod mjcf;
mod models;
mod motions;
mod outside;
mod pictures;
#[cfg(unix)]
mod process;
mod projects;
mod projects_in_parts;
mod rapier_step;
mod recording;
mod refused;
mod repeat;
mod reported;
mod run;
mod shapes;
mod shell;
mod start_and_forces;
mod sweep;
mod tasks;
mod tracks;
mod transcript;
mod unharmed;
mod walk_throughs;

use crate::common::bunraku;
use desk::{ARM, Desk, SCENE};

#[test]
fn wrong_usage_is_exit_code_2() {
    let desk = Desk::new(ARM, SCENE);
    for arguments in [["--set", "kp"], ["--duration", "-1"], ["--duration", "soon"], ["--colour", "red"]] {
        assert_eq!(desk.run(&arguments).status.code(), Some(2), "{arguments:?}");
    }
    // Without arguments a build with a window opens its gallery, here without a display.
    let output = bunraku().env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    assert_eq!(output.status.code(), Some(if cfg!(feature = "viewer") { 1 } else { 2 }));
}
