use bevy::prelude::*;
use bunraku_body::Body;

/// Gains of one joint.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct Gains {
    /// Effort per displacement error, N·m/rad or N/m, not negative.
    pub proportional: f64,
    /// Effort per velocity error, N·m·s/rad or N·s/m, not negative.
    pub derivative: f64,
}

/// Why gains do not fit a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are {found} pairs of gains for {expected} joints")]
pub struct GainsError {
    /// Gains given.
    pub found: usize,
    /// Number of joints of the body.
    pub expected: usize,
}

/// Gains of a controller that commands efforts; a component of the body entity. Physics uses them only in the message of a run that diverges.
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(Component)]
pub struct EffortGains(Vec<Gains>);

impl EffortGains {
    /// One pair for each joint of `body`, in joint order.
    ///
    /// # Errors
    /// If the number of gains is not that of the joints.
    pub fn new(body: &Body, gains: Vec<Gains>) -> Result<Self, GainsError> {
        if gains.len() != body.num_joints() {
            return Err(GainsError { found: gains.len(), expected: body.num_joints() });
        }
        Ok(Self(gains))
    }

    /// In joint order.
    pub fn as_slice(&self) -> &[Gains] {
        &self.0
    }
}
