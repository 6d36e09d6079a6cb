//! Checks of a task before it is run.

mod arguments;
mod expressions;
mod features;
mod files;
mod flow;
mod names;

use bunraku_document::Reporter;

use crate::model::{StateKind, Task};
pub(crate) use expressions::located;
pub use files::check_files;

/// Checks a task: names, references, the graph of states, commands with their arguments, types of expressions.
///
/// Faults that prevent a run are errors, irregularities are warnings. The existence of model files is checked by
/// [`check_files`].
pub fn check(task: &Task, reporter: &Reporter) {
    names::check(task, reporter);
    features::check(task, reporter);
    flow::check(task, reporter);
    for state in &task.states {
        match &state.kind {
            StateKind::Command(command) => arguments::check_command(task, state, command, reporter),
            StateKind::Decision { condition: Some(condition) } => {
                arguments::check_condition(task, state, condition, reporter);
            }
            _ => {}
        }
    }
}
