//! Changing parameters of a task before it runs.

use bunraku_document::{Diagnostic, closest};

use crate::expression::{Expression, Unknown, Value};
use crate::model::{Frame, ModelName, ParameterName, ParameterValue, Task};

/// Sets the value of a parameter, or the initial pose of a model. `text` is an expression without names, such as `0.05`
/// or `[0.4, -0.2, 0.84, 0, 0, 90]`.
///
/// # Errors
/// If the parameter does not exist, is bound to a model, or the value has another type.
pub fn adjust(task: &mut Task, name: &str, text: &str) -> Result<(), Box<Diagnostic>> {
    let no_names = |name: &str| {
        let message = format!("there is no `{name}` here");
        Err(Unknown { message, help: "write numbers".to_owned() })
    };
    let value = Expression::parse(text).and_then(|expression| expression.evaluate(&no_names)).map_err(|error| {
        Box::new(
            Diagnostic::error(error.code, format!("`{name}`, column {}: {}", error.column(), error.message))
                .help(error.help),
        )
    })?;
    let wrong = |wanted: &str| {
        let message = format!("`{name}` must be {wanted}, `{text}` is {}", value.kind().as_str());
        Box::new(Diagnostic::error("wrong-type", message).help("keep the type of the parameter"))
    };
    if !value.is_finite() {
        return Err(wrong("finite"));
    }
    if let Some(model) = task.models.iter_mut().find(|model| model.name == ModelName::from(name)) {
        let Value::Vector6(pose) = value else { return Err(wrong("a 6-vector")) };
        model.pose = Frame(pose.into());
        return Ok(());
    }
    let names = task.parameters.iter().map(|parameter| parameter.name.as_str());
    let meant = closest(name, names.chain(task.models.iter().map(|model| model.name.as_str()))).map(str::to_owned);
    let key = ParameterName::from(name);
    let Some(parameter) = task.parameters.iter_mut().find(|parameter| parameter.name == key) else {
        let message = format!("the task has neither a parameter nor a model `{name}`");
        let help =
            meant.map_or_else(|| "look at its `parameters`".to_owned(), |meant| format!("did you mean `{meant}`?"));
        return Err(Box::new(Diagnostic::error("unknown-name", message).help(help)));
    };
    parameter.value = match (&parameter.value, value) {
        (ParameterValue::Integer(_), Value::Scalar(number))
            if number.fract() == 0.0 && number.abs() < f64::from(i32::MAX) =>
        {
            #[allow(clippy::cast_possible_truncation)]
            ParameterValue::Integer(number as i32)
        }
        (ParameterValue::Integer(_), _) => return Err(wrong("a whole number")),
        (ParameterValue::Double(_), Value::Scalar(number)) => ParameterValue::Double(number),
        (ParameterValue::Double(_), _) => return Err(wrong("a number")),
        (ParameterValue::Vector(_), Value::Vector3(vector)) => ParameterValue::Vector(vector.into()),
        (ParameterValue::Vector(_), _) => return Err(wrong("a 3-vector")),
        (ParameterValue::Frame(_), Value::Vector6(frame)) => ParameterValue::Frame(Frame(frame.into())),
        (ParameterValue::Frame(_), _) => return Err(wrong("a 6-vector")),
        (ParameterValue::Bound { model, .. }, _) => {
            let message = format!("`{name}` is the pose of the model `{model}`");
            let help = format!("put the model somewhere else: set `{model}`");
            return Err(Box::new(Diagnostic::error("bound-parameter", message).help(help)));
        }
    };
    Ok(())
}
