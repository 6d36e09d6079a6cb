use crate::model::{ModelName, ToolId};
use crate::variables::ModelPoses;

use super::{CommandFailure, RobotCommand, Warning};

/// Something that carries out commands, step by step.
pub trait Robot: ModelPoses {
    /// Begins a command.
    ///
    /// # Errors
    /// If it cannot be carried out; then nothing has moved.
    fn start(&mut self, command: &RobotCommand) -> Result<Vec<Warning>, CommandFailure>;

    /// Goes on by one step of its own; only between [`Robot::start`] and its end.
    fn advance(&mut self) -> Progress;

    /// Fixes the root link of a model to a tool, as they stand to each other now.
    ///
    /// # Errors
    /// If there is no such tool or model, or the model cannot be moved.
    fn attach(&mut self, model: &ModelName, tool: ToolId) -> Result<(), AttachFailure>;

    /// Lets a model go. What is not attached is let go, too.
    fn detach(&mut self, model: &ModelName);

    /// Whether a model is attached.
    fn is_attached(&self, model: &ModelName) -> bool;

    /// Lets everything go.
    fn detach_all(&mut self);

    /// Simulated time, s.
    fn time(&self) -> f64;
}

/// Why a model was not attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachFailure {
    /// The mapping has no such tool.
    #[error("the robot has no such tool")]
    NoTool,
    /// The task, or the robot's world, has no such model.
    #[error("there is no such model")]
    NoModel,
    /// The body of the model is static.
    #[error("its body is static")]
    Static,
}

impl AttachFailure {
    /// What to do about it.
    pub fn help(self) -> &'static str {
        match self {
            Self::NoTool => "add the tool to `tools` of the robot's mapping, or name one that it has",
            Self::NoModel => "add the model to `models`, or name one that is there",
            Self::Static => "leave `drive: static` of the body out of the scene",
        }
    }
}

/// How far a command has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// Not at the end yet.
    Moving,
    /// Done.
    Done,
    /// It has failed.
    Failed(CommandFailure),
}
