use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::{BodyFile, GripperLaw};
use crate::model::{Origin, ToolId};

/// Content of a mapping file: the robot, and the meaning of numbers and names of tasks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotMapping {
    /// The model of the robot.
    pub body: BodyFile,
    /// Position of the root in the world, m; `None`: that of the model.
    pub translation: Option<Translation3<f64>>,
    /// Rotation of the root in the world; `None`: that of the model.
    pub rotation: Option<UnitQuaternion<f64>>,
    /// Arms, by number.
    pub tools: Vec<ToolMapping>,
    /// Grippers, by number.
    pub grippers: Vec<GripperMapping>,
    /// Pose of `goInitial` and of the beginning of a run.
    pub initial: InitialPose,
    /// When moves of a dynamic robot have arrived.
    pub arrival: Arrival,
    /// The joint of `moveTorso`.
    pub torso: Option<(String, Origin)>,
    /// The joints of `moveHead`, yaw and pitch.
    pub head: Option<([String; 2], Origin)>,
    /// Location in the file.
    pub origin: Origin,
}

impl RobotMapping {
    /// Pose of the root in the world, if that of the model is `model`.
    pub fn root(&self, model: &Isometry3<f64>) -> Isometry3<f64> {
        let (translation, rotation) = (self.translation.unwrap_or(model.translation), self.rotation);
        Isometry3::from_parts(translation, rotation.unwrap_or(model.rotation))
    }
}

/// An arm, as moved by `moveArm`.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolMapping {
    /// Number in tasks.
    pub id: ToolId,
    /// Link at the end.
    pub link: String,
    /// Link that is the base; the root by default.
    pub base: Option<String>,
    /// Frame that moves to the pose, in the frame of the link.
    pub offset: Isometry3<f64>,
    /// Location in the file.
    pub origin: Origin,
}

/// A gripper, as moved by `moveGripper`.
#[derive(Clone, Debug, PartialEq)]
pub struct GripperMapping {
    /// Number in tasks.
    pub id: ToolId,
    /// Smallest and largest distance between the fingers, m.
    pub widths: [f64; 2],
    /// Location of the range of widths.
    pub widths_origin: Origin,
    /// Joints by name.
    pub joints: Vec<(String, GripperLaw)>,
    /// Location in the file.
    pub origin: Origin,
}

/// Initial pose.
#[derive(Clone, Debug, PartialEq)]
pub enum InitialPose {
    /// Standard pose of the model; the initial displacements if it has none.
    StandardPose,
    /// One value for each joint, degrees or m.
    List(Vec<f64>, Origin),
    /// Values by joint name, degrees or m; the other joints as in the standard pose.
    ByJoint(Vec<(String, f64, Origin)>),
}

/// When a move of a dynamic robot has arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Largest error of the position, m.
    pub position: f64,
    /// Largest error of the rotation, rad.
    pub rotation: f64,
    /// Longest delay after the planned end, s.
    pub time: f64,
}

impl Default for Arrival {
    /// 1 mm, 0.5° and 1 s.
    fn default() -> Self {
        Self { position: 1e-3, rotation: 0.5_f64.to_radians(), time: 1.0 }
    }
}
