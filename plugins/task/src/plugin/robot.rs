//! A simulated robot that executes commands.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::prelude::{Entity, default};
use bunraku_body::{BodyState, JointIndex, JointKind};
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

use crate::inverse_kinematics::Residual;
use crate::model::{ModelName, Task, ToolId};
use crate::robot::{
    Arrival, AttachFailure, CommandFailure, Plan, Planner, Progress, Robot, RobotCommand, RobotSetup, Warning,
};
use crate::variables::ModelPoses;

/// Speed below which fingers count as stopped, m/s or rad/s: an object is between them.
const STANDSTILL: f64 = 2e-3;

/// Time tolerance, s: a step that should reach the end of a move may miss it by rounding.
const TIME_SLACK: f64 = 1e-9;

/// A simulated robot, with the state of the world at the beginning of a step.
#[derive(Clone, Debug)]
pub(super) struct SimulatedRobot {
    planner: Planner,
    /// Bodies of the models.
    pub bodies: BTreeMap<ModelName, Entity>,
    pub seen: Seen,
    pub memory: Memory,
    /// Joints of models that were detached in this step.
    pub released: Vec<Entity>,
}

/// State of the world at the beginning of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Simulated time, s.
    pub time: f64,
    pub robot: Option<BodyState>,
    /// Whether the robot is dynamic, so that its state may differ from the targets.
    pub by_forces: bool,
    /// World poses of the models with a body.
    pub models: BTreeMap<ModelName, Isometry3<f64>>,
    /// Models with a static body.
    pub fixed: BTreeSet<ModelName>,
}

/// State kept between steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    /// Target displacements at the end of the step, rad or m; empty before the first step.
    pub targets: Vec<f64>,
    /// Target velocities, rad/s or m/s.
    pub velocities: Vec<f64>,
    command: Option<Move>,
    pub attached: Vec<Attachment>,
    /// World poses of the models without a body.
    pub frames: BTreeMap<ModelName, Isometry3<f64>>,
}

/// A command in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Move {
    command: RobotCommand,
    /// Time it began, s.
    start: f64,
    plan: Plan,
}

/// A model that is attached to a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Attachment {
    pub model: ModelName,
    pub tool: ToolId,
    /// Pose of the model in the tool frame.
    pub relative: Isometry3<f64>,
    /// Joint that attaches it; without one, only its pose is set.
    #[serde(skip)]
    pub joint: Option<Entity>,
}

impl SimulatedRobot {
    pub fn new(setup: Arc<RobotSetup>, task: &Task, bodies: BTreeMap<ModelName, Entity>) -> Self {
        let frames = task.models.iter().filter(|model| !bodies.contains_key(&model.name));
        let frames = frames.map(|model| (model.name.clone(), model.pose.to_isometry())).collect();
        let memory = Memory { frames, ..default() };
        Self { planner: Planner::new(setup), bodies, seen: Seen::default(), memory, released: Vec::new() }
    }

    pub fn setup(&self) -> &Arc<RobotSetup> {
        self.planner.setup()
    }

    /// World pose of a tool, for the state of the robot.
    pub fn tool_pose(&self, id: ToolId, state: &BodyState) -> Option<Isometry3<f64>> {
        let tool = self.setup().tool(id)?;
        Some(state.link_poses.get(tool.link.0)? * tool.offset)
    }

    /// Updates the state of the world at the beginning of a step.
    pub fn see(&mut self, seen: Seen) {
        if self.memory.targets.is_empty()
            && let Some(robot) = &seen.robot
        {
            self.memory.targets.clone_from(&robot.displacements);
            self.memory.velocities = vec![0.0; robot.displacements.len()];
        }
        self.seen = seen;
    }

    /// Computes the targets for the end of a step of `time_step` s.
    pub fn aim(&mut self, time_step: f64) {
        let Memory { targets, velocities, command, .. } = &mut self.memory;
        match command {
            Some(command) => command.plan.at(self.seen.time + time_step - command.start, targets, velocities),
            None => velocities.fill(0.0),
        }
    }

    /// Holds the current targets.
    pub fn rest(&mut self) {
        self.memory.command = None;
    }

