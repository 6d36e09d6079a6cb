//! Checks before a run that a robot supports a task.

use bunraku_document::Reporter;

use super::RobotSetup;
use crate::commands::{CommandKind, find};
use crate::expression::{Expression, Value};
use crate::model::{CommandState, ExpressionText, State, StateKind, Task, ToolId};
use crate::variables::{AtStart, Variables};

/// Reports commands that the robot cannot execute, and missing tools and grippers.
pub fn check_support(task: &Task, setup: &RobotSetup, reporter: &Reporter) {
    for state in &task.states {
        if let StateKind::Command(command) = &state.kind {
            check_command(task, state, command, setup, reporter);
        }
    }
}

fn check_command(task: &Task, state: &State, command: &CommandState, setup: &RobotSetup, reporter: &Reporter) {
    let Ok(signature) = find(&command.command) else { return };
    let lacks = |what: &str, help: &str| {
        let message = format!("state {}: `{}` needs {what}, which the robot does not have", state.id, command.command);
        reporter.report(command.command_origin.error("unmapped-command", message).help(help));
    };
    match signature.kind {
        CommandKind::Unavailable => {
            let message = format!("state {}: `{}` cannot be carried out here", state.id, command.command);
            let help = "replace it by a command that moves the robot";
            reporter.report(command.command_origin.error("unavailable-command", message).help(help));
        }
        CommandKind::MoveTorso if setup.torso.is_none() => lacks("a torso", "add `torso: JOINT` to its mapping"),
        CommandKind::MoveHead if setup.head.is_none() => lacks("a head", "add `head: [YAW, PITCH]` to its mapping"),
        CommandKind::MoveBothArms if setup.tool(ToolId(0)).is_none() || setup.tool(ToolId(1)).is_none() => {
            lacks("tools 0 and 1", "add them to `tools` of its mapping");
        }
        _ => {}
    }
    let value = |name: &str, index: usize| {
        let named = command.arguments.iter().any(|found| signature.formals.iter().any(|own| own.name == found.name));
        let argument = command.arguments.iter().enumerate();
        let mut found = argument.filter(|(at, argument)| if named { argument.name == name } else { *at == index });
        found.next().map(|(_, argument)| &argument.value)
    };
    for (index, formal) in signature.formals.iter().enumerate() {
        if let Some(text) = value(formal.name, index)
            && let Some(id) = constant(task, text)
        {
            let known = match formal.name {
                "armID" => setup.tool(id).is_some(),
                "gripperID" => setup.gripper(id).is_some(),
                _ => true,
            };
            if !known {
                let what = if formal.name == "armID" { "tool" } else { "gripper" };
                let message = format!("state {}, argument `{}`: the robot has no {what} {id}", state.id, formal.name);
                reporter.report(text.origin.error("unmapped-id", message).help(numbers(setup, formal.name)));
            }
        }
    }
    for action in &command.actions {
        if let Some(target) = &action.target
            && let Some(id) = constant(task, target)
            && setup.tool(id).is_none()
        {
            let message = format!("state {}, {}: the robot has no tool {id}", state.id, action.kind.as_str());
            reporter.report(target.origin.error("unmapped-id", message).help(numbers(setup, "armID")));
        }
    }
}

fn numbers(setup: &RobotSetup, name: &str) -> String {
    let (what, ids): (&str, Vec<String>) = match name {
        "gripperID" => ("grippers", setup.grippers.iter().map(|(id, _)| id.to_string()).collect()),
        _ => ("tools", setup.tools.iter().map(|(id, _)| id.to_string()).collect()),
    };
    if ids.is_empty() {
        format!("its mapping has no {what}")
    } else {
        format!("the {what} of its mapping are {}", ids.join(", "))
    }
}

/// Number of a tool, if it is known before the run.
fn constant(task: &Task, text: &ExpressionText) -> Option<ToolId> {
    let variables = Variables::new(task);
    let value = Expression::parse(&text.text).ok()?.evaluate(&|name| variables.value_of(name, &AtStart)).ok()?;
    match value {
        #[allow(clippy::cast_possible_truncation)]
        Value::Scalar(number) if number.fract() == 0.0 && number.abs() < 1e9 => Some(ToolId(number as i32)),
        _ => None,
    }
}
