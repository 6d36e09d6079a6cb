use bunraku_body::LinkIndex;
use nalgebra::Matrix3;

/// A rotor that is coupled with both sides of its joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotor {
    /// Index among the simulated joints.
    pub joint: usize,
    /// At the joint, kg·m² or kg.
    pub inertia: f64,
    /// The share of it that rapier's bodies have.
    pub share: f64,
}

/// A part that rapier has with more inertia than the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeavierPart {
    pub part: usize,
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
