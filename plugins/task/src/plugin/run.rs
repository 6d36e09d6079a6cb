use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_control::TaskOrder;
use bunraku_document::Diagnostic;
use serde::{Deserialize, Serialize};

use super::robot::SimulatedRobot;
use crate::execution::{Event, Execution, Limits, Status};
use crate::model::{ModelName, Task};
use crate::robot::RobotSetup;

/// A task that a robot carries out; a component of the robot's body entity. It begins with the next step.
///
/// Put another one in its place to run again, for example with other parameters; what is attached is let go then.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
pub struct TaskRun {
    pub(super) execution: Execution,
    pub(super) robot: SimulatedRobot,
    pub(super) control: Control,
    /// Whether its end was told.
    pub(super) is_told: bool,
}

/// Whether a task goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Control {
    /// From state to state.
    #[default]
    Run,
    /// The command in progress is finished; then the robot stays where it is.
    Pause,
    /// The next state is entered; then as [`Control::Pause`].
    Step,
    /// Not any more: the robot stays where it is at once, and what is attached is let go.
    Stop,
}

impl From<TaskOrder> for Control {
    fn from(order: TaskOrder) -> Self {
        match order {
            TaskOrder::Run => Self::Run,
            TaskOrder::Pause => Self::Pause,
            TaskOrder::Step => Self::Step,
            TaskOrder::Stop => Self::Stop,
        }
    }
}

impl TaskRun {
    /// A task on a robot. `setup` says how the robot of this entity follows commands; `bodies` which bodies the models of the task are:
    /// the others are frames without a body, where the task puts them. The task should have been [checked](crate::check::check).
    pub fn new(task: Task, setup: Arc<RobotSetup>, bodies: BTreeMap<ModelName, Entity>, limits: Limits) -> Self {
        let robot = SimulatedRobot::new(setup, &task, bodies);
        Self { execution: Execution::new(task, limits), robot, control: Control::Run, is_told: false }
    }

    /// The task and how far it is.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// The robot.
    pub fn setup(&self) -> &Arc<RobotSetup> {
        self.robot.setup()
    }

    /// Where the models are that are frames without a body.
    pub fn frames(&self) -> &BTreeMap<ModelName, nalgebra::Isometry3<f64>> {
        &self.robot.memory.frames
    }

    /// The bodies that models are.
    pub fn bodies(&self) -> &BTreeMap<ModelName, Entity> {
        &self.robot.bodies
    }

    /// Whether it goes on.
    pub fn control(&self) -> Control {
        self.control
    }

    /// Lets it go on, or not, from the next step on.
    pub fn set_control(&mut self, control: Control) {
        self.control = control;
    }

    /// Gives a parameter another value, for commands that begin from now on; `text` is an expression without names, such as `0.05` or
    /// `[0.4, -0.2, 0.84, 0, 0, 90]`.
    ///
    /// # Errors
    /// If there is no such parameter, or the value is not of its type.
    pub fn adjust(&mut self, name: &str, text: &str) -> Result<(), Box<Diagnostic>> {
        self.execution.adjust(name, text)
    }

    /// Goes on by a step of the simulation.
    pub(super) fn advance(&mut self, events: &mut Vec<Event>) {
        let Self { execution, robot, control, .. } = self;
        if *control == Control::Stop {
            execution.abort(robot);
        }
        execution.go_on(robot, events);
        while execution.is_between_commands() && matches!(*control, Control::Run | Control::Step) {
            if *control == Control::Step {
                *control = Control::Pause;
            }
            execution.enter_next(robot, events);
        }
        if !matches!(execution.status(), Status::Running) {
            robot.rest();
        }
    }
}
