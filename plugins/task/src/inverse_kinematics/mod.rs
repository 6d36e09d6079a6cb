//! Joint displacements that bring a tool to a pose: damped least squares within the ranges of the joints.
//!
//! - [`Chain`]: the joints between two links of a body, taken out of it;
//! - [`Solver`]: finds displacements; it allocates when it is made and not while it solves.

mod chain;
mod options;
mod restart;
mod solver;
mod step;

pub use chain::{Chain, ChainError, ChainJoint};
pub use options::Options;
pub use solver::{Residual, Solution, Solver, Unreached};
