//! The outcome of a task.

use std::path::{Path, PathBuf};

use bunraku::document::Diagnostic;
use bunraku::task::model::{Frame, ModelName};
use serde::Serialize;

use super::super::common::Failure;
use super::super::output::line;

/// The outcome of a task; part of the summary of its run.
#[derive(Clone, Serialize)]
pub struct TaskSummary {
    /// The task file.
    pub file: PathBuf,
    pub name: String,
    /// Whether robot and models were moved by forces.
    pub physics: bool,
    /// Number of commands that were started.
    pub commands: usize,
    /// The final poses of the models, in the order of the file.
    pub models: Vec<ModelSummary>,
    /// The events in order.
    pub events: Vec<serde_json::Value>,
    /// Whether it was completed; a window may be closed before.
    #[serde(skip)]
    pub is_done: bool,
    /// Why it was not completed.
    #[serde(skip)]
    pub failure: Option<Box<Diagnostic>>,
}

/// Pose of a model: x, y, z in m, roll, pitch, yaw in degrees, as in task files.
#[derive(Clone, Serialize)]
pub struct ModelSummary {
    pub name: String,
    pub pose: [f64; 6],
}

impl ModelSummary {
    pub fn new(name: &ModelName, pose: Frame) -> Self {
        Self { name: name.to_string(), pose: pose.0 }
    }
}

impl TaskSummary {
    /// The same summary without the directory of the file.
    pub fn portable(self) -> Self {
        Self {
            file: self.file.file_name().map_or_else(|| self.file.clone(), |name| Path::new(name).to_owned()),
            ..self
        }
    }

    pub fn print(&self) -> Result<(), Failure> {
        let end = if self.is_done { "done" } else { "not done" };
        line(format!("task       {}: {end}, {} commands", self.name, self.commands))?;
        for ModelSummary { name, pose } in &self.models {
            // Without a minus sign before a zero.
            let [x, y, z] = [0, 1, 2].map(|axis| (pose[axis] * 1e4).round() / 1e4 + 0.0);
            let [roll, pitch, yaw] = [3, 4, 5].map(|axis| (pose[axis] * 1e2).round() / 1e2 + 0.0);
            line(format!("model      {name} at ({x}, {y}, {z}) m, ({roll}, {pitch}, {yaw})°"))?;
        }
        Ok(())
    }
}
