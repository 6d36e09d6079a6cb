//! Collision detection by rapier.
//!
//! Most parts of a robot have nothing near them most of the time, and moving them in rapier's world costs more than solving a step does:
//! rapier is told of a part only when it could come near anything. Its broad phase keeps for each collider a box that is 4 cm larger
//! than the collider, and pairs those whose boxes overlap. A part none of whose colliders is in a pair that may touch stays as rapier has *seen*
//! it until its colliders could leave their boxes. So does one that is only above [the ground](ground_faces). Where nothing at all has moved that rapier
//! is told of, it need not look again.

use bevy::prelude::*;
use bevy_rapier3d::parry::query::DefaultQueryDispatcher;
use bevy_rapier3d::prelude::{RapierContextColliders, RapierContextSimulation, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, Collider, ColliderSet, NarrowPhase};
use bevy_rapier3d::rapier::math::Pose;
use bevy_rapier3d::rapier::pipeline::QueryFilter;

use super::ground_faces::OnGround;
use super::prediction::{margin, prediction};
use super::seen::Seen;
use super::{MultibodyWorld, PartInRapier};
use crate::world::contacts::ContactRules;
use crate::world::convert::to_pose;

/// What rounding of single precision may hide, m.
const ROUNDING: f32 = 1e-3;

impl MultibodyWorld {
    /// Detects where the parts are in the middle of the step. `is_untouched`: nobody has changed anything of rapier's since the last step.
    pub(super) fn detect(
        &mut self,
        (is_untouched, time_step): (bool, f64),
        simulation: &mut RapierContextSimulation,
        bodies: &mut RigidBodySet,
        colliders: &mut RapierContextColliders,
        rules: &ContactRules,
    ) {
        let colliders = &mut colliders.colliders;
        let prediction = prediction([self.find_ways(); 2]);
        self.find_fast_parts(time_step);
        self.set_margins(is_untouched, bodies, colliders);
        let mut has_moved = !is_untouched;
        let mut has_detected = false;
        for entry in &mut self.parts {
            let pose = to_pose(&self.solver.pose(entry.part));
            entry.seen = entry.seen.filter(|seen| {
                let count = bodies.get(entry.body).map_or(0, |body| body.colliders().len());
                let needed = 0.5 * prediction + self.margins[entry.part];
                seen.colliders == count && seen.reaches(&pose, entry.radius) + needed <= seen.room
            });
            // Users may have been shown where it is since: rapier goes on from the pose that it has seen.
            has_moved |= entry.put(bodies, entry.seen.map_or(pose, |seen| seen.pose));
        }
        loop {
            if has_moved {
                has_detected = true;
                self.detection.step(
                    prediction,
                    &mut simulation.islands,
                    &mut simulation.broad_phase,
                    &mut simulation.narrow_phase,
                    bodies,
                    colliders,
                    rules,
                    &(),
                );
            }
            self.find_near(&simulation.narrow_phase, colliders, rules);
            has_moved = false;
            for entry in &mut self.parts {
                if self.near[entry.part] && entry.seen.take().is_some() {
                    entry.put(bodies, to_pose(&self.solver.pose(entry.part)));
                    has_moved = true;
                }
            }
            if !has_moved {
                break;
            }
        }
        if has_detected {
            self.leftovers.clear(&mut simulation.narrow_phase, colliders);
        }
        for entry in &mut self.parts {
            if entry.seen.is_none() && !entry.is_users && !self.near[entry.part] {
                entry.seen = entry.see(&simulation.broad_phase, bodies, colliders);
            }
        }
    }

    /// Finds how far each part moves in half of the step, and what margin its colliders need. Gives how far the fastest part of a user's body
    /// moves, m: its contact skin is the user's own, so that all pairs are detected as early as it needs.
    fn find_ways(&mut self) -> f32 {
        self.ways.clear();
        self.ways.resize(self.system.num_parts(), 0.0);
        self.margins.clear();
        self.margins.resize(self.system.num_parts(), 0.0);
        let mut farthest = 0.0_f32;
        for entry in &self.parts {
            #[allow(clippy::cast_possible_truncation)]
            let way = self.solver.way(&self.system, entry.part, entry.radius.into()) as f32;
            self.ways[entry.part] = way;
            if entry.is_users {
                farthest = farthest.max(way);
            } else {
                self.margins[entry.part] = margin(way);
            }
        }
        farthest
    }

    fn set_margins(&mut self, is_untouched: bool, bodies: &RigidBodySet, colliders: &mut ColliderSet) {
        for entry in self.parts.iter_mut().filter(|entry| !entry.is_users) {
            let margin = self.margins[entry.part];
            if is_untouched && margin == entry.margin {
                continue;
            }
            entry.margin = margin;
            let Some(body) = bodies.get(entry.body) else { continue };
            for &handle in body.colliders() {
                // Whoever asks for a collider to change it has changed it, to rapier.
                let differs = colliders.get(handle).is_some_and(|collider| collider.contact_skin() != margin);
                if differs && let Some(collider) = colliders.get_mut(handle) {
                    collider.set_contact_skin(margin);
                }
            }
        }
    }

