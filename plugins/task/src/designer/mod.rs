//! Generation of new tasks: patterns with adjustable parameters.

mod builder;
mod pattern;
mod patterns;

use crate::model::Task;
use crate::writer::write_commented;
pub use pattern::Pattern;
pub(crate) use patterns::{GRASP, GRASP_DISTANCE, OBJECT_HEIGHT, OBJECT_WIDTH, PICK, PLACE};

/// Text of a new task file with comments, ready to be run on the arm of `assets` and to be adjusted. Models of the
/// objects are searched in `models`, relative to the task file.
pub fn new_task(pattern: Pattern, name: &str, models: &str) -> String {
    let (task, comments) = patterns::build(pattern, name, models);
    write_commented(&task, &comments)
}

/// As [`new_task`], as a [`Task`].
pub fn design(pattern: Pattern, name: &str, models: &str) -> Task {
    patterns::build(pattern, name, models).0
}
