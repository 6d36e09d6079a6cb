use crate::model::{ModelName, ToolId};
use crate::variables::ModelPoses;

use super::{CommandFailure, RobotCommand, Warning};

/// A robot that executes commands step by step.
pub trait Robot: ModelPoses {
    /// Begins a command.
    ///
    /// # Errors
    /// If it cannot be executed; then nothing has moved.
    fn start(&mut self, command: &RobotCommand) -> Result<Vec<Warning>, CommandFailure>;

    /// Advances by one step of the robot; only after [`Robot::start`] and before the end of the command.
    fn advance(&mut self) -> Progress;

    /// Attaches the root link of a model to a tool, with the current relative pose.
    ///
    /// # Errors
    /// If the tool or the model does not exist, or the model cannot be moved.
    fn attach(&mut self, model: &ModelName, tool: ToolId) -> Result<(), AttachFailure>;

    /// Detaches a model; also if it is not attached.
    fn detach(&mut self, model: &ModelName);

    /// Whether a model is attached.
    fn is_attached(&self, model: &ModelName) -> bool;

    /// Detaches everything.
    fn detach_all(&mut self);

    /// Simulated time, s.
    fn time(&self) -> f64;
}

/// Reason why a model was not attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachFailure {
    /// The mapping has no such tool.
    #[error("the robot has no such tool")]
    NoTool,
    /// Neither the task nor the robot's world has such a model.
    #[error("there is no such model")]
    NoModel,
    /// The body of the model is static.
    #[error("its body is static")]
    Static,
}

impl AttachFailure {
    /// Suggested remedy.
    pub fn help(self) -> &'static str {
        match self {
            Self::NoTool => "add the tool to `tools` of the robot's mapping, or name one that it has",
            Self::NoModel => "add the model to `models`, or name one that is there",
            Self::Static => "leave `drive: static` of the body out of the scene",
        }
    }
}

/// Progress of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// In progress.
    Moving,
    /// Finished.
    Done,
    /// Failed.
    Failed(CommandFailure),
}
