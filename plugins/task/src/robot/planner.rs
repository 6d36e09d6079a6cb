use std::sync::Arc;

use bunraku_body::JointIndex;
use bunraku_body::kinematics::link_poses;
use nalgebra::{Isometry3, Translation3};

use super::plan::{cubic, sample_times};
use super::setup::exceeded_range;
use super::{CommandFailure, Plan, RobotCommand, RobotSetup, TIME_STEP, Warning};
use crate::inverse_kinematics::{Options, Solver};
use crate::model::ToolId;

/// Maximum duration of a command, s; its plan has 72 000 samples.
const LONGEST: f64 = 3600.0;

/// A larger change of a joint between two samples is a jump to another solution, rad or m.
const JUMP: f64 = 0.5;

/// Converts commands to displacements over time. A command begins only if its whole plan is feasible.
#[derive(Clone, Debug)]
pub struct Planner {
    setup: Arc<RobotSetup>,
    solvers: Vec<(ToolId, Solver)>,
}

/// Straight motion of a tool.
struct Line {
    tool: ToolId,
    from: Isometry3<f64>,
    to: Isometry3<f64>,
    /// World pose of the base link, which does not move.
    base: Isometry3<f64>,
    /// Displacements of the chain at the last sample.
    displacements: Vec<f64>,
}

impl Line {
    /// Pose at a fraction of the time: cubic in position, uniform in rotation.
    fn at(&self, share: f64) -> Isometry3<f64> {
        let way = self.to.translation.vector - self.from.translation.vector;
        let position = self.from.translation.vector + way * cubic(share);
        // For a rotation by 180° both directions are equally short; either is used.
        let turn = (self.from.rotation.inverse() * self.to.rotation).scaled_axis();
        let rotation = self.from.rotation * nalgebra::UnitQuaternion::from_scaled_axis(turn * share);
        if share >= 1.0 { self.to } else { Isometry3::from_parts(Translation3::from(position), rotation) }
    }
}

impl Planner {
    /// A planner for a robot.
    pub fn new(setup: Arc<RobotSetup>) -> Self {
        let solver = |(id, tool): &(ToolId, super::Tool)| (*id, Solver::new(tool.chain.clone(), Options::continuous()));
        Self { solvers: setup.tools.iter().map(solver).collect(), setup }
    }

    /// The robot.
    pub fn setup(&self) -> &Arc<RobotSetup> {
        &self.setup
    }

    /// Plans a command, from the current displacements of all joints (rad or m) and with the root at `root`.
    ///
    /// # Errors
    /// If it cannot be executed, with the reason.
    pub fn plan(
        &mut self,
        command: &RobotCommand,
        root: &Isometry3<f64>,
        displacements: &[f64],
    ) -> Result<(Plan, Vec<Warning>), CommandFailure> {
        let mut warnings = Vec::new();
        let duration = duration(command.duration(), &mut warnings)?;
        let setup = Arc::clone(&self.setup);
        let plan = match *command {
            RobotCommand::MoveArm { tool, pose, .. } => {
                let line = self.line(tool, &pose, root, displacements)?;
                self.follow(&mut [line], duration, displacements, &mut warnings)?
            }
            RobotCommand::MoveBothArms { left, right, .. } => {
                let left = self.line(ToolId(0), &left, root, displacements)?;
                let right = self.line(ToolId(1), &right, root, displacements)?;
                self.check_separate()?;
                self.follow(&mut [left, right], duration, displacements, &mut warnings)?
            }
            RobotCommand::MoveGripper { gripper, width, .. } => {
                let gripper = setup.gripper(gripper).ok_or(CommandFailure::NoGripper(gripper))?;
                let width = self.clamp_width(gripper, width, &mut warnings)?;
                let mut targets = Vec::with_capacity(gripper.joints.len());
                for finger in &gripper.joints {
                    targets.push((finger.index, finger.law.displacement(width)));
                }
                self.interpolate(&targets, duration, displacements)?
            }
            RobotCommand::GoInitial { .. } => {
                let targets = setup.initial.iter().enumerate().map(|(index, value)| (JointIndex(index), *value));
                self.interpolate(&targets.collect::<Vec<_>>(), duration, displacements)?
            }
            RobotCommand::MoveTorso { angle, .. } => {
                let joint = setup.torso.ok_or(CommandFailure::NoJoint("torso"))?;
                self.interpolate(&[(joint, angle)], duration, displacements)?
            }
            RobotCommand::MoveHead { angles, .. } => {
                let [yaw, pitch] = setup.head.ok_or(CommandFailure::NoJoint("head"))?;
                self.interpolate(&[(yaw, angles[0]), (pitch, angles[1])], duration, displacements)?
            }
        };
        Ok((plan, warnings))
    }

    /// A width clamped to the range of the gripper, m.
    fn clamp_width(
        &self,
        gripper: &super::Gripper,
        width: f64,
        warnings: &mut Vec<Warning>,
    ) -> Result<f64, CommandFailure> {
        if !width.is_finite() {
            return Err(CommandFailure::Senseless(format!("the width {width} is not a finite number")));
        }
        let [least, most] = gripper.widths;
        let clamped = width.max(least).min(most);
        if clamped != width {
            let message = format!("the width {width} m is out of the gripper's range; it goes to {clamped} m");
            warnings.push(Warning { code: "width-out-of-range", message });
        }
        Ok(clamped)
    }

