//! Running a task on a robot, whichever it is.
//!
//! [`Execution`] walks through the states and speaks to a [`Robot`](crate::robot::Robot) by commands; the robot may be kinematic
//! ([`crate::robot::KinematicRobot`]) or one of forces.

mod arguments;
mod event;
mod machine;
#[cfg(feature = "bevy")]
mod saved;

pub use event::Event;
pub use machine::{Execution, Limits, Status, run};
#[cfg(feature = "bevy")]
pub use saved::SavedExecution;
