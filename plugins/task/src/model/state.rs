use super::{ModelName, Origin, StateId};

/// A state of a task's state machine.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Number, unique within the task.
    pub id: StateId,
    /// Kind.
    pub kind: StateKind,
    /// Position in the diagram, x to the right and y down, pixels; without further meaning.
    pub position: [f64; 2],
    /// Location in the file.
    pub origin: Origin,
}

/// Kind of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateKind {
    /// Start of the task.
    Initial,
    /// Successful end of the task.
    Final,
    /// Decision with two branches: true and false.
    Decision {
        /// Condition; without it the result of the last command decides.
        condition: Option<ExpressionText>,
    },
    /// Parallel branches: kept when read, but not supported in runs.
    Fork,
    /// A command to the robot.
    Command(CommandState),
    /// Junction of several branches.
    Merge,
}

impl StateKind {
    /// Number in task files.
    pub fn number(&self) -> i32 {
        match self {
            Self::Initial => 1,
            Self::Final => 2,
            Self::Decision { .. } => 3,
            Self::Fork => 4,
            Self::Command(_) => 5,
            Self::Merge => 6,
        }
    }

    /// Name in messages.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Initial => "initial state",
            Self::Final => "final state",
            Self::Decision { .. } => "decision",
            Self::Fork => "fork",
            Self::Command(_) => "command",
            Self::Merge => "merge",
        }
    }
}

/// A command to the robot, and actions on models after it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandState {
    /// Name of the command, such as `moveArm`.
    pub command: String,
    /// Location of the name.
    pub command_origin: Origin,
    /// Label for display.
    pub label: String,
    /// Arguments in file order.
    pub arguments: Vec<Argument>,
    /// Actions on models after the command, in order.
    pub actions: Vec<ModelAction>,
}

/// An argument of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Name of the formal parameter.
    pub name: String,
    /// Value.
    pub value: ExpressionText,
    /// Location of the name.
    pub origin: Origin,
}

/// Text of an expression with its location.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionText {
    /// The expression.
    pub text: String,
    /// Location.
    pub origin: Origin,
}

impl From<&str> for ExpressionText {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), origin: Origin::default() }
    }
}

/// Action on a model after a command.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAction {
    /// Kind.
    pub kind: ActionKind,
    /// Model.
    pub model: ModelName,
    /// The tool, as an integer expression; usually the name of a parameter.
    pub target: Option<ExpressionText>,
    /// Location in the file.
    pub origin: Origin,
}

/// Kind of an action on a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// Attaches the root link of the model to the tool link, with the current relative pose.
    Attach,
    /// Detaches the model, which stays at its pose.
    Detach,
}

impl ActionKind {
    /// Name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attach => "attach",
            Self::Detach => "detach",
        }
    }
}

/// Transition from one state to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Source state.
    pub source: StateId,
    /// Target state.
    pub target: StateId,
    /// Branch of the source.
    pub branch: Branch,
    /// `target_index` in the file; without meaning.
    pub target_index: i32,
    /// Location in the file.
    pub origin: Origin,
}

/// Branch of a decision. Other states have only a transition with index 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// `source_index` 0: the true branch, or the only transition.
    True,
    /// Other `source_index`.
    False,
}
