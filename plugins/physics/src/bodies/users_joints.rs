//! Impulse joints of users as closures.
//!
//! bevy_rapier inserts an [`ImpulseJoint`](bevy_rapier3d::prelude::ImpulseJoint) component into rapier's set of joints. Joints between rigid bodies in
//! the solver's system, or between one and a body that does not move, become closures with the same locked axes.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{
    GenericJoint, ImpulseJoint, ImpulseJointHandle, JointAxesMask, RigidBodyHandle, RigidBodySet,
};
use bunraku_body::ExtraJointKind;
use bunraku_simulation::SimulationWarnings;
use nalgebra::{Isometry3, Translation3, Vector3};

use super::users_joint::UsersJoint;
use super::{MultibodyWorld, removal};
use crate::world::contacts::ContactRules;
use crate::world::convert::from_pose;
use bunraku_multibody::{Anchor, Closure, ClosureIndex};

/// Whether joints were added or removed since the last step.
pub(crate) fn have_changed(multibodies: &MultibodyWorld, joints: &RapierContextJoints) -> bool {
    let known = &multibodies.users_joints;
    known.len() != joints.impulse_joints.len()
        || known.iter().any(|joint| !joints.impulse_joints.contains(joint.handle))
}

/// Adds closures of new joints, and removes those of joints that are gone.
pub(crate) fn prepare(world: &mut World) -> Result {
    let mut contexts = world.query::<(&RapierRigidBodySet, &RapierContextJoints)>();
    let (_, joints) = contexts.single(world)?;
    if !have_changed(world.resource(), joints) {
        return Ok(());
    }
    let mut gone = Vec::new();
    let mut known = world.resource::<MultibodyWorld>().users_joints.clone();
    known.retain(|joint| {
        let remains = joints.impulse_joints.contains(joint.handle);
        if !remains {
            gone.extend(joint.closures.iter().copied());
        }
        remains
    });
    let is_new = |handle: ImpulseJointHandle| known.iter().all(|joint| joint.handle != handle);
    let new = joints.impulse_joints.iter().filter(|(handle, _)| is_new(*handle));
    let new: Vec<_> = new.map(|(handle, joint)| (handle, joint.clone())).collect();
    let entities: Vec<(ImpulseJointHandle, Entity)> =
        joints.entity2impulse_joint().iter().map(|(entity, handle)| (*handle, *entity)).collect();
    world.resource_mut::<MultibodyWorld>().users_joints = known;
    removal::forget(world, &[], &[], &gone);
    for (handle, joint) in new {
        let entity = entities.iter().find(|(known, _)| *known == handle).map(|(_, entity)| *entity);
        world.resource_scope(|world, mut multibodies: Mut<MultibodyWorld>| -> Result {
            let (set, _) = contexts.single(world)?;
            let closures = multibodies.add_users_joint(&joint, &set.bodies);
            multibodies.users_joints.push(UsersJoint { handle, closures });
            Ok(())
        })?;
        if !joint.data.contacts_enabled {
            world.resource_mut::<ContactRules>().let_through(joint.body1(), joint.body2());
        }
        if let (Some(entity), Some(message)) = (entity, limitation(&joint.data)) {
            world.resource_mut::<SimulationWarnings>().add(entity, "ImpulseJoint", || message.to_owned());
        }
    }
    Ok(())
}

/// A warning about a joint that `joints: multibody` does not support as a whole.
fn limitation(joint: &GenericJoint) -> Option<&'static str> {
    if kinds(joint).is_empty() {
        return Some(
            "it has no effect with `joints: multibody`, which supports fixed, spherical, revolute and prismatic joints",
        );
    }
    let is_free = joint.limit_axes.is_empty() && joint.motor_axes.is_empty();
    (!is_free).then_some("its limits and motors have no effect with `joints: multibody`")
}

/// The closures with the locked axes of a joint: their kinds, and an offset of the second frame along Y, m.
fn kinds(joint: &GenericJoint) -> Vec<(ExtraJointKind, f64)> {
    let (axis, across) = (Vector3::x_axis(), Vector3::z_axis());
    if !joint.coupled_axes.is_empty() {
        return Vec::new();
    }
    match joint.locked_axes {
        JointAxesMask::LOCKED_FIXED_AXES => vec![(ExtraJointKind::Fixed, 0.0)],
        JointAxesMask::LOCKED_SPHERICAL_AXES => vec![(ExtraJointKind::Ball, 0.0)],
        JointAxesMask::LOCKED_REVOLUTE_AXES => vec![(ExtraJointKind::Hinge { axis }, 0.0)],
        // A point beside the axis that stays in a plane through it locks the rotation that a piston leaves free.
        JointAxesMask::LOCKED_PRISMATIC_AXES => {
            vec![(ExtraJointKind::Piston { axis }, 0.0), (ExtraJointKind::PointOnPlane { axis: across }, LEVER)]
        }
        _ => Vec::new(),
    }
}

/// Distance of that point from the axis, m.
const LEVER: f64 = 1.0;

impl MultibodyWorld {
    fn add_users_joint(&mut self, joint: &ImpulseJoint, bodies: &RigidBodySet) -> Vec<ClosureIndex> {
        let anchor = |body: RigidBodyHandle, local| {
            let frame = from_pose(local);
            match (self.part_of(body), bodies.get(body)) {
                (Some(part), _) => Some(Anchor { part: Some(part), frame }),
                (None, Some(body)) => Some(Anchor { part: None, frame: from_pose(body.position()) * frame }),
                (None, None) => None,
            }
        };
        let first = anchor(joint.body1(), &joint.data.local_frame1);
        let second = anchor(joint.body2(), &joint.data.local_frame2);
        let Some((first, second)) = first.zip(second).filter(|(first, second)| first.part != second.part) else {
            return Vec::new();
        };
        let closures = kinds(&joint.data).into_iter().map(|(kind, lever)| {
            let offset: Isometry3<f64> = Translation3::new(0.0, lever, 0.0).into();
            let second = Anchor { frame: second.frame * offset, ..second };
            self.system.add_closure(Closure { kind, sides: [first, second] })
        });
        closures.collect()
    }
}
