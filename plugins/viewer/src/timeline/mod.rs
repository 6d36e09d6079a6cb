//! Run, pause, step, and back in time.

mod history;
mod memory;
mod play;

pub use history::History;
pub use memory::{DEFAULT_MEMORY, Timeline, begin, remember};
pub use play::{pause, restart, run, seek, step};
