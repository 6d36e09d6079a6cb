//! Run, pause, step, and restoring of earlier states.

mod history;
mod memory;
mod play;

pub use history::History;
pub use memory::{DEFAULT_MEMORY, Timeline, begin, forget_other_bodies, remember};
pub use play::{change, pause, restart, run, seek, step};