    /// Finds the parts that are in a pair at which rapier has to look, and the pairs for which it need not.
    fn find_near(&mut self, narrow_phase: &NarrowPhase, colliders: &ColliderSet, rules: &ContactRules) {
        self.near.clear();
        self.near.resize(self.system.num_parts(), false);
        self.on_ground.clear();
        self.pairs_on_ground.clear();
        for pair in narrow_phase.contact_pairs() {
            let handles = [pair.collider1, pair.collider2];
            let [Some(first), Some(second)] = handles.map(|handle| colliders.get(handle)) else { continue };
            let owners = [first, second].map(|collider| collider.parent());
            let parts = owners.map(|owner| self.part_of(owner?));
            if parts == [None, None] || !rules.may_touch(handles, owners) {
                continue;
            }
            let sides = [self.side(first, parts[0]), self.side(second, parts[1])];
            let prediction = prediction(parts.map(|part| part.map_or(0.0, |part| self.ways[part])));
            match OnGround::find(&sides, [0; 2], prediction).filter(|_| is_simple(first) && is_simple(second)) {
                Some(on_ground) => {
                    self.pairs_on_ground.push((handles, self.on_ground.len()));
                    self.on_ground.push(on_ground);
                }
                None => parts.into_iter().flatten().for_each(|part| self.near[part] = true),
            }
        }
        let sensing = narrow_phase.intersection_pairs().flat_map(|(collider1, collider2, _)| [collider1, collider2]);
        for collider in sensing.filter_map(|collider| colliders.get(collider)) {
            if let Some(part) = collider.parent().and_then(|body| self.part_of(body)) {
                self.near[part] = true;
            }
        }
    }

    /// Shows where the parts are at the end of the step to all that look at rapier's world. Gives whether any were elsewhere.
    pub(super) fn show(&self, bodies: &mut RigidBodySet, colliders: &mut ColliderSet) -> bool {
        if !self.solver.has_stepped(&self.system) {
            return false;
        }
        let mut has_moved = false;
        for entry in &self.parts {
            has_moved |= entry.put(bodies, to_pose(&self.solver.end_pose(entry.part)));
        }
        bodies.propagate_modified_body_positions_to_colliders(colliders);
        has_moved
    }

    /// The same for the bodies that are users' own.
    pub(super) fn show_users_bodies(&self, bodies: &mut RigidBodySet) -> bool {
        let mut has_moved = false;
        for entry in self.parts.iter().filter(|entry| entry.is_users) {
            has_moved |= entry.put(bodies, to_pose(&self.solver.end_pose(entry.part)));
        }
        has_moved
    }
}

/// After the steps of an update.
pub(crate) fn show(
    world: Res<MultibodyWorld>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextColliders)>,
) -> Result {
    let (mut set, mut colliders) = contexts.single_mut()?;
    world.show(&mut set.bodies, &mut colliders.colliders);
    Ok(())
}

/// Whether a shape has no parts.
fn is_simple(collider: &Collider) -> bool {
    collider.shape().as_composite_shape().is_none()
}

impl PartInRapier {
    /// Moves its rigid body. Gives whether it was elsewhere.
    fn put(&self, bodies: &mut RigidBodySet, pose: Pose) -> bool {
        let moves = bodies.get(self.body).is_some_and(|body| *body.position() != pose);
        if moves && let Some(body) = bodies.get_mut(self.body) {
            body.set_position(pose, false);
        }
        moves
    }

    /// How far it may go before rapier must look at it again, just after rapier has; `None` if it cannot be told.
    fn see(&self, broad_phase: &BroadPhaseBvh, bodies: &RigidBodySet, colliders: &ColliderSet) -> Option<Seen> {
        let body = bodies.get(self.body)?;
        let boxes =
            broad_phase.as_query_pipeline(&DefaultQueryDispatcher, bodies, colliders, QueryFilter::default()).bvh;
        let mut room = f32::INFINITY;
        for &handle in body.colliders() {
            let collider = colliders.get(handle).filter(|collider| collider.is_enabled())?;
            let own = collider.compute_collision_aabb(0.0);
            let larger = boxes.leaf_node(handle.into_raw_parts().0)?.aabb();
            room = room.min((own.mins - larger.mins).min_element()).min((larger.maxs - own.maxs).min_element());
        }
        Some(Seen { pose: *body.position(), room: room - ROUNDING, colliders: body.colliders().len() })
    }
}
