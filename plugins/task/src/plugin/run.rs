use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_document::Diagnostic;
use serde::{Deserialize, Serialize};

use super::robot::SimulatedRobot;
use crate::execution::{Event, Execution, Limits, Status};
use crate::model::{ModelName, Task};
use crate::robot::RobotSetup;

/// A task executed by a robot; a component of the robot's body entity. It begins in the next step.
///
/// Replace it to run again, for example with other parameters; attached models are then detached.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
pub struct TaskRun {
    pub(super) execution: Execution,
    pub(super) robot: SimulatedRobot,
    pub(super) control: Control,
    /// Whether its end was reported.
    pub(super) is_end_reported: bool,
}

/// Control of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Control {
    /// Runs from state to state.
    #[default]
    Run,
    /// The current command is finished; then the robot holds its targets.
    Pause,
    /// The next state is entered; then as [`Control::Pause`].
    Step,
    /// Ends the run: the robot holds its position at once, and attached models are detached.
    Stop,
}

impl TaskRun {
    /// A task for a robot. `setup` describes how the robot of this entity follows commands. `bodies` are the bodies of
    /// the task's models; the others are frames without a body, at the poses given in the task. The task should have
    /// been [checked](crate::check::check).
    pub fn new(task: Task, setup: Arc<RobotSetup>, bodies: BTreeMap<ModelName, Entity>, limits: Limits) -> Self {
        let robot = SimulatedRobot::new(setup, &task, bodies);
        Self { execution: Execution::new(task, limits), robot, control: Control::Run, is_end_reported: false }
    }

    /// The task and its progress.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// The robot.
    pub fn setup(&self) -> &Arc<RobotSetup> {
        self.robot.setup()
    }

    /// World poses of the models without a body.
    pub fn frames(&self) -> &BTreeMap<ModelName, nalgebra::Isometry3<f64>> {
        &self.robot.memory.frames
    }

    /// Bodies of the models.
    pub fn bodies(&self) -> &BTreeMap<ModelName, Entity> {
        &self.robot.bodies
    }

    /// Current control.
    pub fn control(&self) -> Control {
        self.control
    }

    /// Sets the control from the next step on.
    pub fn set_control(&mut self, control: Control) {
        self.control = control;
    }

    /// Sets the value of a parameter for commands that begin from now on. `text` is an expression without names, such
    /// as `0.05` or `[0.4, -0.2, 0.84, 0, 0, 90]`.
    ///
    /// # Errors
    /// If the parameter does not exist, or the value has another type.
    pub fn adjust(&mut self, name: &str, text: &str) -> Result<(), Box<Diagnostic>> {
        self.execution.adjust(name, text)
    }

    /// Advances by a step of the simulation.
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
