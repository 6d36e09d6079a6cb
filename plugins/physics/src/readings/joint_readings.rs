//! Efforts and reactions of joints.

use bevy::prelude::*;
use bunraku_body::dynamics::Wrench;
use serde::{Deserialize, Serialize};

use super::link_motions::LinkMotions;

/// Accelerations, efforts and reactions of the joints of a body, measured after each step; a component of the body entity.
///
/// All figures are means over the last step. They are zero before the first step with this component, and for bodies that are not
/// dynamic.
///
/// With [`JointSolver::Impulse`](crate::JointSolver::Impulse) they are measured from the velocities of the links before and after the step. Gravity,
/// contact forces and external forces are known, and the rest has come through the joints of the tree. Where a step has several substeps
/// (`iterations` above 1), rapier keeps friction of the last substep only: exact while it is steady, off by some per cent of the largest force
/// in an impact. Rapier does not report the mean forces of extra joints: a body with some has no efforts and reactions, which is a warning.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
#[require(LinkMotions)]
pub struct JointReadings {
    pub(crate) accelerations: Vec<f64>,
    pub(crate) efforts: Vec<f64>,
    pub(crate) works: Vec<f64>,
    // Types of nalgebra do not reflect.
    #[reflect(ignore)]
    pub(crate) reactions: Vec<Wrench>,
    /// Joint velocities before a step of rapier.
    pub(crate) before: Vec<f64>,
}

impl JointReadings {
    /// Acceleration of each joint, rad/s² or m/s², joint order: the change of its velocity over the step.
    pub fn accelerations(&self) -> &[f64] {
        &self.accelerations
    }

    /// Effort at each joint along its axis, N·m or N, joint order; positive on the link along positive displacement,
    /// opposite on the parent. It is the sum of motor, springs, damping, friction and stops, with the share that accelerates the rotor.
    pub fn efforts(&self) -> &[f64] {
        &self.efforts
    }

    /// Work of each joint's effort in the step, J, joint order: positive if it adds energy. A step that turns links too far is taken in parts; the
    /// work is then the sum over them, which the mean effort times the mean velocity is not.
    pub fn works(&self) -> &[f64] {
        &self.works
    }

    /// Wrench of the parent on each link through the joint between them, link order: force, N, and torque about the link origin, N·m,
    /// world axes. For the root it is the wrench of the ground on a fixed root, and zero for a free one.
    ///
    /// The effort of the joint is part of it. Links fixed to their parents have a reaction like any other.
    pub fn reactions(&self) -> &[Wrench] {
        &self.reactions
    }
}
