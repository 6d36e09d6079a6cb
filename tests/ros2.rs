//! `bunraku run --ros2` beside another implementation of DDS.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

use std::process::Command;

use bunraku_test_support::{Needed, TestFolder, project, skip};

/// `python3`, or the program named by `BUNRAKU_PYTHON`.
fn python() -> Command {
    Command::new(std::env::var_os("BUNRAKU_PYTHON").unwrap_or_else(|| "python3".into()))
}

#[test]
fn cyclone_dds_receives_drives_and_steps() {
    let has_packages = python().args(["-c", "import cyclonedds.sub"]).output();
    if !has_packages.is_ok_and(|output| output.status.success()) {
        skip(Needed::Python, "there is no python3 with cyclonedds");
        return;
    }
    let out = TestFolder::new();
    let peer = python()
        .arg(project().join("plugins/ros2/examples/peer.py"))
        .arg(env!("CARGO_BIN_EXE_bunraku"))
        .arg(project().join("assets/scenes/ros2.scene.yaml"))
        .arg(out.path())
        .output()
        .unwrap();
    let printed = [peer.stdout, peer.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(peer.status.success() && printed.contains("right"), "{printed}");
    assert!(printed.contains("have no `.seq`; record the run with `--mcap`"), "{printed}");
    // Names from messages are words of warnings at most.
    assert!(
        !out.path().join("pwned").exists() && printed.contains("the robot has no joint `$(touch pwned)`"),
        "{printed}"
    );
}
