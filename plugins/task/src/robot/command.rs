use nalgebra::Isometry3;

use crate::inverse_kinematics::Residual;
use crate::model::{Frame, ToolId};

/// A command with its arguments evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub enum RobotCommand {
    /// The tool goes straight to a pose.
    MoveArm {
        /// Which tool.
        tool: ToolId,
        /// Pose of the tool in the world.
        pose: Isometry3<f64>,
        /// s.
        duration: f64,
    },
    /// Tool 0 and tool 1 go straight to poses.
    MoveBothArms {
        /// Pose of tool 0 in the world.
        left: Isometry3<f64>,
        /// Pose of tool 1 in the world.
        right: Isometry3<f64>,
        /// s.
        duration: f64,
    },
    /// The fingers go to a distance.
    MoveGripper {
        /// Which gripper.
        gripper: ToolId,
        /// Distance between the fingers, m.
        width: f64,
        /// s.
        duration: f64,
    },
    /// All joints go to the initial pose.
    GoInitial {
        /// s.
        duration: f64,
    },
    /// The joint of the chest goes to an angle.
    MoveTorso {
        /// rad.
        angle: f64,
        /// s.
        duration: f64,
    },
    /// The joints of the neck go to angles.
    MoveHead {
        /// Yaw and pitch, rad.
        angles: [f64; 2],
        /// s.
        duration: f64,
    },
}

impl RobotCommand {
    /// How long it is to take, s.
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

/// Why a command was not carried out. The robot has not moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandFailure {
    /// A pose on the way cannot be reached.
    #[error(
        "tool {tool} does not reach {}, {:.2} s into the move of {duration:.2} s: {:.1} mm and {:.2}° are left{}",
        describe(target), time, residual.position * 1e3, residual.rotation.to_degrees(),
        if *elsewhere { "; it does with other joint angles, but not straight from here" } else { "" }
    )]
    Unreached {
        /// The tool.
        tool: ToolId,
        /// The pose that was not reached, in the world.
        target: Isometry3<f64>,
        /// When in the move it would have been there, s.
        time: f64,
        /// The duration of the move, s.
        duration: f64,
        /// What was left of the best attempt.
        residual: Residual,
        /// Whether the pose can be reached from elsewhere.
        elsewhere: bool,
    },
    /// The mapping has no such tool.
    #[error("the robot has no tool {0}")]
    NoTool(ToolId),
    /// The mapping has no such gripper.
    #[error("the robot has no gripper {0}")]
    NoGripper(ToolId),
    /// The mapping names no joint for it.
    #[error("the mapping of the robot names no joint for the {0}")]
    NoJoint(&'static str),
    /// Both arms hang on the same joint.
    #[error("both arms hang on the joint `{0}`: they cannot be moved each for itself")]
    SharedJoint(String),
    /// A joint would leave its range.
    #[error("the joint `{joint}` cannot go to {value:.4}: its range is {lower:.4} to {upper:.4} (rad or m)")]
    OutOfRange {
        /// The joint.
        joint: String,
        /// Where it should go.
        value: f64,
        /// Its range.
        lower: f64,
        /// Its range.
        upper: f64,
    },
    /// A number that is not finite, or more time than a command may take.
    #[error("{0}")]
    Senseless(String),
    /// A robot of forces did not come to rest at the target.
    #[error("the target is missed by {:.1} mm and {:.2}°", .0.position * 1e3, .0.rotation.to_degrees())]
    Missed(Residual),
}

fn describe(pose: &Isometry3<f64>) -> String {
    let [x, y, z, roll, pitch, yaw] = Frame::of_isometry(pose).0.map(|number| (number * 1e4).round() / 1e4 + 0.0);
    format!("({x}, {y}, {z}) m, ({roll}, {pitch}, {yaw})°")
}

/// Something odd about a command that was carried out all the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// A stable word for it.
    pub code: &'static str,
    /// What it is.
    pub message: String,
}
