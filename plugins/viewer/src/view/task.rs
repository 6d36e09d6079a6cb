use bevy::prelude::Entity;
use bunraku_task::Control;
use bunraku_task::model::{StateId, Task};

/// A task that a robot carries out.
#[derive(Clone, Debug)]
pub struct ShownTask {
    /// The body entity of the robot.
    pub robot: Entity,
    /// What the robot is called.
    pub robot_name: String,
    /// The task, with its parameters as they are now.
    pub task: Task,
    /// The state it is in; `None` before the first.
    pub current: Option<StateId>,
    /// Whether it goes on.
    pub control: Control,
    /// How far it is.
    pub progress: TaskProgress,
}

/// How far a task is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TaskProgress {
    /// Its states are gone through.
    #[default]
    Going,
    /// A final state is reached.
    Done,
    /// It could not go on, and why.
    Failed(String),
}
