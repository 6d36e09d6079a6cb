//! Meaning of names in the expressions of a task.

use bunraku_document::closest;
use nalgebra::{Isometry3, Vector3};

use crate::expression::{Expression, ExpressionError, Unknown, Value, ValueType};
use crate::model::{ExpressionText, Feature, Frame, ModelName, ModelPart, ParameterName, ParameterValue, Task};

/// Name of the result of the last command in conditions: 1 for success, 0 for failure.
pub const RESULT: &str = "_RESULT";

/// Name of the pose of the model in the expressions of its features.
pub const ORIGIN: &str = "origin";

/// Current poses of models. Models without a pose are at the pose given in the task file.
pub trait ModelPoses {
    /// World pose of the root link of a model.
    fn model_pose(&self, model: &ModelName) -> Option<Isometry3<f64>>;
}

/// All models at the poses given in the task file.
pub(crate) struct AtStart;

impl ModelPoses for AtStart {
    fn model_pose(&self, _: &ModelName) -> Option<Isometry3<f64>> {
        None
    }
}

/// Names of a task. A model hides a parameter of the same name.
#[derive(Clone, Copy)]
pub struct Variables<'t> {
    task: &'t Task,
}

impl<'t> Variables<'t> {
    /// Names of this task.
    pub fn new(task: &'t Task) -> Self {
        Self { task }
    }

    /// Type of a name.
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

    /// As [`type_of`](Self::type_of), in conditions, where [`RESULT`] is also defined.
    ///
    /// # Errors
    /// As [`Variables::type_of`].
    pub fn type_in_condition(&self, name: &str) -> Result<ValueType, Unknown> {
        if name == RESULT { Ok(ValueType::Scalar) } else { self.type_of(name) }
    }

    /// Current value of a name.
    ///
    /// # Errors
    /// If the name is unknown, or the object it is bound to does not exist or cannot be evaluated.
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

    /// A feature of a model, by its index in the master.
    pub fn feature(&self, model: &ModelName, number: usize) -> Option<&'t Feature> {
        let master = &self.task.model(model)?.master;
        self.task.master(master)?.features.get(number)
    }

    /// Current pose of a model. Until it moves, these are the numbers of the task file, as in the original: a rotation
    /// has several angle triples, and computed ones may differ from those in the file.
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

/// Pose of a feature for a pose of its model. As in the original, the sum `origin + […]` is element by element, so the
/// offset does not rotate with the model.
fn evaluate_feature(feature: &Feature, origin: &Value) -> Result<Value, ExpressionError> {
    let expression = Expression::parse(&feature.value.text)?;
    expression.evaluate(&|name| if name == ORIGIN { Ok(*origin) } else { Err(only_origin(name)) })
}

/// Type of the expression of a feature, which should be a 6-vector.
///
/// # Errors
/// If it does not follow the grammar, or types do not match.
pub fn check_feature(text: &ExpressionText) -> Result<ValueType, ExpressionError> {
    let expression = Expression::parse(&text.text)?;
    expression.check(&|name| if name == ORIGIN { Ok(ValueType::Vector6) } else { Err(only_origin(name)) })
}

fn only_origin(name: &str) -> Unknown {
    let message = format!("features may only use the name `{ORIGIN}`, not `{name}`");
    Unknown { message, help: format!("`{ORIGIN}` is the pose of the model") }
}

/// Whether two poses are equal up to rounding, m and quaternion components.
fn is_same_pose(first: &Isometry3<f64>, second: &Isometry3<f64>) -> bool {
    const ROUNDING: f64 = 1e-9;
    let turned = first.rotation.coords - second.rotation.coords;
    (first.translation.vector - second.translation.vector).norm() <= ROUNDING && turned.norm() <= ROUNDING
}
