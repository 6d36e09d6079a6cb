use bevy::prelude::*;

use crate::execution::Event;

/// An event of a robot's task, at the beginning of the current step.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct TaskEvent {
    /// The robot.
    pub entity: Entity,
    /// The event.
    pub event: Event,
}

/// The task of a robot ended.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct TaskEnded {
    /// The robot.
    pub entity: Entity,
    /// Error that ended the task early; [`TaskRun::execution`](super::TaskRun::execution) has it with its location in
    /// the file.
    pub failure: Option<String>,
}
