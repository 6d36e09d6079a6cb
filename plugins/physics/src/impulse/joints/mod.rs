//! The joints of a body's tree in rapier's world.

pub(crate) mod between;
pub(crate) mod closing;
mod impulse;
mod limits;
pub(crate) mod loops;
mod multibody;
pub(crate) mod multibody_roots;
pub(crate) mod multibody_velocities;
pub(crate) mod rotors;
mod tree;

use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bunraku_body::{Body, BodyState, JointIndex, JointSlot, LinkIndex};

use crate::model::joint_solver::JointSolver;
use crate::model::rigid_parts::RigidParts;
use crate::model::simulated_body::SimulatedJoint;
use tree::{TreeJoint, tree_joints};

pub(crate) use limits::{axis, set as set_limits, show_limits};

/// What holds the joints of a link of a body where `solver` holds those of most.
///
/// Continuous tracks are held by impulse joints in any case. As a multibody a vehicle on two tracks of 40 shoes cost nine
/// times as much, and its shoes flew about at 200 rad/s on wheels that press into them.
pub(crate) fn solver_of_link(solver: JointSolver, body: &Body, link: LinkIndex) -> JointSolver {
    if solver == JointSolver::Multibody && loops::is_on_track(body, link) { JointSolver::Impulse } else { solver }
}

/// Puts the joints that move parts of a body against each other into rapier's world, in the order of the links, and gives
/// those with a place in the joint vector in the order of it.
pub(crate) fn insert(
    solver: JointSolver,
    (body, state): (&Body, &BodyState),
    parts: &RigidParts,
    handles: &[RigidBodyHandle],
    set: &mut RigidBodySet,
    joints: &mut RapierContextJoints,
    time_step: f64,
) -> Vec<SimulatedJoint> {
    let tree = tree_joints(body, state, parts, time_step);
    let by_impulse = |joint: &TreeJoint| solver_of_link(solver, body, joint.link) == JointSolver::Impulse;
    let (impulse, multibody): (Vec<TreeJoint>, Vec<TreeJoint>) = tree.into_iter().partition(by_impulse);
    let mut inserted = impulse::insert(&impulse, handles, joints);
    inserted.extend(multibody::insert(&multibody, body, state, handles, set, joints));
    let tree: Vec<_> = impulse.iter().chain(&multibody).collect();
    let joints = body.joints().iter().enumerate().filter_map(|(joint, slot)| {
        let JointSlot::Link(link) = *slot else { return None };
        let moved = body.link(link);
        let axis = moved.joint.axis.try_normalize(0.0)?;
        let at = tree.iter().position(|joint| joint.link == link)?;
        let handle = *inserted.get(at)?;
        Some(SimulatedJoint {
            index: JointIndex(joint),
            link,
            parent: moved.parent?,
            kind: moved.joint.kind,
            axis,
            handle: handle?,
        })
    });
    joints.collect()
}
