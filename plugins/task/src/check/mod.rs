//! What can be said of a task before anything moves.

mod arguments;
mod features;
mod files;
mod flow;
mod names;

use bunraku_document::{Diagnostic, Reporter};

use crate::expression::{Expression, ExpressionError};
use crate::model::{ExpressionText, StateKind, Task};
use crate::reader::span_of_letters;
pub use files::check_files;

/// Checks a task: names, references, the graph of states, commands with their arguments, expressions with their types.
///
/// What keeps the task from running is an error; what is odd a warning. Whether model files are there is left to
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

/// An error in an expression of a file, at its letters; `what` says whose expression it is.
pub(crate) fn located(error: &ExpressionError, text: &ExpressionText, what: &str) -> Diagnostic {
    let message = format!("{what}, column {}: {}", error.column(), error.message);
    let origin =
        span_of_letters(text, &error.letters).map_or_else(|| text.origin.clone(), |span| text.origin.narrowed(span));
    origin.error(error.code, message).help(error.help.clone())
}

/// The expression; what is wrong is reported.
fn parsed(text: &ExpressionText, what: &str, reporter: &Reporter) -> Option<Expression> {
    match Expression::parse(&text.text) {
        Ok(expression) => {
            if let Some(misspelling) = expression.misspelling() {
                reporter.report(located(&misspelling, text, what).into_warning());
            }
            Some(expression)
        }
        Err(error) => {
            reporter.report(located(&error, text, what));
            None
        }
    }
}
