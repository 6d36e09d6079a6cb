//! Robots for tasks: links of tools, joints of fingers, and the execution of commands.

mod body_file;
mod command;
mod gripper;
mod interface;
mod kinematic;
mod mapping;
mod mapping_reader;
mod plan;
mod planner;
mod setup;
mod support;

pub use body_file::BodyFile;
pub use command::{CommandFailure, RobotCommand, Warning};
pub use gripper::{FingerJoint, Gripper, GripperLaw};
pub use interface::{AttachFailure, Progress, Robot};
pub use kinematic::{KinematicRobot, Recording};
pub use mapping::{Arrival, GripperMapping, InitialPose, RobotMapping, ToolMapping};
pub use mapping_reader::{load_mapping, read_mapping};
pub use plan::{Plan, TIME_STEP};
pub use planner::Planner;
pub use setup::{RobotSetup, Tool};
pub use support::check_support;
