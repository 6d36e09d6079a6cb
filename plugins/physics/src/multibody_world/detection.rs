//! Collision detection by rapier.

use bevy_rapier3d::prelude::{RapierContextColliders, RapierContextSimulation};
use bevy_rapier3d::rapier::dynamics::RigidBodySet;

use super::MultibodyWorld;
use super::prediction::prediction;
use crate::world::contacts::ContactRules;
use crate::world::convert::to_pose;

impl MultibodyWorld {
    /// Detects where the parts are in the middle of the step, their rigid bodies still being where the step began.
    pub(super) fn detect(
        &mut self,
        simulation: &mut RapierContextSimulation,
        bodies: &mut RigidBodySet,
        colliders: &mut RapierContextColliders,
        rules: &ContactRules,
    ) {
        let mut farthest = 0.0_f32;
        self.ways.clear();
        self.ways.resize(self.system.num_parts(), 0.0);
        for entry in &self.parts {
            let Some(body) = bodies.get_mut(entry.body) else { continue };
            let pose = to_pose(&self.solver.pose(entry.part));
            let before = body.position();
            let turn = 2.0 * (before.rotation.inverse() * pose.rotation).xyz().length();
            let way = (pose.translation - before.translation).length() + turn * entry.radius;
            farthest = farthest.max(way);
            self.ways[entry.part.0] = way;
            body.set_position(pose, false);
        }
        // As far as the fastest two need: rapier has one distance for all. What is too far for its own pair is left out later.
        self.detection.step(
            prediction([farthest; 2]),
            &mut simulation.islands,
            &mut simulation.broad_phase,
            &mut simulation.narrow_phase,
            bodies,
            &mut colliders.colliders,
            rules,
            &(),
        );
    }

    /// Leaves the rigid bodies where their parts are at the end of the step.
    pub(super) fn settle(&self, bodies: &mut RigidBodySet) {
        for entry in &self.parts {
            if let Some(body) = bodies.get_mut(entry.body) {
                body.set_position(to_pose(&self.solver.end_pose(entry.part)), false);
            }
        }
    }
}
