//! The contents of files as JSON documents: the output of `bunraku info --json`.

mod diagnostics;
mod failure;
mod model;
mod motion;
mod scene;
mod task;

pub use diagnostics::diagnostics;
pub use failure::failure;
pub use model::model;
pub use motion::{long_motion, motion};
pub use scene::scene;
pub use task::{robot, task_event, tasks};
