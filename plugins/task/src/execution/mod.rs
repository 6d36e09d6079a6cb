//! Running a task on any robot.
//!
//! [`Execution`] steps through the states and sends commands to a [`Robot`](crate::robot::Robot), which may be
//! kinematic ([`crate::robot::KinematicRobot`]) or dynamic.

mod arguments;
mod event;
mod machine;
#[cfg(feature = "bevy")]
mod saved;

pub use event::Event;
pub use machine::{Execution, Limits, Status, run};
#[cfg(feature = "bevy")]
pub use saved::SavedExecution;
