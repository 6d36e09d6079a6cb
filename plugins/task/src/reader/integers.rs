//! Integers in files of 2019-02.

use bunraku_document::Reporter;

use crate::commands::{Binding, FormalKind, bind, find};
use crate::expression::{Expression, Value};
use crate::model::{CommandState, StateKind, Task};
use crate::variables::{AtStart, Variables};

/// Replaces arguments that must be integers but are not by 0, with a warning, like the plugin of 2019-02.
///
/// The generator of that time writes the width and the gripper of `ReleaseCmd` in the wrong order, so every task from
/// it has such an argument.
pub(super) fn as_in_2019_02(task: &mut Task, reporter: &Reporter) {
    let mut replaced = Vec::new();
    for (index, state) in task.states.iter().enumerate() {
        if let StateKind::Command(command) = &state.kind {
            replaced.extend(fractions(task, command).into_iter().map(|(argument, number)| (index, argument, number)));
        }
    }
    for (index, argument, number) in replaced {
        let Some(state) = task.states.get_mut(index) else { continue };
        let StateKind::Command(command) = &mut state.kind else { continue };
        let Some(argument) = command.arguments.get_mut(argument) else { continue };
        let message = format!(
            "state {}, argument `{}`: {number} is not a whole number and counts as 0, as in the plugin of 2019-02",
            state.id, argument.name
        );
        let help = "the generator of 2019-02 exchanges `width` and `gripperID` of `ReleaseCmd`: write each in the other's place";
        reporter.report(argument.value.origin.warning("not-an-integer", message).help(help));
        "0".clone_into(&mut argument.value.text);
    }
}

/// Indices of the arguments that must be integers but are known not to be, with their values.
fn fractions(task: &Task, command: &CommandState) -> Vec<(usize, f64)> {
    let Ok(signature) = find(&command.command) else { return Vec::new() };
    let Ok(bound) = bind(signature, &command.arguments) else { return Vec::new() };
    let variables = Variables::new(task);
    let fraction = |text: &str| {
        let value = Expression::parse(text).ok()?.evaluate(&|name| variables.value_of(name, &AtStart)).ok()?;
        match value {
            Value::Scalar(number) if number.fract() != 0.0 => Some(number),
            _ => None,
        }
    };
    let integers = bound.into_iter().filter_map(|(formal, binding)| match binding {
        Binding::Given(argument) if formal.kind == FormalKind::Integer => Some(argument),
        _ => None,
    });
    integers
        .filter_map(|argument| {
            let index = command.arguments.iter().position(|other| std::ptr::eq(other, argument))?;
            Some((index, fraction(&argument.value.text)?))
        })
        .collect()
}
