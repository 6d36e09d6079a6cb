use bunraku_body::kinematics::joint_motion;
use bunraku_body::{Body, JointIndex, JointKind, JointSlot, LinkIndex, Range};
use nalgebra::{Isometry3, Unit, Vector3};

/// The joints from a base link to a tool.
#[derive(Clone, Debug)]
pub struct Chain {
    joints: Vec<ChainJoint>,
    /// Pose of the tool in the frame of the last joint's link.
    tool: Isometry3<f64>,
}

/// A joint of a [`Chain`].
#[derive(Clone, Debug)]
pub struct ChainJoint {
    /// Index in the joint vector of the body.
    pub index: JointIndex,
    /// Allowed displacements, rad or m.
    pub range: Range,
    /// Joint of the body, with a normalized axis if it is revolute.
    joint: bunraku_body::Joint,
    /// Pose of its link at zero displacement, in the frame of the previous joint's link (of the base for the first).
    offset: Isometry3<f64>,
}

/// Reason why there is no chain between two links.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// The tool is not a descendant of the base.
    #[error("link `{tool}` is not a descendant of link `{base}`")]
    NotBelow {
        /// The base link.
        base: String,
        /// The tool link.
        tool: String,
    },
    /// No joint between them moves.
    #[error("no joint moves link `{tool}` against link `{base}`")]
    NoJoints {
        /// The base link.
        base: String,
        /// The tool link.
        tool: String,
    },
}

/// Frame of a joint and its axis, for a configuration of a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointFrame {
    /// Origin of the joint's link, m, in the base frame.
    pub(super) origin: Vector3<f64>,
    /// Axis in the base frame.
    pub(super) axis: Vector3<f64>,
    pub(super) turns: bool,
}

impl Default for JointFrame {
    fn default() -> Self {
        Self { origin: Vector3::zeros(), axis: Vector3::z(), turns: true }
    }
}

impl Chain {
    /// The chain from `base` to a frame that is fixed to `tool`, at `offset` in the frame of that link.
    ///
    /// # Errors
    /// If the tool is not a descendant of the base, or no joint is between them.
    pub fn new(body: &Body, base: LinkIndex, tool: LinkIndex, offset: &Isometry3<f64>) -> Result<Self, ChainError> {
        let name = |link: LinkIndex| body.links().get(link.0).map_or_else(String::new, |link| link.name.clone());
        let not_below = || ChainError::NotBelow { base: name(base), tool: name(tool) };
        let mut path = Vec::new();
        let mut next = Some(tool);
        while next != Some(base) {
            let link = next.ok_or_else(not_below)?;
            path.push(link);
            next = body.links().get(link.0).ok_or_else(not_below)?.parent;
        }
        let mut joints = Vec::new();
        let mut since_joint = Isometry3::identity();
        for &link in path.iter().rev() {
            let slot = body.joints().iter().position(|slot| *slot == JointSlot::Link(link));
            let link = body.link(link);
            since_joint *= link.offset;
            if let Some(index) = slot
                && link.joint.kind.has_displacement()
            {
                let mut joint = link.joint.clone();
                if joint.kind == JointKind::Revolute {
                    joint.axis = Unit::try_new(joint.axis, 0.0).unwrap_or_else(Vector3::z_axis).into_inner();
                }
                let range = joint.displacement_range;
                joints.push(ChainJoint { index: JointIndex(index), range, joint, offset: since_joint });
                since_joint = Isometry3::identity();
            }
        }
        if joints.is_empty() {
            return Err(ChainError::NoJoints { base: name(base), tool: name(tool) });
        }
        Ok(Self { joints, tool: since_joint * offset })
    }

    /// Joints, from the base on.
    pub fn joints(&self) -> &[ChainJoint] {
        &self.joints
    }

    /// Pose of the tool in the base frame, for a displacement (rad or m) of each joint of the chain.
    pub fn tool_pose(&self, displacements: &[f64]) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        for (joint, &displacement) in self.joints.iter().zip(displacements) {
            pose = pose * joint.offset * joint_motion(&joint.joint, displacement);
        }
        pose * self.tool
    }

    /// As [`tool_pose`](Self::tool_pose); also writes the joint frames to `frames`.
    pub(super) fn frames(&self, displacements: &[f64], frames: &mut [JointFrame]) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        for ((joint, &displacement), frame) in self.joints.iter().zip(displacements).zip(frames) {
            pose = pose * joint.offset * joint_motion(&joint.joint, displacement);
            *frame = JointFrame {
                origin: pose.translation.vector,
                axis: pose.rotation * joint.joint.axis,
                turns: joint.joint.kind == JointKind::Revolute,
            };
        }
        pose * self.tool
    }

    /// Extracts the displacements of the chain's joints from the joint vector of the body.
    pub fn gather(&self, displacements: &[f64]) -> Vec<f64> {
        let of = |joint: &ChainJoint| displacements.get(joint.index.0).copied().unwrap_or(0.0);
        self.joints.iter().map(of).collect()
    }

    /// Writes the displacements of the chain's joints to the joint vector of the body.
    pub fn scatter(&self, chain: &[f64], displacements: &mut [f64]) {
        for (joint, &displacement) in self.joints.iter().zip(chain) {
            if let Some(slot) = displacements.get_mut(joint.index.0) {
                *slot = displacement;
            }
        }
    }
}
