use bevy::prelude::*;
use bunraku_body::JointIndex;

/// Passive springs of the joints of a body; a component of the body entity.
///
/// They are implicit and stable at any value, and act beside the motor, whose effort range does not bound them. Prescribed joints and
/// tracks have none. [`JointSolver::Impulse`](crate::JointSolver::Impulse) ignores them.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component)]
pub struct JointSprings {
    /// Effort per displacement, N·m/rad or N/m, not negative, in joint order; missing ones are 0.
    pub stiffness: Vec<f64>,
    /// Displacements at which springs are slack, rad or m, in joint order; missing ones are 0.
    pub rest: Vec<f64>,
}

impl JointSprings {
    /// Stiffness and rest displacement of a joint; NaN counts as zero.
    pub(crate) fn of(&self, JointIndex(index): JointIndex) -> [f64; 2] {
        let stiffness = self.stiffness.get(index).copied().unwrap_or(0.0).max(0.0);
        [stiffness, self.rest.get(index).copied().filter(|rest| rest.is_finite()).unwrap_or(0.0)]
    }
}
