//! Commands that depend on time alone, beside or in place of a motion.

mod feed_forward;
mod velocities;

pub use feed_forward::FeedForward;
pub(crate) use feed_forward::feed_forward;
pub use velocities::VelocityCommands;
pub(crate) use velocities::command_velocities;
