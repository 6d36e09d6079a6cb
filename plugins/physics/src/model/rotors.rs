use bunraku_body::LinkIndex;
use nalgebra::Matrix3;

use crate::model::index::{RigidPartIndex, SimulatedJointIndex};

/// A rotor that is coupled with both sides of its joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotor {
    pub joint: SimulatedJointIndex,
    /// At the joint, kg·m² or kg.
    pub inertia: f64,
    /// The share of it that rapier's bodies have.
    pub share: f64,
}

/// A part that rapier has with more inertia than the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeavierPart {
    pub part: RigidPartIndex,
    pub carrier: LinkIndex,
    /// Of the model, about the centre of mass, part axes, kg·m².
    pub inertia: Matrix3<f64>,
}

/// The rotors of a body that is held together by impulse joints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rotors {
    pub coupled: Vec<Rotor>,
    pub parts: Vec<HeavierPart>,
}
