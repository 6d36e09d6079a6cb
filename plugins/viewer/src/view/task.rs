use bevy::prelude::Entity;
use bunraku_task::Control;
use bunraku_task::model::{StateId, Task};

/// Displayed task of a robot.
#[derive(Clone, Debug)]
pub struct ShownTask {
    /// Body entity of the robot.
    pub robot: Entity,
    /// Name of the robot.
    pub robot_name: String,
    /// Task, with its current parameters.
    pub task: Task,
    /// Current state; `None` before the first.
    pub current: Option<StateId>,
    /// Control of the run.
    pub control: Control,
    /// Progress.
    pub progress: TaskProgress,
}

/// Progress of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TaskProgress {
    /// It is running.
    #[default]
    Going,
    /// It has reached a final state.
    Done,
    /// It has failed, with the reason.
    Failed(String),
}
