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

use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::{GenericJoint as RapierJoint, RigidBodyHandle, RigidBodySet};
use bunraku_body::{Body, BodyState, Joint, JointIndex, JointKind, JointSlot, LinkIndex};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::model::joint_solver::JointSolver;
use crate::model::rigid_parts::{PartOfLink, RigidPart, RigidPartIndex, RigidParts};
use crate::model::simulated_body::SimulatedJoint;
use crate::world::convert::{to_quat, to_vec3};

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

/// A joint between two rigid parts of a body.
struct TreeJoint {
    link: LinkIndex,
    parent_part: RigidPartIndex,
    part: RigidPartIndex,
    data: RapierJoint,
}

fn tree_joints(body: &Body, state: &BodyState, parts: &RigidParts, time_step: f64) -> Vec<TreeJoint> {
    let displacement = |link: LinkIndex| {
        let slot = body.joints().iter().position(|slot| *slot == JointSlot::Link(link));
        slot.and_then(|slot| state.displacements.get(slot)).copied().unwrap_or(0.0)
    };
    let joints = parts.parts.iter().enumerate().filter_map(|(part, RigidPart { carrier, .. })| {
        let link = body.link(*carrier);
        let PartOfLink { part: parent_part, pose, .. } = parts.links[link.parent?.0];
        let moves = link.joint.kind.has_displacement();
        moves.then(|| {
            let mut data = joint_data(&link.joint, &(pose * link.offset));
            limits::set(&mut data, &link.joint, displacement(*carrier), time_step);
            TreeJoint { link: *carrier, parent_part, part: RigidPartIndex(part), data }
        })
    });
    joints.collect()
}

/// The joint of a part against its parent's; `place` is its frame at zero displacement in the parent's frame.
fn joint_data(joint: &Joint, place: &Isometry3<f64>) -> RapierJoint {
    // Rapier's free axis is X of the joint frame on both sides.
    let turn = UnitQuaternion::rotation_between(&Vector3::x(), &joint.axis).unwrap_or_else(|| {
        // Half a turn about any axis across.
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI)
    });
    let locked = match joint.kind {
        JointKind::Prismatic => JointAxesMask::LOCKED_PRISMATIC_AXES,
        _ => JointAxesMask::LOCKED_REVOLUTE_AXES,
    };
    let mut data = GenericJointBuilder::new(locked)
        .local_basis1(to_quat(&(place.rotation * turn)))
        .local_anchor1(to_vec3(&place.translation.vector))
        .local_basis2(to_quat(&turn))
        .local_anchor2(bevy::math::Vec3::ZERO)
        .build();
    data.set_contacts_enabled(false);
    data.into_rapier()
}
