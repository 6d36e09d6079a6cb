//! Commands of controllers to the joints of a body.

#![expect(clippy::indexing_slicing, reason = "commands have an entry for each joint of their body")]

use std::ops::{Index, IndexMut};

use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{ActuationMode, Body, BodyState, Joint, JointIndex};

/// Commanded joint efforts, N·m or N, in joint order; positive along the joint axis on the link and opposite on its
/// parent. They remain in effect until they are overwritten.
///
/// If [`JointActuation`] selects a servo, the effort is added to that of the servo. For [`Actuation::None`] it has no
/// effect.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct JointEfforts(pub Vec<f64>);

impl Index<JointIndex> for JointEfforts {
    type Output = f64;

    fn index(&self, joint: JointIndex) -> &f64 {
        &self.0[joint.0]
    }
}

impl IndexMut<JointIndex> for JointEfforts {
    fn index_mut(&mut self, joint: JointIndex) -> &mut f64 {
        &mut self.0[joint.0]
    }
}

/// Targets of the servos of a body at the end of the next step, in joint order. They remain in effect until they are
/// overwritten.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct JointTargets {
    /// Displacements, rad or m; for joints with [`Actuation::Displacement`] or [`Actuation::PrescribedDisplacement`].
    pub displacements: Vec<f64>,
    /// Velocities, rad/s or m/s, for joints with [`Actuation::Velocity`] or [`Actuation::PrescribedVelocity`]. For
    /// [`Actuation::Displacement`] they are the reference of the damping. For a pseudo continuous track, with any
    /// actuation, it is the speed of the surface, m/s: with the axis along +Y and a positive speed the vehicle drives
    /// towards +X.
    pub velocities: Vec<f64>,
}

impl JointTargets {
    /// Targets that hold the joints at the displacements of `state`.
    pub fn holding(state: &BodyState) -> Self {
        Self { displacements: state.displacements.clone(), velocities: vec![0.0; state.displacements.len()] }
    }
}

/// Actuation of a joint.
///
/// Efforts, including those of servos, are clamped to the joint's effort range. The reference of a servo moves within
/// the velocity range; the motion of the joint itself follows from the forces on it.
///
/// A prescribed joint ignores ranges: its motion is enforced with any effort, and the reaction acts on its parent. If
/// prescribed joints are in contact, prescribe them before the simulation starts: physics then enforces them exactly,
/// and later it may not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Reflect)]
pub enum Actuation {
    /// No actuation: the joint moves freely.
    None,
    /// The commanded effort.
    #[default]
    Effort,
    /// Servo that holds the joint at its target like a spring and a damper: stiffness·(target − displacement) +
    /// damping·(target velocity − velocity), plus the commanded effort.
    Displacement {
        /// N·m/rad or N/m, not negative.
        stiffness: f64,
        /// N·m·s/rad or N·s/m, not negative.
        damping: f64,
    },
    /// Servo that keeps the joint at its target velocity: damping·(target velocity − velocity), plus the commanded
    /// effort.
    Velocity {
        /// N·m·s/rad or N·s/m, not negative.
        damping: f64,
    },
    /// Prescribed displacement: at the end of each step the joint is at its target displacement, reached at constant
    /// speed, with any effort and beyond any range. Choreonoid's actuation mode "joint displacement".
    PrescribedDisplacement,
    /// Prescribed velocity: the joint moves at its target velocity, with any effort and beyond any range. Choreonoid's
    /// actuation mode "joint velocity".
    PrescribedVelocity,
}

impl Actuation {
    /// Whether the motion of the joint is prescribed.
    pub fn is_prescribed(self) -> bool {
        matches!(self, Self::PrescribedDisplacement | Self::PrescribedVelocity)
    }

    /// Actuation for the `actuation_mode` of a model. [`Actuation::Effort`] without a mode, or if the mode does not
    /// apply to joints.
    pub fn of_mode(mode: Option<ActuationMode>) -> Self {
        match mode {
            Some(ActuationMode::JointDisplacement) => Self::PrescribedDisplacement,
            Some(ActuationMode::JointVelocity) => Self::PrescribedVelocity,
            Some(ActuationMode::JointEffort | ActuationMode::LinkPosition) | None => Self::Effort,
        }
    }
}

/// Actuation of each joint of a body, in joint order. It may change at any time. Joints without an entry are actuated
/// by effort.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct JointActuation(pub Vec<Actuation>);

impl Index<JointIndex> for JointActuation {
    type Output = Actuation;

    fn index(&self, joint: JointIndex) -> &Actuation {
        &self.0[joint.0]
    }
}

impl IndexMut<JointIndex> for JointActuation {
    fn index_mut(&mut self, joint: JointIndex) -> &mut Actuation {
        &mut self.0[joint.0]
    }
}

impl JointActuation {
    /// The same actuation for all joints.
    pub fn all(body: &Body, actuation: Actuation) -> Self {
        Self(vec![actuation; body.num_joints()])
    }

    /// The actuation given by the `actuation_mode` of each joint of the model.
    pub fn of_model(body: &Body) -> Self {
        let joints = (0..body.num_joints()).map(|joint| body.joint(JointIndex(joint)));
        let mode = |joint: &Joint| joint.actuation_mode.filter(|_| joint.kind.has_displacement());
        Self(joints.map(|joint| Actuation::of_mode(joint.and_then(mode))).collect())
    }
}
