//! Data of a task.

mod frame;
mod names;
mod origin;
mod part;
mod state;
mod task;

pub use frame::{Frame, rotation_of_rpy, rpy_of_rotation};
pub use names::{MasterName, ModelName, ParameterName, StateId, ToolId};
pub use origin::Origin;
pub use part::{Feature, ModelMaster, ModelPart, ModelRole, Parameter, ParameterValue};
pub use state::{
    ActionKind, Argument, Branch, CommandState, ExpressionText, ModelAction, State, StateKind, Transition,
};
pub use task::{Attached, Task};
