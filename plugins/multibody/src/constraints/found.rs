//! How a problem was solved.

use crate::model::law_errors::LawErrors;
use crate::model::parameters::Parameters;

/// How a problem was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// Newton iterations.
    pub iterations: usize,
    /// Proximal repeats.
    pub repeats: usize,
    /// Convex residual, m/s or rad/s.
    pub residual: f64,
    /// Remaining violation of the laws of hard constraints, m/s or rad/s.
    pub violation: f64,
    /// The same by law, with the constraints.
    pub errors: LawErrors,
    /// Whether contacts have nearly the impulses of the step before.
    pub is_unchanged: bool,
}

impl Found {
    /// Whether the laws are met.
    pub fn is_solved(&self, parameters: &Parameters) -> bool {
        self.violation.max(self.residual) <= parameters.tolerance
    }

    /// Adds a solve before or after this one in the same step.
    pub fn add(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.residual = self.residual.max(other.residual);
        self.violation = self.violation.max(other.violation);
        self.errors.add(&other.errors);
    }
}
