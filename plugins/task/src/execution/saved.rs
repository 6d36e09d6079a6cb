//! Saved state of a run.

use bunraku_document::Diagnostic;
use serde::{Deserialize, Serialize};

use super::machine::{Execution, Status};
use crate::model::{Frame, ParameterName, ParameterValue, StateId};

/// The variable part of an [`Execution`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedExecution {
    current: Option<StateId>,
    result: bool,
    failure: Option<String>,
    out: Option<(ParameterName, f64)>,
    moving: bool,
    entered: usize,
    status: SavedStatus,
    values: Vec<SavedValue>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum SavedStatus {
    Running,
    Finished,
    /// Message of the failure; its location in the file belongs to the task.
    Failed(String),
}

/// A parameter that commands or users may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum SavedValue {
    Integer(ParameterName, i32),
    Double(ParameterName, f64),
    Vector(ParameterName, [f64; 3]),
    Frame(ParameterName, [f64; 6]),
}

impl Execution {
    /// Saves the current state of the run.
    pub fn save(&self) -> SavedExecution {
        let value = |parameter: &crate::model::Parameter| {
            let name = parameter.name.clone();
            match parameter.value {
                ParameterValue::Integer(value) => Some(SavedValue::Integer(name, value)),
                ParameterValue::Double(value) => Some(SavedValue::Double(name, value)),
                ParameterValue::Vector(value) => Some(SavedValue::Vector(name, value)),
                ParameterValue::Frame(Frame(value)) => Some(SavedValue::Frame(name, value)),
                ParameterValue::Bound { .. } => None,
            }
        };
        SavedExecution {
            current: self.current,
            result: self.result,
            failure: self.failure.clone(),
            out: self.out.clone(),
            moving: self.moving,
            entered: self.entered,
            status: match &self.status {
                Status::Running => SavedStatus::Running,
                Status::Finished => SavedStatus::Finished,
                Status::Failed(error) => SavedStatus::Failed(error.message.clone()),
            },
            values: self.task.parameters.iter().filter_map(value).collect(),
        }
    }

    /// Restores the state of a run of the same task.
    pub fn restore(&mut self, saved: &SavedExecution) {
        let SavedExecution { current, result, failure, out, moving, entered, status, values } = saved.clone();
        (self.current, self.result, self.failure, self.out) = (current, result, failure, out);
        (self.moving, self.entered) = (moving, entered);
        self.status = match status {
            SavedStatus::Running => Status::Running,
            SavedStatus::Finished => Status::Finished,
            SavedStatus::Failed(message) => Status::Failed(Box::new(Diagnostic::error("task-failed", message))),
        };
        for value in values {
            let (name, value) = match value {
                SavedValue::Integer(name, value) => (name, ParameterValue::Integer(value)),
                SavedValue::Double(name, value) => (name, ParameterValue::Double(value)),
                SavedValue::Vector(name, value) => (name, ParameterValue::Vector(value)),
                SavedValue::Frame(name, value) => (name, ParameterValue::Frame(Frame(value))),
            };
            self.task.set_parameter(&name, value);
        }
    }
}
