//! The joints between the rigid parts of a body, as rapier has them.

use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::GenericJoint as RapierJoint;
use bunraku_body::{Body, BodyState, Joint, JointKind, JointSlot, LinkIndex};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::limits;
use crate::model::index::RigidPartIndex;
use crate::model::joint_limits::JointLimits;
use crate::model::rigid_parts::{PartOfLink, RigidPart, RigidParts};
use crate::world::convert::{to_quat, to_vec3};

/// A joint between two rigid parts of a body.
pub(super) struct TreeJoint {
    pub link: LinkIndex,
    pub parent_part: RigidPartIndex,
    pub part: RigidPartIndex,
    pub data: RapierJoint,
}

pub(super) fn tree_joints(
    (body, state, limits): (&Body, &BodyState, JointLimits),
    parts: &RigidParts,
    time_step: f64,
) -> Vec<TreeJoint> {
    let displacement = |link: LinkIndex| {
        let slot = body.joints().iter().position(|slot| *slot == JointSlot::Link(link));
        slot.and_then(|slot| state.displacements.get(slot)).copied().unwrap_or(0.0)
    };
    let joints = parts.parts.iter_enumerated().filter_map(|(part, RigidPart { carrier, .. })| {
        let link = body.link(*carrier);
        let PartOfLink { part: parent_part, pose, .. } = parts.links[link.parent?];
        let moves = link.joint.kind.has_displacement();
        moves.then(|| {
            let mut data = joint_data(&link.joint, &(pose * link.offset));
            limits::set(&mut data, &link.joint, limits, displacement(*carrier), time_step);
            TreeJoint { link: *carrier, parent_part, part, data }
        })
    });
    joints.collect()
}

/// The joint of a part against its parent's; `frame` is that of the joint at zero displacement in the parent's frame.
fn joint_data(joint: &Joint, frame: &Isometry3<f64>) -> RapierJoint {
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
        .local_basis1(to_quat(&(frame.rotation * turn)))
        .local_anchor1(to_vec3(&frame.translation.vector))
        .local_basis2(to_quat(&turn))
        .local_anchor2(bevy::math::Vec3::ZERO)
        .build();
    data.set_contacts_enabled(false);
    data.into_rapier()
}
