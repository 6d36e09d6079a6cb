use std::fmt;

use crate::model::{ActionKind, ModelName, StateId, ToolId};

/// Event of a run, for display.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A command began.
    Started {
        /// The state.
        state: StateId,
        /// The command.
        command: String,
        /// Label for display.
        label: String,
        /// Simulated time, s.
        time: f64,
    },
    /// A command ended.
    Ended {
        /// The state.
        state: StateId,
        /// Whether it succeeded.
        result: bool,
        /// Reason of the failure.
        failure: Option<String>,
        /// Simulated time, s.
        time: f64,
    },
    /// A warning.
    Warned {
        /// The state.
        state: StateId,
        /// Message.
        message: String,
    },
    /// A model was attached or detached.
    Acted {
        /// The state.
        state: StateId,
        /// Action.
        action: ActionKind,
        /// The model.
        model: ModelName,
        /// Tool, if the action specifies one.
        tool: Option<ToolId>,
    },
    /// A decision was taken.
    Decided {
        /// The state.
        state: StateId,
        /// Branch taken.
        result: bool,
    },
    /// The task ended.
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
