use nalgebra::Isometry3;

use crate::inverse_kinematics::Residual;
use crate::model::{Frame, ToolId};

/// A command with evaluated arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub enum RobotCommand {
    /// The tool moves on a straight line to a pose.
    MoveArm {
        /// Tool.
        tool: ToolId,
        /// Pose of the tool in the world.
        pose: Isometry3<f64>,
        /// Duration, s.
        duration: f64,
    },
    /// Tools 0 and 1 move on straight lines to poses.
    MoveBothArms {
        /// Pose of tool 0 in the world.
        left: Isometry3<f64>,
        /// Pose of tool 1 in the world.
        right: Isometry3<f64>,
        /// Duration, s.
        duration: f64,
    },
    /// The fingers move to a distance.
    MoveGripper {
        /// Gripper.
        gripper: ToolId,
        /// Distance between the fingers, m.
        width: f64,
        /// Duration, s.
        duration: f64,
    },
    /// All joints move to the initial pose.
    GoInitial {
        /// Duration, s.
        duration: f64,
    },
    /// The joint of the chest moves to an angle.
    MoveTorso {
        /// Angle, rad.
        angle: f64,
        /// Duration, s.
        duration: f64,
    },
    /// The joints of the neck move to angles.
    MoveHead {
        /// Yaw and pitch, rad.
        angles: [f64; 2],
        /// Duration, s.
        duration: f64,
    },
}

impl RobotCommand {
    /// Duration, s.
    pub fn duration(&self) -> f64 {
        match *self {
            Self::MoveArm { duration, .. }
            | Self::MoveBothArms { duration, .. }
            | Self::MoveGripper { duration, .. }
            | Self::GoInitial { duration }
            | Self::MoveTorso { duration, .. }
            | Self::MoveHead { duration, .. } => duration,
        }
    }
}

/// Reason why a command was not executed. The robot has not moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandFailure {
    /// A pose on the path cannot be reached.
    #[error(
        "tool {tool} does not reach {}, {:.2} s into the move of {duration:.2} s: {:.1} mm and {:.2}° are left{}",
        describe(target), time, residual.position * 1e3, residual.rotation.to_degrees(),
        if *elsewhere { "; it is reachable with other joint angles, but not on a straight line from here" } else { "" }
    )]
    Unreached {
        /// The tool.
        tool: ToolId,
        /// The unreachable pose, in the world.
        target: Isometry3<f64>,
        /// Planned time within the move, s.
        time: f64,
        /// Duration of the move, s.
        duration: f64,
        /// Remaining error of the best attempt.
        residual: Residual,
        /// Whether the pose can be reached from other joint displacements.
        elsewhere: bool,
    },
    /// The mapping has no such tool.
    #[error("the robot has no tool {0}")]
    NoTool(ToolId),
    /// The mapping has no such gripper.
    #[error("the robot has no gripper {0}")]
    NoGripper(ToolId),
    /// The mapping specifies no joint for it.
    #[error("the mapping of the robot names no joint for the {0}")]
    NoJoint(&'static str),
    /// Both arms contain the same joint.
    #[error("both arms contain the joint `{0}`: they cannot be moved independently")]
    SharedJoint(String),
    /// A joint would leave its range.
    #[error("the joint `{joint}` cannot go to {value:.4}: its range is {lower:.4} to {upper:.4} (rad or m)")]
    OutOfRange {
        /// The joint.
        joint: String,
        /// Requested displacement.
        value: f64,
        /// Lower end of its range.
        lower: f64,
        /// Upper end of its range.
        upper: f64,
    },
    /// A number that is not finite, or a duration above the limit.
    #[error("{0}")]
    Senseless(String),
    /// A dynamic robot did not reach the target.
    #[error("the target is missed by {:.1} mm and {:.2}°", .0.position * 1e3, .0.rotation.to_degrees())]
    Missed(Residual),
}

fn describe(pose: &Isometry3<f64>) -> String {
    let [x, y, z, roll, pitch, yaw] = Frame::of_isometry(pose).0.map(|number| (number * 1e4).round() / 1e4 + 0.0);
    format!("({x}, {y}, {z}) m, ({roll}, {pitch}, {yaw})°")
}

/// Warning about a command that is executed nevertheless.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Stable identifier.
    pub code: &'static str,
    /// Message.
    pub message: String,
}
