//! A directory with a small model and a scene, as the working directory of the program.

use std::path::Path;
use std::process::Output;

use bunraku_test_support::TestFolder;

use crate::common::{bunraku, stderr};

/// A valid two-link arm.
pub(super) const ARM: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Arm
links:
  - name: BASE
  - name: ARM
    parent: BASE
    joint_type: revolute
    joint_axis: Y
    joint_id: 0
    inertia: [ 1, 0, 0, 1, 0, 1 ]
    mass: 1
";

/// A scene with the arm.
pub(super) const SCENE: &str = "\
format: BunrakuScene
format_version: 1
simulation:
  duration: 0.01
bodies:
  - name: Arm
    file: arm.body
    controller: { type: pd, kp: 10, kd: 1 }
";

/// A directory with a model, a scene that uses it, and room for results.
pub(super) struct Desk {
    folder: TestFolder,
}

impl Desk {
    pub(super) fn new(model: &str, scene: &str) -> Self {
        Self { folder: TestFolder::with(&[("arm.body", model), ("arm.scene.yaml", scene)]) }
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        self.folder.write(name, text);
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program in this directory.
    pub(super) fn bunraku(&self, arguments: &[&str]) -> Output {
        bunraku().current_dir(self.path()).args(arguments).output().unwrap()
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Output {
        self.bunraku(&[&["run", "arm.scene.yaml", "--out", "out"], arguments].concat())
    }

    /// Runs the scene, which must fail with a message that contains all of `expected`, and without leaving any files.
    #[track_caller]
    pub(super) fn fails(&self, arguments: &[&str], expected: &[&str]) {
        let output = self.run(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        for part in expected {
            assert!(message.contains(part), "no {part:?} in:\n{message}");
        }
        assert!(!self.path().join("out").exists(), "something was written");
    }
}

pub(super) fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from));
    text.replacen(from, to, 1)
}
