use bevy::prelude::*;

/// What brakes the joints of a body by itself: viscous damping and dry friction. Put it on a body entity.
///
/// Both are computed implicitly, so that they are stable at any value: damping belongs to the velocity at the end of the step, and dry
/// friction does what brings the joint to rest, up to its limit. They act beside the motor, whose effort range does not bound
/// them. A joint whose motion is prescribed, and a track, have neither. With [`JointSolver::Impulse`](crate::JointSolver::Impulse) damping
/// is damping of rapier's motor, and there is no dry friction.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component)]
pub struct JointLosses {
    /// Effort per velocity, N·m·s/rad or N·s/m, not negative, in joint order; missing ones are 0.
    pub damping: Vec<f64>,
    /// Coulomb friction: the largest effort against the motion, N·m or N, not negative, in joint order; missing ones are 0.
    pub friction: Vec<f64>,
}