    /// Remaining error of a move; `None` if it is finished.
    fn left(&self, command: &RobotCommand) -> Option<Residual> {
        let state = self.seen.robot.as_ref()?;
        let to = |tool, pose: &Isometry3<f64>| {
            let found = self.tool_pose(tool, state).unwrap_or(*pose);
            let position = (found.translation.vector - pose.translation.vector).norm();
            Residual { position, rotation: found.rotation.angle_to(&pose.rotation) }
        };
        let left = match command {
            RobotCommand::MoveArm { tool, pose, .. } => to(*tool, pose),
            RobotCommand::MoveBothArms { left, right, .. } => worst(to(ToolId(0), left), to(ToolId(1), right)),
            RobotCommand::MoveGripper { gripper, .. } => {
                let fingers = self.setup().gripper(*gripper).map(|gripper| &gripper.joints);
                let indices = fingers.into_iter().flatten().map(|finger| finger.index);
                let stands = |index: JointIndex| state.velocities.get(index.0).is_none_or(|v| v.abs() < STANDSTILL);
                if indices.clone().all(stands) {
                    return None;
                }
                self.left_of_joints(indices, state)
            }
            RobotCommand::GoInitial { .. } => {
                self.left_of_joints((0..state.displacements.len()).map(JointIndex), state)
            }
            RobotCommand::MoveTorso { .. } => self.left_of_joints(self.setup().torso.into_iter(), state),
            RobotCommand::MoveHead { .. } => self.left_of_joints(self.setup().head.into_iter().flatten(), state),
        };
        let Arrival { position, rotation, .. } = self.setup().arrival;
        (left.position > position || left.rotation > rotation).then_some(left)
    }

    /// Largest differences between joints and their targets.
    fn left_of_joints(&self, joints: impl Iterator<Item = JointIndex>, state: &BodyState) -> Residual {
        let mut left = Residual { position: 0.0, rotation: 0.0 };
        for index in joints {
            let (Some(target), Some(found)) = (self.memory.targets.get(index.0), state.displacements.get(index.0))
            else {
                continue;
            };
            let distance = (target - found).abs();
            let slides = self.setup().body.joint(index).is_some_and(|joint| joint.kind == JointKind::Prismatic);
            let slot = if slides { &mut left.position } else { &mut left.rotation };
            *slot = slot.max(distance);
        }
        left
    }
}

fn worst(first: Residual, second: Residual) -> Residual {
    Residual { position: first.position.max(second.position), rotation: first.rotation.max(second.rotation) }
}

impl ModelPoses for SimulatedRobot {
    fn model_pose(&self, model: &ModelName) -> Option<Isometry3<f64>> {
        self.seen.models.get(model).or_else(|| self.memory.frames.get(model)).copied()
    }
}

impl Robot for SimulatedRobot {
    /// Plans from the joint targets rather than from the displacements under load; otherwise the arm would sink with
    /// each command.
    fn start(&mut self, command: &RobotCommand) -> Result<Vec<Warning>, CommandFailure> {
        let root = self.seen.robot.as_ref().and_then(|state| state.link_poses.first()).copied();
        let root = root.unwrap_or(self.setup().root);
        let (plan, warnings) = self.planner.plan(command, &root, &self.memory.targets)?;
        self.memory.command = Some(Move { command: *command, start: self.seen.time, plan });
        Ok(warnings)
    }

    fn advance(&mut self) -> Progress {
        let Some(Move { command, start, plan }) = &self.memory.command else { return Progress::Done };
        let late = self.seen.time - start - plan.duration();
        if late < -TIME_SLACK {
            return Progress::Moving;
        }
        let progress = match self.left(command).filter(|_| self.seen.by_forces) {
            None => Progress::Done,
            Some(left) if late >= self.setup().arrival.time - TIME_SLACK => {
                Progress::Failed(CommandFailure::Missed(left))
            }
            Some(_) => return Progress::Moving,
        };
        self.memory.command = None;
        progress
    }

    fn attach(&mut self, model: &ModelName, tool: ToolId) -> Result<(), AttachFailure> {
        let tool_pose = self.seen.robot.as_ref().and_then(|state| self.tool_pose(tool, state));
        let tool_pose = tool_pose.ok_or(AttachFailure::NoTool)?;
        if self.seen.fixed.contains(model) {
            return Err(AttachFailure::Static);
        }
        let pose = self.model_pose(model).ok_or(AttachFailure::NoModel)?;
        let relative = tool_pose.inverse() * pose;
        self.memory.attached.push(Attachment { model: model.clone(), tool, relative, joint: None });
        Ok(())
    }

    fn detach(&mut self, model: &ModelName) {
        let gone = self.memory.attached.extract_if(.., |attached| attached.model == *model);
        self.released.extend(gone.filter_map(|attached| attached.joint));
    }

    fn is_attached(&self, model: &ModelName) -> bool {
        self.memory.attached.iter().any(|attached| attached.model == *model)
    }

    fn detach_all(&mut self) {
        self.released.extend(self.memory.attached.drain(..).filter_map(|attached| attached.joint));
    }

    fn time(&self) -> f64 {
        self.seen.time
    }
}
