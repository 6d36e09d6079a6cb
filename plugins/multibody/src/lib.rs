//! Articulated bodies in generalized coordinates, in double precision: our own solver.
//!
//! A body is a tree of rigid parts in the coordinates of its joints, so that joints cannot separate. One step is
//!
//! 1. [`Solver::begin`]: half of the drift, with the velocities of the step before. Contacts are detected at the poses that this leads
//!    to, in the middle of the step;
//! 2. [`Solver::finish`]: forces, one convex problem for all contacts, closures, limits and servos of an island (`constraints/mod.rs`), and the
//!    other half of the drift.
//!
//! This is the leapfrog: semi-implicit Euler's method, with positions and velocities reported at the same instant.
//!
//! # Sources
//!
//! - Recursive Newton–Euler, articulated bodies and the factorisation M = LᵀDL that keeps the branches of the tree apart: R.
//!   Featherstone, *Rigid Body Dynamics Algorithms* (Springer, 2008), §5.3, §7.3, §6.5; here all in one frame, with world axes,
//!   at the root. That the recursion of articulated bodies is that factorisation: G. Rodriguez, A. Jain and K. Kreutz-Delgado,
//!   The International Journal of Robotics Research 10(4), 1991.
//! - Implicit springs and servos in M + dt·D + dt²·K: J. Tan, K. Liu and G. Turk, IEEE Computer Graphics and Applications 31(4),
//!   2011.
//! - Contacts as a convex problem with lagged friction bounds, and the proximal iteration: see `constraints/mod.rs`.
//! - Impacts, loops and joints are one solve, so that restitution passes through joints.

mod advance;
mod build_problem;
mod by_island;
mod closure;
mod closure_rows;
mod constraints;
mod contact;
mod correct;
mod cut;
mod drive;
mod dynamics;
mod exact;
mod factor;
mod index;
mod integration;
mod islands;
mod kinematics;
mod lanes;
mod law_errors;
mod law_residuals;
mod of_body;
mod pair;
mod parameters;
mod readings;
mod removal;
mod rest;
mod rows;
mod setting;
mod solve_island;
mod solver;
mod spatial;
mod state;
mod system;
mod worker;

#[cfg(test)]
mod tests;

pub use closure::{Anchor, Closure};
pub use contact::Contact;
pub use cut::cut_points;
pub use drive::Drive;
pub use index::{ClosureIndex, CoordinateIndex, PartIndex, TreeIndex};
pub use law_errors::{LawError, LawErrors};
pub use law_residuals::LawResiduals;
pub use of_body::{CompiledBody, RootMotion};
pub use parameters::{Integrator, Outcome, Parameters, Sinking, StepInput};
pub use readings::Readings;
pub use removal::Moved;
pub use solver::Solver;
pub use spatial::{Twist, Wrench};
pub use state::State;
pub use system::{Coordinate, JointMotion, Part, System};