    fn line(
        &self,
        id: ToolId,
        to: &Isometry3<f64>,
        root: &Isometry3<f64>,
        displacements: &[f64],
    ) -> Result<Line, CommandFailure> {
        let tool = self.setup.tool(id).ok_or(CommandFailure::NoTool(id))?;
        let finite = to.translation.vector.iter().chain(to.rotation.coords.iter()).all(|number| number.is_finite());
        if !finite {
            return Err(CommandFailure::Senseless("the pose has numbers that are not finite".to_owned()));
        }
        let poses = link_poses(&self.setup.body, root, displacements);
        let base = poses.get(tool.base.0).copied().unwrap_or(*root);
        let displacements = tool.chain.gather(displacements);
        let from = base * tool.chain.tool_pose(&displacements);
        Ok(Line { tool: id, from, to: *to, base, displacements })
    }

    /// Checks that the two arms share no joint.
    fn check_separate(&self) -> Result<(), CommandFailure> {
        let joints = |id| {
            let chain = self.setup.tool(ToolId(id)).map(|tool| tool.chain.joints());
            chain.into_iter().flatten().map(|joint| joint.index)
        };
        match joints(0).find(|joint| joints(1).any(|other| other == *joint)) {
            Some(shared) => Err(CommandFailure::SharedJoint(self.setup.body.joint_name(shared).to_owned())),
            None => Ok(()),
        }
    }

    fn follow(
        &mut self,
        lines: &mut [Line],
        duration: f64,
        displacements: &[f64],
        warnings: &mut Vec<Warning>,
    ) -> Result<Plan, CommandFailure> {
        let mut plan = Plan::new(displacements);
        let mut current = displacements.to_vec();
        let mut jumped = false;
        for time in sample_times(duration) {
            for line in lines.iter_mut() {
                let target = line.at(time / duration);
                let in_base = line.base.inverse() * target;
                let Some((_, solver)) = self.solvers.iter_mut().find(|(id, _)| *id == line.tool) else {
                    return Err(CommandFailure::NoTool(line.tool));
                };
                let before = line.displacements.clone();
                if let Err(unreached) = solver.solve(&in_base, &mut line.displacements) {
                    let elsewhere = is_reached_elsewhere(solver, &in_base, &before);
                    let (tool, residual) = (line.tool, unreached.residual);
                    return Err(CommandFailure::Unreached { tool, target, time, duration, residual, elsewhere });
                }
                let is_jump = |(before, after): (&f64, &f64)| (before - after).abs() > JUMP;
                if !jumped && before.iter().zip(&line.displacements).any(is_jump) {
                    jumped = true;
                    let message = format!("a joint turns by more than {JUMP} rad within a sample, at {time:.2} s");
                    warnings.push(Warning { code: "joint-jump", message });
                }
                solver.chain().scatter(&line.displacements, &mut current);
            }
            plan.push(time, &current);
        }
        Ok(plan)
    }

    /// Cubic interpolation of joints from their current to their target displacements.
    fn interpolate(
        &self,
        targets: &[(JointIndex, f64)],
        duration: f64,
        displacements: &[f64],
    ) -> Result<Plan, CommandFailure> {
        for &(index, value) in targets {
            if let Some(range) = exceeded_range(&self.setup.body, index, value) {
                let joint = self.setup.body.joint_name(index).to_owned();
                return Err(CommandFailure::OutOfRange { joint, value, lower: range.lower, upper: range.upper });
            }
        }
        let mut plan = Plan::new(displacements);
        let mut current = displacements.to_vec();
        for time in sample_times(duration) {
            let share = cubic(time / duration);
            for &(index, value) in targets {
                if let (Some(slot), Some(from)) = (current.get_mut(index.0), displacements.get(index.0)) {
                    *slot = if time >= duration { value } else { from + (value - from) * share };
                }
            }
            plan.push(time, &current);
        }
        Ok(plan)
    }
}

/// Whether the pose can be reached at all, for the message.
fn is_reached_elsewhere(solver: &mut Solver, target: &Isometry3<f64>, from: &[f64]) -> bool {
    solver.set_options(Options::default());
    let reached = solver.solve(target, &mut from.to_vec()).is_ok();
    solver.set_options(Options::continuous());
    reached
}

/// A valid duration, s.
fn duration(given: f64, warnings: &mut Vec<Warning>) -> Result<f64, CommandFailure> {
    if !given.is_finite() || given > LONGEST {
        return Err(CommandFailure::Senseless(format!("a command cannot take {given} s: at most {LONGEST} s")));
    }
    if given <= 0.0 {
        let message = format!("a duration of {given} s: the robot jumps there in one step of {TIME_STEP} s");
        warnings.push(Warning { code: "no-duration", message });
        return Ok(TIME_STEP);
    }
    Ok(given)
}
