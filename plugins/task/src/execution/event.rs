use std::fmt;

use crate::model::{ActionKind, ModelName, StateId, ToolId};

/// Something that happened in a run, for those who show it.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A command begins.
    Started {
        /// The state.
        state: StateId,
        /// The command.
        command: String,
        /// What is shown to people.
        label: String,
        /// Simulated time, s.
        time: f64,
    },
    /// A command is over.
    Ended {
        /// The state.
        state: StateId,
        /// Whether it succeeded.
        result: bool,
        /// Why not.
        failure: Option<String>,
        /// Simulated time, s.
        time: f64,
    },
    /// Something odd that does not matter.
    Warned {
        /// The state.
        state: StateId,
        /// What it is.
        message: String,
    },
    /// A model is attached or detached.
    Acted {
        /// The state.
        state: StateId,
        /// What happened.
        action: ActionKind,
        /// The model.
        model: ModelName,
        /// The tool, if the action names one.
        tool: Option<ToolId>,
    },
    /// A decision was taken.
    Decided {
        /// The state.
        state: StateId,
        /// Which way.
        result: bool,
    },
    /// The task is over.
    Finished {
        /// The final state.
        state: StateId,
        /// Simulated time, s.
        time: f64,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started { state, command, label, time } => {
                write!(f, "{time:7.2} s  state {state}: {command} ({label})")
            }
            Self::Ended { state, result: true, time, .. } => write!(f, "{time:7.2} s  state {state}: done"),
            Self::Ended { state, failure, time, .. } => {
                write!(f, "{time:7.2} s  state {state}: failed")?;
                failure.as_ref().map_or(Ok(()), |failure| write!(f, ": {failure}"))
            }
            Self::Warned { state, message } => write!(f, "           state {state}: {message}"),
            Self::Acted { state, action, model, tool } => {
                write!(f, "           state {state}: {} {model}", action.as_str())?;
                tool.map_or(Ok(()), |tool| write!(f, " (tool {tool})"))
            }
            Self::Decided { state, result } => write!(f, "           state {state}: {result}"),
            Self::Finished { state, time } => write!(f, "{time:7.2} s  state {state}: the task is done"),
        }
    }
}
