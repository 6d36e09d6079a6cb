//! Tasks: state machines of robot commands whose arguments are expressions over parameters and poses of models.

pub mod check;
pub mod commands;
pub mod designer;
pub mod execution;
pub mod expression;
pub mod inverse_kinematics;
pub mod model;
pub mod reader;
pub mod robot;
pub mod variables;
pub mod verbs;
mod writer;

pub use writer::{save, write};
