//! What controllers command at the joints of a body.

use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{ActuationMode, Body, BodyState, Joint, JointIndex};

/// Efforts that controllers command at the joints, N·m or N, in joint order; positive along the joint axis on the link
/// and opposite on its parent. They stay until they are overwritten.
///
/// Where [`JointActuation`] has a servo the effort is added to the servo's own; where it has nothing, it does nothing.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct JointEfforts(pub Vec<f64>);

/// Where the servos of a body are to have the joints at the end of the coming step, in joint order. They stay until they
/// are overwritten.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct JointTargets {
    /// Displacements, rad or m; for joints with [`Actuation::Displacement`] or [`Actuation::PrescribedDisplacement`].
    pub displacements: Vec<f64>,
    /// Velocities, rad/s or m/s; for joints with [`Actuation::Velocity`] or [`Actuation::PrescribedVelocity`], and those
    /// with [`Actuation::Displacement`] are damped against them. Of a pseudo continuous track, however it is actuated, it is the speed of
    /// the surface, m/s: with the axis along +Y and a positive speed the vehicle drives towards +X.
    pub velocities: Vec<f64>,
}

impl JointTargets {
    /// To stay where `state` has the joints.
    pub fn holding(state: &BodyState) -> Self {
        Self { displacements: state.displacements.clone(), velocities: vec![0.0; state.displacements.len()] }
    }
}

/// How a joint is actuated.
///
/// Efforts, those of servos too, stay within the joint's effort range, and the reference of a servo moves within the velocity range; what
/// the joint then does is up to the forces on it. A prescribed joint knows no ranges: it is moved whatever that takes, and what it takes acts on its parent. Prescribe joints before the simulation starts where they meet
/// contacts: then physics holds them exactly, and later it may not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Reflect)]
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
    /// Its displacement is dictated: at the end of each step the joint is at its target displacement, reached at a steady
    /// speed, with any effort and beyond any range. What Choreonoid calls the actuation mode "joint displacement".
    PrescribedDisplacement,
    /// Its velocity is dictated: it moves at its target velocity, with any effort and beyond any range. What Choreonoid
    /// calls the actuation mode "joint velocity".
    PrescribedVelocity,
}

impl Actuation {
    /// Whether the motion of the joint is dictated.
    pub fn is_prescribed(self) -> bool {
        matches!(self, Self::PrescribedDisplacement | Self::PrescribedVelocity)
    }

    /// What the `actuation_mode` of a model asks of a joint; by effort if it does not say, or says something that is no
    /// matter of a joint.
    pub fn of_mode(mode: Option<ActuationMode>) -> Self {
        match mode {
            Some(ActuationMode::JointDisplacement) => Self::PrescribedDisplacement,
            Some(ActuationMode::JointVelocity) => Self::PrescribedVelocity,
            Some(ActuationMode::JointEffort | ActuationMode::LinkPosition) | None => Self::Effort,
        }
    }
}

/// How each joint of a body is actuated, in joint order. It may change at any time; joints it has no entry for are
/// actuated by effort.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct JointActuation(pub Vec<Actuation>);

impl JointActuation {
    /// All joints alike.
    pub fn all(body: &Body, actuation: Actuation) -> Self {
        Self(vec![actuation; body.num_joints()])
    }

    /// As the `actuation_mode` of each joint of the model says.
    pub fn of_model(body: &Body) -> Self {
        let joints = (0..body.num_joints()).map(|joint| body.joint(JointIndex(joint)));
        let mode = |joint: &Joint| joint.actuation_mode.filter(|_| joint.kind.has_displacement());
        Self(joints.map(|joint| Actuation::of_mode(joint.and_then(mode))).collect())
    }
}
