//! The rotors of motors between impulse joints.
//!
//! A rotor of equivalent inertia J resists the acceleration q̈ of its joint: −J·q̈ on the link and +J·q̈ on the parent, where
//! q̈ = a·(ω̇ − ω̇ᵖ) for a joint that turns about a. Rapier's bodies know nothing of each other's accelerations, and forces
//! that follow accelerations are unstable as soon as J outweighs the link. So each side is made heavier by κ·J·a·aᵀ, and what
//! is left comes as a torque, J·a·a·(ω̇ᵖ − (1 − κ)·ω̇) on the link and the mirror image of it on the parent, with
//! accelerations that are predicted before the step (`actuation::implicit`).
//!
//! What the prediction misses, contacts and stops above all, is felt in the next steps. With D the inertia that rapier has
//! and M the true one, an error e of the force from outside becomes (1 − D⁻¹·M)·e, whatever the servos do, and with a low-pass gain φ
//! of the estimate of that force (1 − φ·D⁻¹·M)·e. D⁻¹·M lies between 0 and 2/κ: errors die away for every J
//! while φ < κ. Where rotors are many times heavier than links, it takes some J/I steps.
//!
//! The added inertia does not belong to the model, and must not act like a gyroscope: the torque −ω × I·ω of the parts that
//! have some is ours, with the inertia of the model.

use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bunraku_body::{Body, JointKind, JointSlot, LinkIndex};
use nalgebra::{Matrix3, Vector3};
use typed_index_collections::{TiSlice, TiVec, ti_vec};

use crate::model::index::{RigidPartIndex, SimulatedJointIndex};
use crate::model::rigid_parts::RigidParts;
use crate::model::rotors::{HeavierPart, Rotor, Rotors};
use crate::model::simulated_body::SimulatedJoint;

impl Rotors {
    /// The rotors of a body whose joints are simulated as `joints`; from now on rapier leaves the gyroscopic torques of the
    /// parts that they make heavier to us.
    pub fn new(
        body: &Body,
        joints: &TiSlice<SimulatedJointIndex, SimulatedJoint>,
        (parts, handles): (&RigidParts, &TiSlice<RigidPartIndex, RigidBodyHandle>),
        set: &mut RigidBodySet,
    ) -> Self {
        let is_coupled = coupled_links(body);
        let coupled = joints.iter_enumerated().filter(|(_, joint)| is_coupled[joint.link]);
        let coupled = coupled.map(|(index, joint)| Rotor {
            joint: index,
            inertia: body.link(joint.link).joint.equivalent_rotor_inertia,
            share: share(body, parts, joint.parent),
        });
        let coupled: Vec<_> = coupled.collect();
        if coupled.is_empty() {
            return Self::default();
        }
        let mut heavier = Vec::new();
        for ((index, part), added) in parts.parts.iter_enumerated().zip(added_inertias(body, parts)) {
            if added != Matrix3::zeros()
                && let Some(rigid_body) = handles.get(index).and_then(|&handle| set.get_mut(handle))
                && rigid_body.is_dynamic()
            {
                rigid_body.enable_gyroscopic_forces(false);
                let inertia = (part.mass.inertia + part.mass.inertia.transpose()) / 2.0;
                heavier.push(HeavierPart { part: index, carrier: part.carrier, inertia });
            }
        }
        Self { coupled, parts: heavier }
    }
}

/// Inertia that rotors add to each part of a body, part axes, kg·m².
pub(crate) fn added_inertias(body: &Body, parts: &RigidParts) -> TiVec<RigidPartIndex, Matrix3<f64>> {
    let mut added: TiVec<RigidPartIndex, _> = ti_vec![Matrix3::zeros(); parts.parts.len()];
    let is_coupled = coupled_links(body);
    for (index, link) in body.indexed_links() {
        let joint = &link.joint;
        let (JointKind::Revolute, Some(parent), Some(axis)) = (joint.kind, link.parent, joint.axis.try_normalize(0.0))
        else {
            continue;
        };
        let mut add = |part: RigidPartIndex, axis: Vector3<f64>, share: f64| {
            added[part] += share * joint.equivalent_rotor_inertia * axis * axis.transpose();
        };
        let part = parts.links[index].part;
        if is_coupled[index] {
            let share = share(body, parts, parent);
            let parent = &parts.links[parent];
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
    if body.is_fixed() && parts.links[parent].part == RigidPartIndex::ROOT { 1.0 } else { SHARE }
}

/// Which links have a rotor that is coupled with both sides of its joint: those whose pose the model can tell from the root
/// and the joint vector. Any other rotor turns with its link.
fn coupled_links(body: &Body) -> TiVec<LinkIndex, bool> {
    let mut has_index: TiVec<LinkIndex, bool> = ti_vec![false; body.links().len()];
    for slot in body.joints() {
        if let JointSlot::Link(link) = *slot {
            has_index[link] = true;
        }
    }
    let mut is_known: TiVec<LinkIndex, bool> = TiVec::with_capacity(has_index.len());
    for (link, has_index) in body.links().iter().zip(&has_index) {
        let moves_as_known = match link.joint.kind {
            JointKind::Fixed | JointKind::PseudoContinuousTrack => true,
            JointKind::Free => false,
            JointKind::Revolute | JointKind::Prismatic => *has_index,
        };
        is_known.push(link.parent.is_none_or(|parent| is_known[parent] && moves_as_known));
    }
    let has_rotor = body.links().iter().map(|link| link.parent.is_some() && link.joint.equivalent_rotor_inertia > 0.0);
    has_rotor.zip(is_known).map(|(has_rotor, is_known)| has_rotor && is_known).collect()
}
