//! Tasks: state machines of robot commands whose arguments are expressions over parameters and poses of models.
//!
//! - [`model`]: the data of a [`Task`](model::Task);
//! - [`reader`] and [`write()`]: reading of task files of every generation, and writing of the current one;
//! - [`expression`]: the language of arguments and conditions; [`variables`]: the meaning of names in it;
//! - [`commands`]: the available commands; [`check`](mod@check): checks of a task before it is run;
//! - [`inverse_kinematics`]: joint displacements for poses of a tool;
//! - [`robot`]: the mapping file, the planner of motions, a kinematic robot;
//! - [`execution`]: the state machine, on any [`Robot`](robot::Robot);
//! - [`adjust()`]: changes parameters before a run;
//! - `TaskPlugin` (feature `bevy`): tasks on the robots of a running simulation;
//! - [`draft`]: mapping files drafted from models; [`designer`]: patterns for new tasks; [`verbs`]: all of this from files to files.
//!
//! Lengths are in metres, times in seconds, angles in radians (in degrees in task files and expressions). Z is up.
//!
//! ```
//! use bunraku_task::expression::{Expression, Unknown, Value};
//! use nalgebra::Vector3;
//!
//! let above = Expression::parse("xyz([0.4, 0.2, 0.8, 0, 0, 90]) + [0, 0, height]")?;
//! let value = above.evaluate(&|name| match name {
//!     "height" => Ok(Value::Scalar(0.1)),
//!     _ => Err(Unknown { message: format!("there is no `{name}`"), help: "use `height`".to_owned() }),
//! })?;
//! assert_eq!(value, Value::Vector3(Vector3::new(0.4, 0.2, 0.9)));
//! # Ok::<(), bunraku_task::expression::ExpressionError>(())
//! ```

// Sines and the like are those of `libm`, so that results have the same bits everywhere.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// No bytes of a file make a reader panic or lose digits: `get` and patterns instead of indices.
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod adjust;
pub mod check;
pub mod commands;
pub mod designer;
pub mod draft;
pub mod execution;
pub mod expression;
pub mod inverse_kinematics;
pub mod model;
#[cfg(feature = "bevy")]
mod plugin;
pub mod reader;
pub mod robot;
pub mod variables;
pub mod verbs;
mod writer;

pub use adjust::adjust;
#[cfg(feature = "bevy")]
pub use plugin::{Control, TaskEnded, TaskEvent, TaskPlugin, TaskRun, TaskSystems};
pub use writer::{save, write};
