//! Articulated bodies in generalized coordinates, in double precision: our own solver.
//!
//! A body is a tree of rigid parts in the coordinates of its joints, so that joints cannot separate. One step is
//!
//! 1. [`Solver::begin`]: half of the drift, with the velocities of the step before. Contacts are detected at the poses that this leads
//!    to, in the middle of the step;
//! 2. [`Solver::finish`]: forces, one convex problem for all contacts, closures, limits and servos of an island (`constraints/mod.rs`), and the
//!    other half of the drift.
//!
//! The rooms: `model` (parts, joints, closures, drives and their state), `dynamics` (trees without constraints), `constraints` (the convex
//! problem of an island), `step` (islands on threads, the order of a step, readings), and `math`.
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

// Sines and the like are those of `libm`, so that results have the same bits everywhere.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod constraints;
mod dynamics;
mod math;
mod model;
mod step;

#[cfg(test)]
mod tests;

pub use constraints::cut::cut_points;
pub use math::spatial::{Twist, Wrench};
pub use model::closure::{Anchor, Closure};
pub use model::contact::Contact;
pub use model::coupling::Polynomial;
pub use model::drive::Drive;
pub use model::index::{ClosureIndex, CoordinateIndex, PartIndex, TreeIndex};
pub use model::law_errors::{LawError, LawErrors};
pub use model::of_body::{CompiledBody, RootMotion};
pub use model::parameters::{Integrator, Outcome, Parameters, Sinking, StepInput};
pub use model::removal::Moved;
pub use model::state::State;
pub use model::system::{Coordinate, JointMotion, Part, System};
pub use step::law_residuals::LawResiduals;
pub use step::readings::Readings;
pub use step::solver::Solver;
