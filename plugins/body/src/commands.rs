//! What controllers command at the joints of a body.

use bevy::prelude::*;

use crate::{Body, BodyState};

/// Efforts that controllers command at the joints, N·m or N, in joint order; positive along the joint axis on the link
/// and opposite on its parent. They stay until they are overwritten.
///
/// Where [`JointActuation`] has a servo the effort is added to the servo's own; where it has nothing, it does nothing.
#[derive(Component, Clone, Debug, PartialEq)]
pub struct JointEfforts(pub Vec<f64>);

/// Where the servos of a body are to have the joints at the end of the coming step, in joint order. They stay until they
/// are overwritten.
#[derive(Component, Clone, Debug, PartialEq)]
pub struct JointTargets {
    /// Displacements, rad or m; for joints with [`Actuation::Displacement`].
    pub displacements: Vec<f64>,
    /// Velocities, rad/s or m/s; for joints with [`Actuation::Velocity`], and those with [`Actuation::Displacement`] are
    /// damped against them.
    pub velocities: Vec<f64>,
}

impl JointTargets {
    /// To stay where `state` has the joints.
    pub fn holding(state: &BodyState) -> Self {
        Self { displacements: state.displacements.clone(), velocities: vec![0.0; state.displacements.len()] }
    }
}

/// How a joint is actuated. Whatever the way, the effort stays within the joint's effort range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Actuation {
    /// Not at all: the joint swings freely.
    None,
    /// By the effort commanded.
    #[default]
    Effort,
    /// By a servo that holds the joint at its target like a spring and a damper:
    /// stiffness·(target − displacement) + damping·(target velocity − velocity), plus the effort commanded.
    Displacement {
        /// N·m/rad or N/m, not negative.
        stiffness: f64,
        /// N·m·s/rad or N·s/m, not negative.
        damping: f64,
    },
    /// By a servo that keeps the joint at its target velocity: damping·(target velocity − velocity), plus the effort
    /// commanded.
    Velocity {
        /// N·m·s/rad or N·s/m, not negative.
        damping: f64,
    },
}

/// How each joint of a body is actuated, in joint order. It may change at any time; joints it has no place for are
/// actuated by effort.
#[derive(Component, Clone, Debug, PartialEq)]
pub struct JointActuation(pub Vec<Actuation>);

impl JointActuation {
    /// All joints alike.
    pub fn all(body: &Body, actuation: Actuation) -> Self {
        Self(vec![actuation; body.num_joints()])
    }
}
