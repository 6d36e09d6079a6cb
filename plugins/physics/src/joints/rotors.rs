//! The rotors of motors between impulse joints.
//!
//! A rotor of equivalent inertia J resists the acceleration q̈ of its joint: −J·q̈ on the link and +J·q̈ on the parent, where
//! q̈ = a·(ω̇ − ω̇ᵖ) for a joint that turns about a. Rapier's bodies know nothing of each other's accelerations, and forces
//! that follow accelerations are unstable as soon as J outweighs the link. So each side is made heavier by κ·J·a·aᵀ, and what
//! is left comes as a torque, J·a·a·(ω̇ᵖ − (1 − κ)·ω̇) on the link and the mirror image of it on the parent, with
//! accelerations that are predicted before the step (`actuation::implicit`).
//!
//! What the prediction misses, contacts and stops above all, is felt in the next steps. With D the inertia that rapier has
//! and M the true one, an error e of the force from outside becomes (1 − D⁻¹·M)·e, whatever the servos do, and with a share φ
//! of the last step in the guess of that force (1 − φ·D⁻¹·M)·e. D⁻¹·M lies between 0 and 2/κ: errors die away for every J
//! while φ < κ. Where rotors are many times heavier than links, it takes some J/I steps.
//!
//! The added inertia does not belong to the model, and must not act like a gyroscope: the torque −ω × I·ω of the parts that
//! have some is ours, with the inertia of the model.

use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bunraku_body::{Body, JointKind, JointSlot, LinkIndex};
use nalgebra::{Matrix3, Vector3};

use super::{JointHandle, JointSolver, SimulatedJoint};
use crate::rigid_parts::RigidParts;

/// A rotor that is coupled with both sides of its joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rotor {
    /// Place among the simulated joints.
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

impl Rotors {
    /// The rotors of a body whose joints are simulated as `joints`; from now on rapier leaves the gyroscopic torques of the
    /// parts that they make heavier to us.
    pub fn new(
        solver: JointSolver,
        body: &Body,
        joints: &[SimulatedJoint],
        (parts, handles): (&RigidParts, &[RigidBodyHandle]),
        set: &mut RigidBodySet,
    ) -> Self {
        let coupled = joints
            .iter()
            .enumerate()
            .filter(|(_, joint)| matches!(joint.handle, JointHandle::Impulse(_)) && is_coupled(body, joint.link));
        let coupled = coupled.map(|(place, joint)| Rotor {
            joint: place,
            inertia: body.link(joint.link).joint.equivalent_rotor_inertia,
            share: share(body, parts, joint.parent),
        });
        let mut heavier = Vec::new();
        for (place, (part, added)) in parts.parts.iter().zip(added_inertias(solver, body, parts)).enumerate() {
            if added != Matrix3::zeros()
                && let Some(rigid_body) = handles.get(place).and_then(|&handle| set.get_mut(handle))
                && rigid_body.is_dynamic()
            {
                rigid_body.enable_gyroscopic_forces(false);
                let inertia = (part.mass.inertia + part.mass.inertia.transpose()) / 2.0;
                heavier.push(HeavierPart { part: place, carrier: part.carrier, inertia });
            }
        }
        Self { coupled: coupled.collect(), parts: heavier }
    }
}

/// Inertia that rotors add to each part of a body, part axes, kg·m².
pub(crate) fn added_inertias(solver: JointSolver, body: &Body, parts: &RigidParts) -> Vec<Matrix3<f64>> {
    let mut added = vec![Matrix3::zeros(); parts.parts.len()];
    for (index, link) in body.indexed_links() {
        let joint = &link.joint;
        let (JointKind::Revolute, Some(parent), Some(axis)) = (joint.kind, link.parent, joint.axis.try_normalize(0.0))
        else {
            continue;
        };
        // A multibody has the rotors of its joints itself.
        if solver.of_link(body, index) == JointSolver::Multibody {
            continue;
        }
        let mut add = |part: usize, axis: Vector3<f64>, share: f64| {
            added[part] += share * joint.equivalent_rotor_inertia * axis * axis.transpose();
        };
        let part = parts.links[index.0].part;
        if is_coupled(body, index) {
            let share = share(body, parts, parent);
            let parent = &parts.links[parent.0];
            // The axis stays where it is in both.
            add(part, axis, share);
            add(parent.part, parent.pose.rotation * link.offset.rotation * axis, share);
        } else {
            add(part, axis, 1.0);
        }
    }
    added
}

/// κ, the share of a rotor that is inertia of both sides.
///
/// A leg whose rotors have thirty times the inertia of its shank, dropped from 0.1 m, is thrown up again with 1, stands with
/// 0.6 to 0.8, hums with 0.5, and flies apart with 0.25, as it must.
const SHARE: f64 = 0.7;

/// The share of a rotor that is inertia of both sides; all of it if the parent cannot move, which is exact.
fn share(body: &Body, parts: &RigidParts, parent: LinkIndex) -> f64 {
    if body.is_fixed() && parts.links[parent.0].part == 0 { 1.0 } else { SHARE }
}

/// Whether the rotor of a joint is coupled with both of its sides: if the model can tell what they do. Otherwise all of the
/// rotor turns with the link.
fn is_coupled(body: &Body, link: LinkIndex) -> bool {
    if body.link(link).joint.equivalent_rotor_inertia <= 0.0 {
        return false;
    }
    let mut at = link;
    while let Some(parent) = body.link(at).parent {
        let is_known = match body.link(at).joint.kind {
            JointKind::Fixed | JointKind::PseudoContinuousTrack => true,
            JointKind::Free => false,
            JointKind::Revolute | JointKind::Prismatic => body.joints().contains(&JointSlot::Link(at)),
        };
        if !is_known {
            return false;
        }
        at = parent;
    }
    true
}
