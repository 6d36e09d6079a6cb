use std::path::PathBuf;
use std::time::Duration;

/// A program that controls a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerProcess {
    /// The program and its arguments. A program without a `/` is looked for in `PATH`.
    pub command: Vec<String>,
    /// The directory in which it runs, and to which relative paths in the command refer.
    pub directory: PathBuf,
    /// The layout of its messages.
    pub layout: ProcessLayout,
    /// The meaning of its replies.
    pub output: ProcessOutput,
    /// Steps from one message to the next, at least 1. The commands are constant in between.
    pub period: u64,
    /// Longest wall time of a reply. A program that takes longer fails the simulation.
    pub timeout: Duration,
    /// Location of the command in a file, for messages; empty without a file.
    pub place: String,
}

/// Layout of the messages of a [`ControllerProcess`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessLayout {
    /// One line of JSON for each message.
    #[default]
    Json,
    /// Numbers of 8 bytes, little-endian, after a length of 4 bytes.
    Binary,
}

/// Meaning of the replies of a [`ControllerProcess`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessOutput {
    /// Joint efforts, N·m or N.
    #[default]
    Effort,
    /// Target displacements of the servos, rad or m, and optionally target velocities.
    Displacement,
    /// Target velocities of the servos and tracks, rad/s or m/s.
    Velocity,
}

impl ProcessOutput {
    /// Key of the commands in JSON replies.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Effort => "efforts",
            Self::Displacement => "displacements",
            Self::Velocity => "velocities",
        }
    }

    /// Word in scene files and in the description for the program.
    pub fn word(self) -> &'static str {
        match self {
            Self::Effort => "effort",
            Self::Displacement => "displacement",
            Self::Velocity => "velocity",
        }
    }
}

impl ControllerProcess {
    /// The command and its location, for messages.
    pub(super) fn quoted(&self) -> String {
        let command = self.command.join(" ");
        match self.place.as_str() {
            "" => format!("`{command}`"),
            place => format!("`{command}`, {place}"),
        }
    }
}
