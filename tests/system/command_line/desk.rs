//! A directory with a small model and a scene, for the program to work in.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::common::{bunraku, stderr};

/// A two-link arm that is right in every respect.
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
    mass: 1
";

/// A scene around it.
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
    directory: TempDir,
}

impl Desk {
    pub(super) fn new(model: &str, scene: &str) -> Self {
        let desk = Self { directory: tempfile::tempdir().unwrap() };
        desk.write("arm.body", model);
        desk.write("arm.scene.yaml", scene);
        desk
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Output {
        bunraku()
            .current_dir(self.path())
            .args(["run", "arm.scene.yaml", "--out", "out"])
            .args(arguments)
            .output()
            .unwrap()
    }

    /// Runs the scene, which must fail with a message that contains all of `expected`, and leave nothing behind.
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
