use std::collections::BTreeMap;
use std::sync::Arc;

use bunraku_body::JointIndex;
use bunraku_body::kinematics::link_poses;
use bunraku_motion::{BodyMotion, Sequence, SequenceError};
use nalgebra::Isometry3;

use super::{
    AttachFailure, CommandFailure, Plan, Planner, Progress, Robot, RobotCommand, RobotSetup, TIME_STEP, Warning,
};
use crate::model::{ModelName, Task, ToolId};
use crate::variables::ModelPoses;

/// A robot without dynamics: its joints follow the plan, and attached models follow the tool exactly.
#[derive(Debug)]
pub struct KinematicRobot {
    planner: Planner,
    displacements: Vec<f64>,
    objects: BTreeMap<ModelName, Isometry3<f64>>,
    /// Attached models with their tool and their pose in its frame.
    attached: Vec<(ModelName, ToolId, Isometry3<f64>)>,
    time: f64,
    /// The current command: start time, plan, index of the next sample.
    command: Option<(f64, Plan, usize)>,
    frames: Frames,
}

/// Recorded motions of the robot and of the task's models.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Root and joints of the robot.
    pub robot: BodyMotion,
    /// Roots of the models.
    pub objects: Vec<(ModelName, BodyMotion)>,
}

#[derive(Debug, Default)]
struct Frames {
    times: Vec<f64>,
    displacements: Vec<f64>,
    /// Poses of the objects, sorted by name, frame after frame.
    objects: Vec<Isometry3<f64>>,
}

impl KinematicRobot {
    /// A robot in its initial pose, and the models of a task at their initial poses.
    pub fn new(setup: Arc<RobotSetup>, task: &Task) -> Self {
        let objects = task.models.iter().map(|model| (model.name.clone(), model.pose.to_isometry())).collect();
        let displacements = setup.initial.clone();
        let mut robot = Self {
            planner: Planner::new(setup),
            displacements,
            objects,
            attached: Vec::new(),
            time: 0.0,
            command: None,
            frames: Frames::default(),
        };
        robot.record();
        robot
    }

    /// The robot.
    pub fn setup(&self) -> &RobotSetup {
        self.planner.setup()
    }

    /// Displacements of all joints, rad or m.
    pub fn displacements(&self) -> &[f64] {
        &self.displacements
    }

    /// Pose of a tool in the world.
    pub fn tool_pose(&self, id: ToolId) -> Option<Isometry3<f64>> {
        let setup = self.setup();
        let tool = setup.tool(id)?;
        let poses = link_poses(&setup.body, &setup.root, &self.displacements);
        Some(poses.get(tool.link.0)? * tool.offset)
    }

    /// Moves a model before a run.
    pub fn place(&mut self, model: &ModelName, pose: Isometry3<f64>) {
        if let Some(slot) = self.objects.get_mut(model) {
            *slot = pose;
            self.frames = Frames::default();
            self.record();
        }
    }

    /// The recording so far, with a time for each frame.
    ///
    /// # Errors
    /// If it does not form a motion because a joint was not finite.
    pub fn recording(&self) -> Result<Recording, SequenceError> {
        let times = || self.frames.times.clone();
        let rate = TIME_STEP.recip();
        let timed_poses = |poses: Vec<Isometry3<f64>>| Sequence::timed(times(), 1, poses)?.with_frame_rate(rate);
        let mut robot = BodyMotion::new(rate);
        robot.link_positions = Some(timed_poses(vec![self.setup().root; self.frames.times.len()])?);
        if !self.displacements.is_empty() {
            let joints = Sequence::timed(times(), self.displacements.len(), self.frames.displacements.clone())?;
            robot.joint_displacements = Some(joints.with_frame_rate(rate)?);
        }
        let mut objects = Vec::with_capacity(self.objects.len());
        for (index, name) in self.objects.keys().enumerate() {
            let poses = self.frames.objects.iter().skip(index).step_by(self.objects.len()).copied().collect();
            let mut motion = BodyMotion::new(rate);
            motion.link_positions = Some(timed_poses(poses)?);
            objects.push((name.clone(), motion));
        }
        Ok(Recording { robot, objects })
    }

    /// Largest velocity of a joint so far, as a share of its velocity range.
    pub(crate) fn haste(&self) -> f64 {
        let count = self.displacements.len();
        let body = &self.setup().body;
        let limit =
            |index: usize| body.joint(JointIndex(index)).map_or(f64::INFINITY, |joint| joint.velocity_range.upper);
        let limits: Vec<f64> = (0..count).map(limit).collect();
        let frames: Vec<&[f64]> = self.frames.displacements.chunks_exact(count.max(1)).collect();
        let shares =
            frames.array_windows().zip(self.frames.times.array_windows()).flat_map(|([from, to], [start, end])| {
                let duration = end - start;
                let ways = from.iter().zip(*to).map(|(from, to)| (to - from).abs());
                ways.zip(&limits).map(move |(way, limit)| way / (duration * limit))
            });
        shares.filter(|share| share.is_finite()).fold(0.0, f64::max)
    }

    fn record(&mut self) {
        self.frames.times.push(self.time);
        self.frames.displacements.extend_from_slice(&self.displacements);
        self.frames.objects.extend(self.objects.values());
    }

    /// Moves attached models with their tools.
    fn carry(&mut self) {
        for (model, tool, relative) in &self.attached {
            if let Some(pose) = self.tool_pose(*tool)
                && let Some(slot) = self.objects.get_mut(model)
            {
                *slot = pose * relative;
            }
        }
    }
}

impl ModelPoses for KinematicRobot {
    fn model_pose(&self, model: &ModelName) -> Option<Isometry3<f64>> {
        self.objects.get(model).copied()
    }
}

impl Robot for KinematicRobot {
    fn start(&mut self, command: &RobotCommand) -> Result<Vec<Warning>, CommandFailure> {
        let root = self.setup().root;
        let (plan, warnings) = self.planner.plan(command, &root, &self.displacements)?;
        self.command = Some((self.time, plan, 0));
        Ok(warnings)
    }

    fn advance(&mut self) -> Progress {
        let Some((start, plan, next)) = &mut self.command else { return Progress::Done };
        if let Some((time, displacements)) = plan.sample(*next) {
            // Every command takes some time, so that the times of frames increase.
            self.time = (*start + time).max(self.time.next_up());
            self.displacements.copy_from_slice(displacements);
            *next += 1;
        }
        let is_done = *next >= plan.len();
        self.carry();
        self.record();
        if is_done {
            self.command = None;
            return Progress::Done;
        }
        Progress::Moving
    }

    fn attach(&mut self, model: &ModelName, tool: ToolId) -> Result<(), AttachFailure> {
        let tool_pose = self.tool_pose(tool).ok_or(AttachFailure::NoTool)?;
        let pose = self.objects.get(model).ok_or(AttachFailure::NoModel)?;
        self.attached.push((model.clone(), tool, tool_pose.inverse() * pose));
        Ok(())
    }

    fn detach(&mut self, model: &ModelName) {
        self.attached.retain(|(other, ..)| other != model);
    }

    fn is_attached(&self, model: &ModelName) -> bool {
        self.attached.iter().any(|(other, ..)| other == model)
    }

    fn detach_all(&mut self) {
        self.attached.clear();
    }

    fn time(&self) -> f64 {
        self.time
    }
}
