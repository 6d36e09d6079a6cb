//! A body's joints as one system in joint coordinates.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::{MultibodyIndex, RigidBodyHandle, RigidBodySet};
use bunraku_body::{Body, BodyState, JointSlot};

use super::tree::TreeJoint;
use crate::model::simulated_body::JointHandle;

pub(super) fn insert(
    tree: &[TreeJoint],
    body: &Body,
    state: &BodyState,
    handles: &[RigidBodyHandle],
    set: &mut RigidBodySet,
    joints: &mut RapierContextJoints,
) -> Vec<Option<JointHandle>> {
    let multibodies = &mut joints.multibody_joints;
    let insert = |joint: &TreeJoint| {
        let (parent, part) = (handles[joint.parent_part.0], handles[joint.part.0]);
        multibodies.insert(parent, part, joint.data, true).map(|_| JointHandle::Multibody(part))
    };
    let inserted: Vec<_> = tree.iter().map(insert).collect();

    // Parts that move freely against each other are systems of their own.
    let mut systems: Vec<MultibodyIndex> = Vec::new();
    for joint in tree {
        if let Some(link) = multibodies.rigid_body_link(handles[joint.part.0])
            && !systems.contains(&link.multibody)
        {
            systems.push(link.multibody);
        }
    }
    for system in systems {
        let Some(multibody) = multibodies.get_multibody_mut(system) else { continue };
        // Until its first kinematics a system on a fixed root has six coordinates too many.
        multibody.forward_kinematics(set, true);
        // Rapier brakes everything that turns, a floating root too, with 0.1 N·m·s/rad.
        multibody.damping_mut().fill(0.0);
        let mut displacements = vec![0.0; multibody.ndofs()];
        let coordinates: Vec<_> =
            multibody.links().map(|link| (link.rigid_body_handle(), link.assembly_id(), link.is_root())).collect();
        for (handle, coordinate, is_root) in coordinates {
            let joint = tree.iter().find(|joint| handles[joint.part.0] == handle);
            let (Some(joint), false) = (joint, is_root) else { continue };
            let model = &body.link(joint.link).joint;
            let slot = body.joints().iter().position(|slot| *slot == JointSlot::Link(joint.link));
            #[allow(clippy::cast_possible_truncation)]
            {
                multibody.armature_mut()[coordinate] = model.equivalent_rotor_inertia as f32;
                displacements[coordinate] = slot.map_or(0.0, |slot| state.displacements[slot]) as f32;
            }
        }
        multibody.apply_displacements(&displacements);
        multibody.forward_kinematics(set, false);
        multibody.update_rigid_bodies(set, true);
    }
    inserted
}
