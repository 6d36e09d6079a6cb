//! Twists and accelerations of links.

use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use serde::{Deserialize, Serialize};

/// Twists and accelerations of the links of a body, measured after each step; a component of the body entity.
///
/// They are empty before the first step with this component, and zero for bodies that are not dynamic.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct LinkMotions {
    // Types of nalgebra do not reflect.
    #[reflect(ignore)]
    pub(crate) twists: Vec<Twist>,
    #[reflect(ignore)]
    pub(crate) accelerations: Vec<Twist>,
    /// Twists before a step of rapier.
    #[reflect(ignore)]
    pub(crate) before: Vec<Twist>,
}

impl LinkMotions {
    /// Twist of each link at the end of the step, link order: velocity of the link origin, m/s, and angular velocity, rad/s,
    /// world axes.
    pub fn twists(&self) -> &[Twist] {
        &self.twists
    }

    /// Acceleration of each link, link order: of the link origin (m/s², without gravity, so that a link at rest has none)
    /// and angular (rad/s²), world axes: the change of its velocity over the step.
    pub fn accelerations(&self) -> &[Twist] {
        &self.accelerations
    }
}
