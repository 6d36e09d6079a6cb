//! The joints of a body's tree in rapier's world.

pub(crate) mod between;
pub(crate) mod closing;
mod limits;
pub(crate) mod loops;
pub(crate) mod rotors;
mod tree;

use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use bunraku_body::{Body, BodyState, JointIndex, JointSlot};
use typed_index_collections::{TiSlice, TiVec};

use crate::model::index::{RigidPartIndex, SimulatedJointIndex};
use crate::model::joint_limits::JointLimits;
use crate::model::rigid_parts::RigidParts;
use crate::model::simulated_body::SimulatedJoint;
use tree::tree_joints;

pub(crate) use limits::{axis, show_limits};

/// Puts the joints that move parts of a body against each other into rapier's world, in the order of the links, and gives
/// those that have a joint index in the order of it.
pub(crate) fn insert(
    (body, state, limits): (&Body, &BodyState, JointLimits),
    (parts, handles): (&RigidParts, &TiSlice<RigidPartIndex, RigidBodyHandle>),
    joints: &mut RapierContextJoints,
    time_step: f64,
) -> TiVec<SimulatedJointIndex, SimulatedJoint> {
    let tree = tree_joints((body, state, limits), parts, time_step);
    let inserted: Vec<_> = tree
        .iter()
        .map(|joint| {
            let (parent, part) = (handles[joint.parent_part], handles[joint.part]);
            joints.impulse_joints.insert(parent, part, joint.data, true)
        })
        .collect();
    let joints = body.joints().iter().enumerate().filter_map(|(joint, slot)| {
        let JointSlot::Link(link) = *slot else { return None };
        let moved = body.link(link);
        let axis = moved.joint.axis.try_normalize(0.0)?;
        let at = tree.iter().position(|joint| joint.link == link)?;
        Some(SimulatedJoint {
            index: JointIndex(joint),
            link,
            parent: moved.parent?,
            kind: moved.joint.kind,
            axis,
            handle: *inserted.get(at)?,
        })
    });
    joints.collect()
}
