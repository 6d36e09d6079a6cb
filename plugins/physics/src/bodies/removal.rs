//! Removal of bodies and closures from the solver's system.

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;

use super::MultibodyWorld;
use super::solver_body::SolverBody;
use crate::model::extra_joint::{ExtraJointBetween, ExtraJointConstraint, JointEnd, SimulatedExtraJoint};
use bunraku_multibody::{ClosureIndex, Moved, TreeIndex};

/// Removes despawned bodies, `entities` with the rigid bodies `parts`, and closures, with the extra joints at such bodies.
pub(crate) fn forget(world: &mut World, entities: &[Entity], parts: &[RigidBodyHandle], closures: &[ClosureIndex]) {
    let mut closures = closures.to_vec();
    let mut joints = world.query::<(&ExtraJointBetween, &SimulatedExtraJoint)>();
    closures.extend(joints.iter(world).filter_map(|(joint, simulated)| {
        let is_gone = |end: &JointEnd| matches!(end, JointEnd::Link { body, .. } if entities.contains(body));
        simulated.closure().filter(|_| joint.ends.iter().any(is_gone))
    }));
    let moved = world.resource_mut::<MultibodyWorld>().remove(parts, &closures);
    let Some(moved) = moved else { return };
    for mut body in world.query::<&mut SolverBody>().iter_mut(world) {
        body.follow(&moved);
    }
    for mut joint in world.query::<&mut SimulatedExtraJoint>().iter_mut(world) {
        if let ExtraJointConstraint::Closure(closure) = joint.constraint {
            joint.constraint = moved.closure(closure).map_or(ExtraJointConstraint::None, ExtraJointConstraint::Closure);
        }
    }
}

impl MultibodyWorld {
    /// Removes the trees of rigid bodies, and closures. `None` without any.
    pub(super) fn remove(&mut self, bodies: &[RigidBodyHandle], closures: &[ClosureIndex]) -> Option<Moved> {
        let mut trees: Vec<TreeIndex> = bodies.iter().filter_map(|&body| self.tree_of(body)).collect();
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

impl SolverBody {
    /// Updates indices after a removal; a removed body becomes empty.
    fn follow(&mut self, moved: &Moved) {
        self.joints.retain_mut(|joint| {
            let now = moved.coordinate(joint.coordinate);
            joint.coordinate = now.unwrap_or(joint.coordinate);
            now.is_some()
        });
        self.loops.retain_mut(|own| {
            let now = moved.closure(own.closure);
            own.closure = now.unwrap_or(own.closure);
            now.is_some()
        });
    }
}
