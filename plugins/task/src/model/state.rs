use super::{ModelName, Origin, StateId};

/// A state of the machine that a task is.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its number, unique within the task.
    pub id: StateId,
    /// What happens in it.
    pub kind: StateKind,
    /// Where it is drawn, x to the right and y down, in pixels; of no other meaning.
    pub position: [f64; 2],
    /// Where it was read.
    pub origin: Origin,
}

/// What happens in a state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateKind {
    /// The task begins here.
    Initial,
    /// The task ends here, with success.
    Final,
    /// Two ways on: true and false.
    Decision {
        /// What decides; without it the result of the last command does.
        condition: Option<ExpressionText>,
    },
    /// Two ways at once: kept when read, but never run.
    Fork,
    /// A command to the robot.
    Command(CommandState),
    /// Several ways come together.
    Merge,
}

impl StateKind {
    /// The number in task files.
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

    /// What it is called in messages.
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

/// A command to the robot, and what becomes of models when it has been carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandState {
    /// Name of the command, such as `moveArm`.
    pub command: String,
    /// Where the name stands.
    pub command_origin: Origin,
    /// What is shown to people.
    pub label: String,
    /// Arguments in the order of the file.
    pub arguments: Vec<Argument>,
    /// What becomes of models afterwards, in this order.
    pub actions: Vec<ModelAction>,
}

/// An argument of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Name of the formal parameter it is for.
    pub name: String,
    /// Its value.
    pub value: ExpressionText,
    /// Where its name stands.
    pub origin: Origin,
}

/// An expression as it is written, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionText {
    /// The expression.
    pub text: String,
    /// Where it stands.
    pub origin: Origin,
}

impl From<&str> for ExpressionText {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), origin: Origin::default() }
    }
}

/// Something that happens to a model after a command.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAction {
    /// What happens.
    pub kind: ActionKind,
    /// To which model.
    pub model: ModelName,
    /// The tool, as an integer expression; usually the name of a parameter.
    pub target: Option<ExpressionText>,
    /// Where it was read.
    pub origin: Origin,
}

/// What happens to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// Its root link is fixed to the tool link, with the relative pose of that moment.
    Attach,
    /// It is let go and stays where it is.
    Detach,
}

impl ActionKind {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attach => "attach",
            Self::Detach => "detach",
        }
    }
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// From here
    pub source: StateId,
    /// to here.
    pub target: StateId,
    /// Which of the ways out of its source it is.
    pub branch: Branch,
    /// `target_index` of the file, without a meaning.
    pub target_index: i32,
    /// Where it was read.
    pub origin: Origin,
}

/// Which way out of a decision a transition is. Out of other states there is only the one of index 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// `source_index` 0: the true branch, or the only way.
    True,
    /// Any other `source_index`.
    False,
}
