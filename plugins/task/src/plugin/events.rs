use bevy::prelude::*;

use crate::execution::Event;

/// Something happened in the task of a robot, at the beginning of the step in progress.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct TaskEvent {
    /// The robot.
    pub entity: Entity,
    /// What.
    pub event: Event,
}

/// The task of a robot is over.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct TaskEnded {
    /// The robot.
    pub entity: Entity,
    /// Why it did not come to its end; [`TaskRun::execution`](super::TaskRun::execution) has it with its place in the file.
    pub failure: Option<String>,
}
