//! Running a task on a robot, whichever it is.
//!
//! [`Execution`] walks through the states and speaks to a [`Robot`] by commands; the robot may be kinematic
//! ([`crate::robot::KinematicRobot`]) or one of forces.

mod arguments;
mod event;
mod machine;
mod robot;

pub use event::Event;
pub use machine::{Execution, Limits, Status, run};
pub use robot::{Progress, Robot};
