//! Removal of bodies and closures from the solver's system.

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;

use super::MultibodyWorld;
use super::extra_joints::ReducedExtraJoint;
use super::system_of_bodies::ReducedBody;
use crate::model::extra_joint::{ExtraJointBetween, JointEnd};
use bunraku_multibody::{ClosureIndex, Moved, TreeIndex};

/// Removes despawned bodies, `entities` with the rigid bodies `parts`, and closures, with the extra joints at such bodies.
pub(crate) fn forget(world: &mut World, entities: &[Entity], parts: &[RigidBodyHandle], closures: &[ClosureIndex]) {
    let mut closures = closures.to_vec();
    let mut joints = world.query::<(&ExtraJointBetween, &ReducedExtraJoint)>();
    closures.extend(joints.iter(world).filter_map(|(joint, reduced)| {
        let is_gone = |end: &JointEnd| matches!(end, JointEnd::Link { body, .. } if entities.contains(body));
        reduced.closure.filter(|_| joint.ends.iter().any(is_gone))
    }));
    let moved = world.resource_mut::<MultibodyWorld>().remove(parts, &closures);
    let Some(moved) = moved else { return };
    for mut reduced in world.query::<&mut ReducedBody>().iter_mut(world) {
        reduced.follow(&moved);
    }
    for mut joint in world.query::<&mut ReducedExtraJoint>().iter_mut(world) {
        joint.closure = joint.closure.and_then(|closure| moved.closure(closure));
    }
}

impl MultibodyWorld {
    /// Removes the trees of rigid bodies, and closures. `None` if there are none.
    pub(super) fn remove(&mut self, bodies: &[RigidBodyHandle], closures: &[ClosureIndex]) -> Option<Moved> {
        let mut trees: Vec<TreeIndex> =
            bodies.iter().filter_map(|&body| self.part_of(body)).map(|part| self.system.tree_of(part)).collect();
        trees.sort_unstable();
        trees.dedup();
        if trees.is_empty() && closures.is_empty() {
            return None;
        }
        self.state.fit(&self.system);
        let moved = self.system.remove(&trees, closures);
        self.state.follow(&moved);
        self.detection.follow(&moved);
        self.users_joints.iter_mut().for_each(|joint| joint.follow(&moved));
        self.solver.place(&self.system, &self.state);
        Some(moved)
    }
}

impl ReducedBody {
    /// Updates indices after a removal; a removed body becomes empty.
    fn follow(&mut self, moved: &Moved) {
        if self.links.iter().any(|(part, _)| moved.part(*part).is_none()) {
            *self = Self::default();
            return;
        }
        for (part, _) in &mut self.links {
            *part = moved.part(*part).unwrap_or(*part);
        }
        for joint in &mut self.joints {
            joint.coordinate = moved.coordinate(joint.coordinate).unwrap_or(joint.coordinate);
        }
        self.kinematic_root = self.kinematic_root.and_then(|tree| moved.tree(tree));
        self.kinematic.retain_mut(|(_, tree)| {
            moved.tree(*tree).is_some_and(|now| {
                *tree = now;
                true
            })
        });
        self.closures.retain_mut(|(closure, ..)| {
            moved.closure(*closure).is_some_and(|now| {
                *closure = now;
                true
            })
        });
        self.loops.retain_mut(|own| {
            moved.closure(own.closure).is_some_and(|now| {
                own.closure = now;
                true
            })
        });
    }
}
