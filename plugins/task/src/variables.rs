//! What names in the expressions of a task mean.

use bunraku_document::closest;
use nalgebra::{Isometry3, Vector3};

use crate::expression::{Expression, ExpressionError, Unknown, Value, ValueType};
use crate::model::{ExpressionText, Feature, Frame, ModelName, ModelPart, ParameterName, ParameterValue, Task};

/// The name that stands for the result of the last command in conditions: 1 for success, 0 for failure.
pub const RESULT: &str = "_RESULT";

/// The name that stands for the pose of the model in the expressions of its features.
pub const ORIGIN: &str = "origin";

/// Where models are at a moment. What is not there stands where the task file puts it.
pub trait ModelPoses {
    /// World pose of the root link of a model.
    fn model_pose(&self, model: &ModelName) -> Option<Isometry3<f64>>;
}

/// Every model stands where the task file puts it.
pub(crate) struct AtStart;

impl ModelPoses for AtStart {
    fn model_pose(&self, _: &ModelName) -> Option<Isometry3<f64>> {
        None
    }
}

/// The names of a task. A model hides a parameter of the same name.
#[derive(Clone, Copy)]
pub struct Variables<'t> {
    task: &'t Task,
}

impl<'t> Variables<'t> {
    /// The names of this task.
    pub fn new(task: &'t Task) -> Self {
        Self { task }
    }

    /// The type of a name.
    ///
    /// # Errors
    /// If the task has neither a model nor a parameter of this name.
    pub fn type_of(&self, name: &str) -> Result<ValueType, Unknown> {
        if self.task.model(&ModelName::from(name)).is_some() {
            return Ok(ValueType::Vector6);
        }
        match self.task.parameter(&ParameterName::from(name)).map(|parameter| &parameter.value) {
            Some(ParameterValue::Integer(_) | ParameterValue::Double(_)) => Ok(ValueType::Scalar),
            Some(ParameterValue::Vector(_)) => Ok(ValueType::Vector3),
            Some(ParameterValue::Frame(_) | ParameterValue::Bound { .. }) => Ok(ValueType::Vector6),
            None => Err(self.unknown(name)),
        }
    }

    /// The same in conditions, where there is [`RESULT`], too.
    ///
    /// # Errors
    /// As [`Variables::type_of`].
    pub fn type_in_condition(&self, name: &str) -> Result<ValueType, Unknown> {
        if name == RESULT { Ok(ValueType::Scalar) } else { self.type_of(name) }
    }

    /// The value of a name now.
    ///
    /// # Errors
    /// If there is no such name, or what it is bound to is not there or cannot be evaluated.
    pub fn value_of(&self, name: &str, poses: &dyn ModelPoses) -> Result<Value, Unknown> {
        if let Some(model) = self.task.model(&ModelName::from(name)) {
            return Ok(self.pose(model, poses));
        }
        let parameter = self.task.parameter(&ParameterName::from(name)).ok_or_else(|| self.unknown(name))?;
        Ok(match &parameter.value {
            ParameterValue::Integer(number) => Value::Scalar(f64::from(*number)),
            ParameterValue::Double(number) => Value::Scalar(*number),
            ParameterValue::Vector(numbers) => Value::Vector3(Vector3::from(*numbers)),
            ParameterValue::Frame(frame) => Value::Vector6(frame.to_vector()),
            ParameterValue::Bound { model, feature, .. } => self.bound(name, model, *feature, poses)?,
        })
    }

    fn bound(
        &self,
        name: &str,
        model: &ModelName,
        feature: Option<usize>,
        poses: &dyn ModelPoses,
    ) -> Result<Value, Unknown> {
        let broken = |message: String| Unknown { message, help: "check the parameter it is bound by".to_owned() };
        let Some(part) = self.task.model(model) else {
            return Err(broken(format!("`{name}` is bound to the model `{model}`, which is not there")));
        };
        let origin = self.pose(part, poses);
        let Some(number) = feature else { return Ok(origin) };
        let feature = self
            .feature(model, number)
            .ok_or_else(|| broken(format!("`{name}` is bound to feature {number} of `{model}`, which is not there")))?;
        evaluate_feature(feature, &origin)
            .map_err(|error| broken(format!("the feature `{}` of `{model}` fails: {error}", feature.name)))
    }

    /// A feature of a model, by its number in the master.
    pub fn feature(&self, model: &ModelName, number: usize) -> Option<&'t Feature> {
        let master = &self.task.model(model)?.master;
        self.task.master(master)?.features.get(number)
    }

    /// Pose of a model now. As long as it has not moved, these are the numbers of the task file, as in the original: a
    /// rotation has several angles, and those computed from it need not be those that were written.
    fn pose(&self, model: &ModelPart, poses: &dyn ModelPoses) -> Value {
        let moved = poses.model_pose(&model.name).filter(|pose| !is_same_pose(pose, &model.pose.to_isometry()));
        Value::Vector6(moved.map_or(model.pose, |pose| Frame::of_isometry(&pose)).to_vector())
    }

    fn unknown(&self, name: &str) -> Unknown {
        let names = || {
            let models = self.task.models.iter().map(|model| model.name.as_str());
            models.chain(self.task.parameters.iter().map(|parameter| parameter.name.as_str()))
        };
        let help = match closest(name, names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if name == RESULT => "it is there in the conditions of decisions".to_owned(),
            None => "add it to `parameters`, or use one that is there".to_owned(),
        };
        Unknown { message: format!("there is neither a parameter nor a model `{name}`"), help }
    }
}

/// The pose of a feature for the pose of its model. As in the original the sum `origin + […]` is taken element by
/// element, so that it does not turn with the model.
fn evaluate_feature(feature: &Feature, origin: &Value) -> Result<Value, ExpressionError> {
    let expression = Expression::parse(&feature.value.text)?;
    expression.evaluate(&|name| if name == ORIGIN { Ok(*origin) } else { Err(only_origin(name)) })
}

/// The type of the expression of a feature, which should be a 6-vector.
///
/// # Errors
/// If it does not follow the grammar, or types do not go together.
pub fn check_feature(text: &ExpressionText) -> Result<ValueType, ExpressionError> {
    let expression = Expression::parse(&text.text)?;
    expression.check(&|name| if name == ORIGIN { Ok(ValueType::Vector6) } else { Err(only_origin(name)) })
}

fn only_origin(name: &str) -> Unknown {
    let message = format!("features know the name `{ORIGIN}` alone, not `{name}`");
    Unknown { message, help: format!("`{ORIGIN}` is the pose of the model") }
}

/// Whether two poses are the same but for rounding, m and quaternion components.
fn is_same_pose(first: &Isometry3<f64>, second: &Isometry3<f64>) -> bool {
    const ROUNDING: f64 = 1e-9;
    let turned = first.rotation.coords - second.rotation.coords;
    (first.translation.vector - second.translation.vector).norm() <= ROUNDING && turned.norm() <= ROUNDING
}
