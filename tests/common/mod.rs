//! What the tests of the whole system share.

// Each test program uses its own part of this.
#![allow(dead_code)]

pub mod real_data;

use real_data::real_data;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The built program, in the root of the project, without a share directory unless a test passes one.
pub fn bunraku() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bunraku"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("BUNRAKU_SHARE");
    command
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Choreonoid's share directory in the corpus.
pub fn share() -> Option<PathBuf> {
    real_data("BUNRAKU_CORPUS").map(|corpus| corpus.join("share"))
}

/// What Choreonoid loaded and recorded from the corpus.
pub fn golden() -> Option<PathBuf> {
    real_data("BUNRAKU_GOLDEN")
}
