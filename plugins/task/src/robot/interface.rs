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

    /// Fixes the root link of a model to a tool, as they stand to each other now. False if it has no such tool.
    fn attach(&mut self, model: &ModelName, tool: ToolId) -> bool;

    /// Lets a model go. What is not attached is let go, too.
    fn detach(&mut self, model: &ModelName);

    /// Whether a model is attached.
    fn is_attached(&self, model: &ModelName) -> bool;

    /// Lets everything go.
    fn detach_all(&mut self);

    /// Simulated time, s.
    fn time(&self) -> f64;
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
