//! Code that the system tests share.

use std::path::Path;
use std::process::{Command, Output};

use bunraku::document::Reporter;
use bunraku::motion::BodyMotion;

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

/// A recording that loads without warnings.
#[track_caller]
pub fn load_motion(file: &Path) -> BodyMotion {
    let reporter = Reporter::strict();
    let motion = BodyMotion::load(file, &reporter).unwrap_or_else(|error| panic!("{error}"));
    assert!(!reporter.has_errors(), "{:?}", reporter.diagnostics());
    motion
}
