//! What rotors between impulse joints do to the parts of a body; see [`crate::impulse::joints::rotors`].

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{Body, BodyState, JointIndex, JointKind, LinkIndex};
use nalgebra::Vector3;

use super::implicit::Accelerations;
use super::implicit::Moment;
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::from_vec3;

/// Adds to torques on parts (N·m, world axes) and to joint efforts what rotors do in a step, with predicted accelerations.
pub(super) fn couple(
    moment: &Moment<'_>,
    simulated: &SimulatedBody,
    accelerations: &Accelerations,
    set: &RigidBodySet,
    efforts: &mut [f64],
    torques: &mut [Vector3<f64>],
) {
    let rotors = &simulated.rotors;
    if rotors.coupled.is_empty() {
        return;
    }
    let Moment { body, state, .. } = moment;
    let spins = link_spins(body, state, &moment.root_twist.angular, simulated, accelerations);
    for rotor in &rotors.coupled {
        let joint = &simulated.joints[rotor.joint.0];
        if joint.kind != JointKind::Revolute {
            efforts[rotor.joint.0] -= rotor.inertia * accelerations.joints[joint.index.0];
            continue;
        }
        let axis = state.link_poses[joint.link.0].rotation * joint.axis;
        let about = |link: LinkIndex| axis * (rotor.inertia * axis.dot(&spins[link.0].acceleration));
        let (link, parent) = (about(joint.link), about(joint.parent));
        torques[simulated.links[joint.link.0].part.0] += parent - link * (1.0 - rotor.share);
        torques[simulated.links[joint.parent.0].part.0] += link - parent * (1.0 - rotor.share);
    }
    for heavier in &rotors.parts {
        let Some(part) = set.get(simulated.parts[heavier.part.0]) else { continue };
        let rotation = state.link_poses[heavier.carrier.0].rotation;
        // In the middle of the step, so that it is right to the second order.
        let velocity = from_vec3(part.angvel()) + spins[heavier.carrier.0].acceleration * (0.5 * moment.time_step);
        let local = rotation.inverse() * velocity;
        torques[heavier.part.0] -= rotation * local.cross(&(heavier.inertia * local));
    }
}

/// How a link turns, world axes.
#[derive(Clone, Copy, Debug)]
struct Spin {
    velocity: Vector3<f64>,
    acceleration: Vector3<f64>,
}

/// Of all links, in link order.
fn link_spins(
    body: &Body,
    state: &BodyState,
    root: &Vector3<f64>,
    simulated: &SimulatedBody,
    accelerations: &Accelerations,
) -> Vec<Spin> {
    let still = Spin { velocity: Vector3::zeros(), acceleration: Vector3::zeros() };
    let mut joints: Vec<Option<JointIndex>> = vec![None; body.links().len()];
    for joint in simulated.joints.iter().filter(|joint| joint.kind == JointKind::Revolute) {
        joints[joint.link.0] = Some(joint.index);
    }
    let mut spins = vec![still; body.links().len()];
    for (index, link) in body.indexed_links() {
        spins[index.0] = match (link.parent, joints[index.0]) {
            (None, _) => Spin { velocity: *root, acceleration: accelerations.root.angular },
            (Some(_), _) if link.joint.kind == JointKind::Free => still,
            (Some(parent), None) => spins[parent.0],
            (Some(parent), Some(joint)) => {
                let above = spins[parent.0];
                let axis = link.joint.axis.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
                let axis = state.link_poses[index.0].rotation * axis;
                let turn = axis * state.velocities[joint.0];
                Spin {
                    velocity: above.velocity + turn,
                    acceleration: above.acceleration
                        + axis * accelerations.joints[joint.0]
                        + above.velocity.cross(&turn),
                }
            }
        };
    }
    spins
}
