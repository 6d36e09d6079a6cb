use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::{BodyFile, GripperLaw};
use crate::model::{Origin, ToolId};

/// What a mapping file says: which robot there is, and what the numbers and words of tasks mean on it.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotMapping {
    /// The model of the robot.
    pub body: BodyFile,
    /// Position of its root in the world, m; `None` where the model says.
    pub translation: Option<Translation3<f64>>,
    /// Rotation of its root in the world; `None` where the model says.
    pub rotation: Option<UnitQuaternion<f64>>,
    /// Its arms, by number.
    pub tools: Vec<ToolMapping>,
    /// Its grippers, by number.
    pub grippers: Vec<GripperMapping>,
    /// Where `goInitial` leads, and where a run begins.
    pub initial: InitialPose,
    /// The joint of `moveTorso`.
    pub torso: Option<(String, Origin)>,
    /// The joints of `moveHead`, yaw and pitch.
    pub head: Option<([String; 2], Origin)>,
    /// Where it was read.
    pub origin: Origin,
}

impl RobotMapping {
    /// Pose of the root in the world, if the model has it at `model`.
    pub fn root(&self, model: &Isometry3<f64>) -> Isometry3<f64> {
        let (translation, rotation) = (self.translation.unwrap_or(model.translation), self.rotation);
        Isometry3::from_parts(translation, rotation.unwrap_or(model.rotation))
    }
}

/// An arm: what `moveArm` moves.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolMapping {
    /// Its number in tasks.
    pub id: ToolId,
    /// The link at its end.
    pub link: String,
    /// The link that stands still; the root if there is none.
    pub base: Option<String>,
    /// The frame that goes to the pose, in the frame of the link.
    pub offset: Isometry3<f64>,
    /// Where it was read.
    pub origin: Origin,
}

/// A gripper: what `moveGripper` moves.
#[derive(Clone, Debug, PartialEq)]
pub struct GripperMapping {
    /// Its number in tasks.
    pub id: ToolId,
    /// Smallest and largest distance between the fingers, m.
    pub widths: [f64; 2],
    /// Where the range of widths was read.
    pub widths_origin: Origin,
    /// Its joints by name.
    pub joints: Vec<(String, GripperLaw)>,
    /// Where it was read.
    pub origin: Origin,
}

/// The pose to begin from.
#[derive(Clone, Debug, PartialEq)]
pub enum InitialPose {
    /// The standard pose of the model; its initial displacements where it has none.
    StandardPose,
    /// One a joint, degrees for hinges and m for slides.
    List(Vec<f64>, Origin),
    /// By name, degrees or m; the others as in the standard pose.
    ByJoint(Vec<(String, f64, Origin)>),
}
