//! Pairs that rapier's narrow phase flags for its solver.
//!
//! Each update flags the pairs of all colliders that were moved by the user, for events of contact forces. Rapier's solver clears the flags. Without it
//! their list grows by some bytes an update, without bound.

use bevy_rapier3d::rapier::dynamics::{
    CCDSolver, ImpulseJointSet, IntegrationParameters, IslandManager, MultibodyJointSet, RigidBodySet,
};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, ColliderSet, NarrowPhase};
use bevy_rapier3d::rapier::math::Vector;
use bevy_rapier3d::rapier::pipeline::PhysicsPipeline;

/// Updates between two clearings.
const UPDATES: u32 = 256;

/// Number of updates since the last clearing.
#[derive(Default)]
pub(super) struct FlaggedPairs(u32);

impl FlaggedPairs {
    /// Counts an update, and clears the list now and then. No collider may have changed since the update.
    pub fn clear(&mut self, narrow_phase: &mut NarrowPhase, colliders: &mut ColliderSet) {
        self.0 += 1;
        if self.0 < UPDATES {
            return;
        }
        self.0 = 0;
        // A step of a world without bodies: nothing is moved, nothing detected, nothing solved.
        PhysicsPipeline::new().step(
            Vector::ZERO,
            &IntegrationParameters::default(),
            &mut IslandManager::new(),
            &mut BroadPhaseBvh::new(),
            narrow_phase,
            &mut RigidBodySet::new(),
            colliders,
            &mut ImpulseJointSet::new(),
            &mut MultibodyJointSet::new(),
            &mut CCDSolver::new(),
            &(),
            &(),
        );
    }
}
