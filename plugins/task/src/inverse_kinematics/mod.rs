//! Inverse kinematics: joint displacements for a pose of a tool, by damped least squares within the joint ranges.
//!
//! - [`Chain`]: the joints between two links of a body;
//! - [`Solver`]: finds displacements. It allocates when it is created, not when it solves.

mod chain;
mod options;
mod restart;
mod solver;
mod step;

pub use chain::{Chain, ChainError, ChainJoint};
pub use options::Options;
pub(crate) use restart::Starts;
pub use solver::{Residual, Solution, Solver, Unreached};
