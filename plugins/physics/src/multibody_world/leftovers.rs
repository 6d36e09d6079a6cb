//! What rapier's narrow phase notes for rapier's solver.
//!
//! Each detection of collisions notes the pairs of all colliders that were moved from outside, for the list of those that send events of
//! contact forces. Rapier's solver reads the notes and throws them away; without it they grow by some bytes in every step, without end.

use bevy_rapier3d::rapier::dynamics::{
    CCDSolver, ImpulseJointSet, IntegrationParameters, IslandManager, MultibodyJointSet, RigidBodySet,
};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, ColliderSet, NarrowPhase};
use bevy_rapier3d::rapier::math::Vector;
use bevy_rapier3d::rapier::pipeline::PhysicsPipeline;

/// How many detections are noted before the notes are thrown away.
const KEPT: u32 = 256;

/// Counts them.
#[derive(Default)]
pub(super) struct Leftovers(u32);

impl Leftovers {
    /// After a detection, while no collider has been changed since.
    pub fn clear(&mut self, narrow_phase: &mut NarrowPhase, colliders: &mut ColliderSet) {
        self.0 += 1;
        if self.0 < KEPT {
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
