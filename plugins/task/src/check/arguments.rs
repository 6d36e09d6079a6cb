//! Checks of commands, their arguments and conditions.

use bunraku_document::Reporter;

use super::expressions::{located, parsed};
use crate::commands::{BindError, Binding, Formal, FormalKind, bind, find};
use crate::expression::{Expression, ValueType};
use crate::model::{Argument, CommandState, ExpressionText, ParameterName, ParameterValue, State, Task};
use crate::variables::{AtStart, Variables};

pub(super) fn check_command(task: &Task, state: &State, command: &CommandState, reporter: &Reporter) {
    let signature = match find(&command.command) {
        Ok(signature) => signature,
        Err(help) => {
            let message = format!("state {}: there is no command `{}`", state.id, command.command);
            reporter.report(command.command_origin.error("unknown-command", message).help(help));
            return;
        }
    };
    match bind(signature, &command.arguments) {
        Ok(bound) => {
            for (formal, binding) in bound {
                if let Binding::Given(argument) = binding {
                    check_argument(task, state, formal, argument, reporter);
                }
            }
        }
        Err(errors) => {
            errors.iter().for_each(|error| report_binding(state, command, error, reporter));
            for argument in &command.arguments {
                if let Some(formal) = signature.formals.iter().find(|formal| formal.name == argument.name) {
                    check_argument(task, state, formal, argument, reporter);
                }
            }
        }
    }
    for action in &command.actions {
        if let Some(target) = &action.target {
            let what = format!("state {}, target of {}", state.id, action.kind.as_str());
            let tool = Formal { name: "target", kind: FormalKind::Integer, default: None };
            check_value(task, &tool, target, &what, reporter);
        }
    }
}

fn report_binding(state: &State, command: &CommandState, error: &BindError<'_>, reporter: &Reporter) {
    let (id, name) = (state.id, &command.command);
    reporter.report(match error {
        BindError::Unknown { argument, help } => {
            let message = format!("state {id}: `{name}` has no argument `{}`", argument.name);
            argument.origin.error("unknown-argument", message).help(help.clone())
        }
        BindError::Twice(argument) => {
            let message = format!("state {id}: the argument `{}` is given twice", argument.name);
            argument.origin.error("duplicate-argument", message).help("remove one of them")
        }
        BindError::Missing(formal) => {
            let message = format!("state {id}: `{name}` lacks its argument `{}`", formal.name);
            let help = format!("add `name: \"{}\"` with {}", formal.name, formal.kind.as_str());
            command.command_origin.error("missing-argument", message).help(help)
        }
        BindError::TooMany(argument) => {
            let message = format!("state {id}: `{name}` takes fewer arguments");
            argument.origin.error("too-many-arguments", message).help("remove those behind")
        }
    });
}

fn check_argument(task: &Task, state: &State, formal: &Formal, argument: &Argument, reporter: &Reporter) {
    let what = format!("state {}, argument `{}`", state.id, argument.name);
    match formal.kind {
        FormalKind::OutNumber | FormalKind::OutFrame => check_out(task, formal, &argument.value, &what, reporter),
        _ => check_value(task, formal, &argument.value, &what, reporter),
    }
}

/// Checks that a result goes to an existing parameter that is not bound to a model.
fn check_out(task: &Task, formal: &Formal, text: &ExpressionText, what: &str, reporter: &Reporter) {
    let parameter = task.parameter(&ParameterName::from(text.text.trim()));
    let fits = parameter.is_some_and(|parameter| match parameter.value {
        ParameterValue::Integer(_) | ParameterValue::Double(_) => formal.kind == FormalKind::OutNumber,
        ParameterValue::Frame(_) => formal.kind == FormalKind::OutFrame,
        ParameterValue::Vector(_) | ParameterValue::Bound { .. } => false,
    });
    if !fits {
        let message = format!("{what} receives a result and must be {}", formal.kind.as_str());
        let help = "add such a parameter and name it; one bound to a model cannot receive";
        reporter.report(text.origin.error("bad-result-parameter", message).help(help));
    }
}

fn check_value(task: &Task, formal: &Formal, text: &ExpressionText, what: &str, reporter: &Reporter) {
    let Some(expression) = parsed(text, what, reporter) else { return };
    let variables = Variables::new(task);
    let found = match expression.check(&|name| variables.type_of(name)) {
        Ok(found) => found,
        Err(error) => return reporter.report(located(&error, text, what)),
    };
    let wanted = match formal.kind {
        FormalKind::Vector3 | FormalKind::Pair => ValueType::Vector3,
        _ => ValueType::Scalar,
    };
    if found != wanted {
        let message = format!("{what} must be {}, it is {}", formal.kind.as_str(), found.as_str());
        let help = match (formal.name, found) {
            ("xyz", ValueType::Vector6) => "take the position of the pose: `xyz(…)`",
            ("rpy", ValueType::Vector6) => "take the angles of the pose: `rpy(…)`",
            ("rpy", ValueType::Rotation) => "take the angles of the rotation: `rpyFromRot(…)`",
            _ => "check the expression and the order of the arguments",
        };
        reporter.report(text.origin.error("wrong-type", message).help(help));
    } else if formal.kind == FormalKind::Integer {
        check_integer(task, &expression, text, what, reporter);
    }
}

/// Checks an integer as far as it is known before the run: from constants and parameters.
fn check_integer(task: &Task, expression: &Expression, text: &ExpressionText, what: &str, reporter: &Reporter) {
    let variables = Variables::new(task);
    // With models in the expression, the value may change before it is evaluated.
    let is_constant = expression.variables().iter().all(|name| variables.type_of(name) == Ok(ValueType::Scalar));
    if let Ok(crate::expression::Value::Scalar(number)) =
        expression.evaluate(&|name| variables.value_of(name, &AtStart))
        && is_constant
        && number.fract() != 0.0
    {
        let diagnostic = text.origin.error("not-an-integer", format!("{what} must be a whole number, it is {number}"));
        reporter.report(diagnostic.help("arms and grippers are counted from 0"));
    }
}

pub(super) fn check_condition(task: &Task, state: &State, condition: &ExpressionText, reporter: &Reporter) {
    let what = format!("state {}, condition", state.id);
    let Some(expression) = parsed(condition, &what, reporter) else { return };
    let variables = Variables::new(task);
    match expression.check(&|name| variables.type_in_condition(name)) {
        Ok(ValueType::Scalar) => {}
        Ok(found) => {
            let message = format!("{what} must be a number, it is {}", found.as_str());
            reporter.report(condition.origin.error("wrong-type", message).help("0 is false, anything else true"));
        }
        Err(error) => reporter.report(located(&error, condition, &what)),
    }
}
