//! Evaluation of arguments when a command begins.

use bunraku_document::Diagnostic;
use nalgebra::Vector3;

use crate::check::located;
use crate::commands::{Binding, CommandKind, Formal, bind, find};
use crate::expression::{Expression, Value};
use crate::model::{CommandState, ExpressionText, Frame, ParameterName, State, Task, ToolId};
use crate::robot::RobotCommand;
use crate::variables::{ModelPoses, Variables};

/// Request of a state.
pub(super) struct Request {
    pub(super) kind: Asked,
    /// Parameter that receives the result, and the result.
    pub(super) out: Option<(ParameterName, f64)>,
}

pub(super) enum Asked {
    /// A command to the robot.
    Command(RobotCommand),
    /// A result without a command.
    Result(bool),
}

type Fallible<T> = Result<T, Box<Diagnostic>>;

/// Evaluates the arguments of a command.
pub(super) fn request(task: &Task, state: &State, command: &CommandState, poses: &dyn ModelPoses) -> Fallible<Request> {
    let fail = |code, message: String, help: &str| {
        Box::new(command.command_origin.error(code, format!("state {}: {message}", state.id)).help(help))
    };
    let signature = find(&command.command)
        .map_err(|help| fail("unknown-command", format!("there is no command `{}`", command.command), &help))?;
    let bound = bind(signature, &command.arguments).map_err(|_| {
        fail("wrong-arguments", "the arguments do not fit the command".to_owned(), "check the task first")
    })?;
    let values = Values { task, state, poses, bound: &bound };
    let mut out = None;
    let asked = match signature.kind {
        CommandKind::Constant(result) => Asked::Result(result),
        CommandKind::Unavailable => {
            let message = format!("`{}` cannot be carried out here", command.command);
            return Err(fail("unavailable-command", message, "replace it by a command that moves the robot"));
        }
        CommandKind::MoveArm => Asked::Command(RobotCommand::MoveArm {
            pose: values.pose("xyz", "rpy")?,
            duration: values.number("tm")?,
            tool: values.tool("armID")?,
        }),
        CommandKind::MoveBothArms => Asked::Command(RobotCommand::MoveBothArms {
            left: values.pose("leftHandXyz", "leftHandRpy")?,
            right: values.pose("rightHandXyz", "rightHandRpy")?,
            duration: values.number("tm")?,
        }),
        CommandKind::MoveGripper | CommandKind::MoveGripperTest => {
            let width = values.number("width")?;
            out = values.out("result").map(|name| (name, width));
            let (duration, gripper) = (values.number("tm")?, values.tool("gripperID")?);
            Asked::Command(RobotCommand::MoveGripper { gripper, width, duration })
        }
        CommandKind::GoInitial => Asked::Command(RobotCommand::GoInitial { duration: values.number("tm")? }),
        CommandKind::MoveTorso => {
            let angle = values.number("angle")?.to_radians();
            Asked::Command(RobotCommand::MoveTorso { angle, duration: values.number("tm")? })
        }
        CommandKind::MoveHead => {
            let angles = values.vector("angles")?;
            let angles = [angles.x.to_radians(), angles.y.to_radians()];
            Asked::Command(RobotCommand::MoveHead { angles, duration: values.number("tm")? })
        }
    };
    Ok(Request { kind: asked, out })
}

/// Current value of an expression of a state; `what` names its owner.
pub(super) fn value_of(
    task: &Task,
    text: &ExpressionText,
    what: &str,
    poses: &dyn ModelPoses,
    result: Option<bool>,
) -> Fallible<Value> {
    let variables = Variables::new(task);
    let evaluated = Expression::parse(&text.text).and_then(|expression| {
        expression.evaluate(&|name| match result {
            Some(result) if name == crate::variables::RESULT => Ok(Value::Scalar(f64::from(u8::from(result)))),
            _ => variables.value_of(name, poses),
        })
    });
    evaluated.map_err(|error| Box::new(located(&error, text, &format!("task `{}`, {what}", task.name))))
}

/// An integer, such as the number of a tool.
pub(super) fn whole(task: &Task, text: &ExpressionText, what: &str, poses: &dyn ModelPoses) -> Fallible<i32> {
    let value = value_of(task, text, what, poses, None)?;
    if let Value::Scalar(number) = value
        && number.fract() == 0.0
        && number.abs() < f64::from(i32::MAX)
    {
        #[allow(clippy::cast_possible_truncation)]
        return Ok(number as i32);
    }
    let message = format!("task `{}`, {what} is no whole number", task.name);
    Err(Box::new(text.origin.error("not-an-integer", message).help("arms and grippers are counted from 0")))
}

struct Values<'a> {
    task: &'a Task,
    state: &'a State,
    poses: &'a dyn ModelPoses,
    bound: &'a [(&'static Formal, Binding<'a>)],
}

impl Values<'_> {
    fn binding(&self, name: &str) -> Option<&Binding<'_>> {
        self.bound.iter().find(|(formal, _)| formal.name == name).map(|(_, binding)| binding)
    }

    fn what(&self, name: &str) -> String {
        format!("state {}, argument `{name}`", self.state.id)
    }

    fn wrong(&self, name: &str, text: &ExpressionText, wanted: &str) -> Box<Diagnostic> {
        let message = format!("task `{}`, {} must be {wanted}", self.task.name, self.what(name));
        Box::new(text.origin.error("wrong-type", message).help("check the values of the parameters in it"))
    }

    fn number(&self, name: &str) -> Fallible<f64> {
        match self.binding(name) {
            Some(Binding::Given(argument)) => {
                match value_of(self.task, &argument.value, &self.what(name), self.poses, None)? {
                    Value::Scalar(number) if number.is_finite() => Ok(number),
                    _ => Err(self.wrong(name, &argument.value, "a finite number")),
                }
            }
            Some(Binding::Default(number)) => Ok(*number),
            None => Ok(0.0),
        }
    }

    fn tool(&self, name: &str) -> Fallible<ToolId> {
        match self.binding(name) {
            Some(Binding::Given(argument)) => {
                whole(self.task, &argument.value, &self.what(name), self.poses).map(ToolId)
            }
            _ => Ok(ToolId(0)),
        }
    }

    fn vector(&self, name: &str) -> Fallible<Vector3<f64>> {
        let Some(Binding::Given(argument)) = self.binding(name) else { return Ok(Vector3::zeros()) };
        match value_of(self.task, &argument.value, &self.what(name), self.poses, None)? {
            Value::Vector3(vector) if vector.iter().all(|number| number.is_finite()) => Ok(vector),
            _ => Err(self.wrong(name, &argument.value, "a 3-vector of finite numbers")),
        }
    }

    /// A pose in the world: position in m, angles in degrees.
    fn pose(&self, position: &str, angles: &str) -> Fallible<nalgebra::Isometry3<f64>> {
        let (position, angles) = (self.vector(position)?, self.vector(angles)?);
        Ok(Frame([position.x, position.y, position.z, angles.x, angles.y, angles.z]).to_isometry())
    }

    /// Parameter that receives a result.
    fn out(&self, name: &str) -> Option<ParameterName> {
        match self.binding(name)? {
            Binding::Given(argument) => Some(ParameterName::from(argument.value.text.trim())),
            Binding::Default(_) => None,
        }
    }
}
