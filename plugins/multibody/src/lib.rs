//! Articulated bodies in generalized coordinates, in double precision: our own solver.
//!
//! A body is a tree of rigid parts in the coordinates of its joints, so that joints cannot part. One step is
//!
//! 1. [`Solver::begin`]: half of the drift, with the velocities of the step before. What is asked about the world, contacts
//!    above all, is asked about the poses that this leads to, in the middle of the step;
//! 2. [`Solver::finish`]: forces, one solve for everything that touches, closes a loop or ends a range, and the other half.
//!
//! That is the leapfrog: semi-implicit Euler's method, with positions told where they are abreast of the velocities.
//!
//! # What was taken from where
//!
//! - Recursive Newton–Euler, articulated bodies and the factorisation M = LᵀDL that keeps the branches of the tree apart: R.
//!   Featherstone, *Rigid Body Dynamics Algorithms* (Springer, 2008), §5.3, §7.3, §6.5; here all in one frame, with world axes,
//!   at the root. That the recursion of articulated bodies is that factorisation: G. Rodriguez, A. Jain and K. Kreutz-Delgado,
//!   The International Journal of Robotics Research 10(4), 1991.
//! - Implicit springs and servos in M + dt·D + dt²·K: J. Tan, K. Liu and G. Turk, IEEE Computer Graphics and Applications 31(4),
//!   2011.
//! - Constraints at velocity level by projected Gauss–Seidel, contact by contact with Coulomb's cone: J. J. Moreau and M. Jean's
//!   contact dynamics. In the factor's own coordinates, √D·L·v, a row times a row is an entry of the Delassus matrix, so that
//!   none is ever built: a sweep costs the same per contact however many there are.
//! - From one sweep to the next along conjugate directions: M. Silcowitz-Hansen, S. Niebe and K. Erleben, The Visual Computer 26,
//!   2010. Friction at its bound as a trust region: J. J. Moré and D. C. Sorensen, SIAM Journal on Scientific and Statistical
//!   Computing 4(3), 1983.
//! - Impacts, loops and joints are one solve, so that restitution passes through joints.

mod advance;
mod closure;
mod closure_rows;
mod constraints;
mod contact;
mod contact_block;
mod coordinate_row;
mod coordinate_rows;
mod corrections;
mod coupled;
mod cut;
mod descent;
mod drive;
mod dynamics;
mod equalities;
mod even_out;
mod exact;
mod factor;
mod hold;
mod impacts;
mod index;
mod integration;
mod islands;
mod kinematics;
mod lanes;
mod normals;
mod of_body;
mod pair;
mod parameters;
mod patch;
mod readings;
mod removal;
mod rest;
mod rows;
mod setting;
mod solve_island;
mod solver;
mod spatial;
mod state;
mod sticking;
mod system;
mod tangents;
mod together;
mod worker;

#[cfg(test)]
mod tests;

pub use closure::{Anchor, Closure};
pub use contact::Contact;
pub use cut::cut_points;
pub use drive::Drive;
pub use index::{ClosureIndex, CoordinateIndex, PartIndex, TreeIndex};
pub use of_body::{CompiledBody, RootMotion};
pub use parameters::{Integrator, Outcome, Parameters, Sinking, StepInput};
pub use readings::Readings;
pub use removal::Moved;
pub use solver::Solver;
pub use spatial::{Twist, Wrench};
pub use state::State;
pub use system::{Coordinate, JointMotion, Part, System};
