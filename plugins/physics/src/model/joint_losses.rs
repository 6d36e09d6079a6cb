use bevy::prelude::*;
use bunraku_body::JointIndex;

/// Viscous damping and dry friction of the joints of a body; a component of the body entity.
///
/// Both are implicit and stable at any value. They act beside the motor, whose effort range does not bound them. Prescribed joints and
/// tracks have neither. With [`JointSolver::Impulse`](crate::JointSolver::Impulse) damping is that of rapier's motor, and dry friction is ignored.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component)]
pub struct JointLosses {
    /// Effort per velocity, N·m·s/rad or N·s/m, not negative, in joint order; missing ones are 0.
    pub damping: Vec<f64>,
    /// Coulomb friction: the largest effort against the motion, N·m or N, not negative, in joint order; missing ones are 0.
    pub friction: Vec<f64>,
}

impl JointLosses {
    /// Damping and friction of a joint; NaN counts as zero.
    pub(crate) fn of(&self, JointIndex(index): JointIndex) -> [f64; 2] {
        [&self.damping, &self.friction].map(|values| values.get(index).copied().unwrap_or(0.0).max(0.0))
    }
}
