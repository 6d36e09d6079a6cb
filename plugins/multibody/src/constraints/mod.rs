//! The constraints of an island as one convex problem.
//!
//! In the factor's own coordinates the velocities after the step are
//!
//! w⁺ = argmin ½·‖w − w*‖² + Σ φᵢ(J̃ᵢ·w),
//!
//! with w* the motion if no constraint acts, and one convex term for each contact normal, friction, end of a range, velocity
//! limit, dry friction, saturated servo and row of a closure. The derivative of a term is minus its impulse as a function of the
//! velocity along its row: see [`ContactTerm`](contact_term::ContactTerm), [`IntervalTerm`] and [`ServoTerm`].
//!
//! - [`unknowns`]: which unknowns, one block a tree.
//! - [`terms`]: the terms, and [`add_terms`]: what they are made of.
//! - [`problem`]: their values, gradients and Hessian.
//! - [`newton`]: Newton's method with line search.
//! - [`proximal`]: the iteration around it that makes soft terms hard.
//! - [`friction_bounds`]: how its friction bounds come to those of the loads.
//! - [`sweeps`]: where Newton's method begins.
//! - [`impacts`]: what bounces, before the rest.
//! - [`law_errors`]: what is left of the laws of contacts, limits and closures.
//! - [`corrections`]: velocities that take out depth and gaps.
//!
//! Sources: A. Castro, F. Permenter, X. Han, "An Unconstrained Convex Formulation of Compliant Contact", 2021; A. Castro, X. Han,
//! J. Masterjohn, "Irrotational Contact Fields", 2023; R. T. Rockafellar, "Augmented Lagrangians and Applications of the Proximal
//! Point Algorithm in Convex Programming", Mathematics of Operations Research 1(2), 1976.

mod add_terms;
mod best;
mod block_cholesky;
pub mod build_problem;
pub mod closure_rows;
mod contact_term;
mod corrections;
pub mod cut;
mod found;
mod friction_bounds;
mod impacts;
mod interval_term;
mod law_errors;
mod newton;
mod problem;
mod proximal;
mod servo_term;
mod sweeps;
mod targets;
mod terms;
mod unknowns;

pub use corrections::Correction;
pub use interval_term::Piece;
pub use problem::Problem;
pub use proximal::older;
pub use servo_term::ServoTerm;
pub use targets::{depth_speed, normal_target};
pub use terms::{Bound, CouplingRow, Hold};

use crate::dynamics::factor::{Factor, Structure};
use crate::dynamics::kinematics::Kinematics;
use crate::math::spatial::Twist;
use crate::model::parameters::Parameters;
use crate::model::system::System;

/// Regularisation ε: a term is as compliant as this share of its response. The proximal iteration takes the error off; its
/// rate is better the smaller this is, and the Hessian's condition is its reciprocal.
pub const REGULARISATION: f64 = 1e-4;

/// A response below this, 1/kg, is that of something that nothing moves.
pub const NO_RESPONSE: f64 = 1e-14;

/// Data that terms are built from.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    pub system: &'a System,
    pub structure: &'a Structure,
    pub kinematics: &'a Kinematics,
    pub factor: &'a Factor,
    /// Twists of the parts at the beginning of the step, prescribed velocities being those of the step.
    pub twists: &'a [Twist],
    pub parameters: &'a Parameters,
    pub time_step: f64,
}
