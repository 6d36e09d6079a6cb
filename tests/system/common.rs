//! What the tests of the whole system share.

use std::process::{Command, Output};

pub use bunraku_test_support::{corpus, golden, share};

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
