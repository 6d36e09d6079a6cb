//! What rotors between impulse joints do to the parts of a body; see [`crate::impulse::joints::rotors`].

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{Body, BodyState, JointIndex, JointKind, LinkIndex};
use nalgebra::Vector3;
use typed_index_collections::{TiSlice, TiVec, ti_vec};

use super::implicit::Accelerations;
use super::implicit::Moment;
use crate::model::index::{RigidPartIndex, SimulatedJointIndex};
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::from_vec3;

/// Adds to torques on parts (N·m, world axes) and to joint efforts what rotors do in a step, with predicted accelerations.
pub(super) fn couple(
    moment: &Moment<'_>,
    simulated: &SimulatedBody,
    accelerations: &Accelerations,
    set: &RigidBodySet,
    efforts: &mut TiSlice<SimulatedJointIndex, f64>,
    torques: &mut TiSlice<RigidPartIndex, Vector3<f64>>,
) {
    let rotors = &simulated.rotors;
    if rotors.coupled.is_empty() {
        return;
    }
    let Moment { body, state, .. } = moment;
    let spins = link_spins(body, state, &moment.root_twist.angular, simulated, accelerations);
    for rotor in &rotors.coupled {
        let joint = &simulated.joints[rotor.joint];
        if joint.kind != JointKind::Revolute {
            efforts[rotor.joint] -= rotor.inertia * accelerations.joints[joint.index];
            continue;
        }
        let axis = state.link_pose(joint.link).rotation * joint.axis;
        let about = |link: LinkIndex| axis * (rotor.inertia * axis.dot(&spins[link].acceleration));
        let (link, parent) = (about(joint.link), about(joint.parent));
        torques[simulated.links[joint.link].part] += parent - link * (1.0 - rotor.share);
        torques[simulated.links[joint.parent].part] += link - parent * (1.0 - rotor.share);
    }
    for heavier in &rotors.parts {
        let Some(part) = set.get(simulated.parts[heavier.part]) else { continue };
        let rotation = state.link_pose(heavier.carrier).rotation;
        // In the middle of the step, so that it is right to the second order.
        let velocity = from_vec3(part.angvel()) + spins[heavier.carrier].acceleration * (0.5 * moment.time_step);
        let local = rotation.inverse() * velocity;
        torques[heavier.part] -= rotation * local.cross(&(heavier.inertia * local));
    }
}

/// How a link turns, world axes.
#[derive(Clone, Copy, Debug)]
struct Spin {
    velocity: Vector3<f64>,
    acceleration: Vector3<f64>,
}

/// Of all links.
fn link_spins(
    body: &Body,
    state: &BodyState,
    root: &Vector3<f64>,
    simulated: &SimulatedBody,
    accelerations: &Accelerations,
) -> TiVec<LinkIndex, Spin> {
    let still = Spin { velocity: Vector3::zeros(), acceleration: Vector3::zeros() };
    let mut joints: TiVec<LinkIndex, Option<JointIndex>> = ti_vec![None; body.links().len()];
    for joint in simulated.joints.iter().filter(|joint| joint.kind == JointKind::Revolute) {
        joints[joint.link] = Some(joint.index);
    }
    let mut spins: TiVec<LinkIndex, Spin> = ti_vec![still; body.links().len()];
    for (index, link) in body.indexed_links() {
        spins[index] = match (link.parent, joints[index]) {
            (None, _) => Spin { velocity: *root, acceleration: accelerations.root.angular },
            (Some(_), _) if link.joint.kind == JointKind::Free => still,
            (Some(parent), None) => spins[parent],
            (Some(parent), Some(joint)) => {
                let above = spins[parent];
                let axis = link.joint.axis.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
                let axis = state.link_pose(index).rotation * axis;
                let turn = axis * state.velocity(joint);
                Spin {
                    velocity: above.velocity + turn,
                    acceleration: above.acceleration + axis * accelerations.joints[joint] + above.velocity.cross(&turn),
                }
            }
        };
    }
    spins
}
