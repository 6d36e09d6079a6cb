//! A run, kept to go back to.

use bunraku_document::Diagnostic;
use serde::{Deserialize, Serialize};

use super::machine::{Execution, Status};
use crate::model::{ParameterName, ParameterValue, StateId};

/// What of an [`Execution`] changes as it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedExecution {
    current: Option<StateId>,
    result: bool,
    failure: Option<String>,
    out: Option<(ParameterName, f64)>,
    moving: bool,
    entered: usize,
    status: SavedStatus,
    numbers: Vec<SavedNumber>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum SavedStatus {
    Running,
    Finished,
    /// With the message; where in the file it is belongs to the task.
    Failed(String),
}

/// A parameter that commands may change: numbers alone are results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum SavedNumber {
    Integer(ParameterName, i32),
    Double(ParameterName, f64),
}

impl Execution {
    /// The run as it is now.
    pub fn save(&self) -> SavedExecution {
        let number = |parameter: &crate::model::Parameter| match parameter.value {
            ParameterValue::Integer(value) => Some(SavedNumber::Integer(parameter.name.clone(), value)),
            ParameterValue::Double(value) => Some(SavedNumber::Double(parameter.name.clone(), value)),
            _ => None,
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
            numbers: self.task.parameters.iter().filter_map(number).collect(),
        }
    }

    /// Goes back to a run of the same task.
    pub fn restore(&mut self, saved: &SavedExecution) {
        let SavedExecution { current, result, failure, out, moving, entered, status, numbers } = saved.clone();
        (self.current, self.result, self.failure, self.out) = (current, result, failure, out);
        (self.moving, self.entered) = (moving, entered);
        self.status = match status {
            SavedStatus::Running => Status::Running,
            SavedStatus::Finished => Status::Finished,
            SavedStatus::Failed(message) => Status::Failed(Box::new(Diagnostic::error("task-failed", message))),
        };
        for number in numbers {
            match number {
                SavedNumber::Integer(name, value) => self.task.set_parameter(&name, ParameterValue::Integer(value)),
                SavedNumber::Double(name, value) => self.task.set_parameter(&name, ParameterValue::Double(value)),
            };
        }
    }
}
