//! Candidate pairs by rapier's broad phase.
//!
//! Moving a part in rapier's world costs more than solving its step. The broad phase keeps for each collider a box that is up to 4 cm larger
//! than the collider, and pairs those whose boxes overlap. A part stays in rapier's world at the pose that it had there until its colliders could
//! leave their boxes: until then the pairs are the same. Contacts are computed from the exact poses ([`super::contacts`]), so that neither
//! the boxes nor rapier's poses have any influence on them.

use bevy_rapier3d::parry::query::DefaultQueryDispatcher;
use bevy_rapier3d::prelude::{RapierContextColliders, RapierContextSimulation};
use bevy_rapier3d::rapier::dynamics::{
    CoefficientCombineRule, RigidBody, RigidBodyHandle, RigidBodySet, RigidBodyType,
};
use bevy_rapier3d::rapier::geometry::{BroadPhaseBvh, Collider, ColliderHandle, ColliderSet, NarrowPhase, SolverFlags};
use bevy_rapier3d::rapier::math::Pose;
use bevy_rapier3d::rapier::pipeline::{PairFilterContext, PhysicsHooks, QueryFilter};

use super::prediction::prediction;
use super::state::{Candidate, DetectedPart, Detection, Enclosed, Poses};
use crate::world::contacts::ContactRules;
use crate::world::convert::to_pose;

/// Rounding of poses and boxes in f32, m.
const ROUNDING: f32 = 1e-3;

fn key(colliders: [ColliderHandle; 2]) -> [(u32, u32); 2] {
    colliders.map(ColliderHandle::into_raw_parts)
}

/// Keeps rapier from testing pairs: contacts are our own.
struct NoContacts;

impl PhysicsHooks for NoContacts {
    fn filter_contact_pair(&self, _: &PairFilterContext<'_>) -> Option<SolverFlags> {
        None
    }
}

impl Detection {
    /// Finds the pairs that may touch with the parts in the middle of the step. `is_untouched`: nobody has changed anything of rapier's since
    /// the last step.
    pub fn find_candidates(
        &mut self,
        poses: Poses<'_>,
        (is_untouched, time_step): (bool, f64),
        simulation: &mut RapierContextSimulation,
        bodies: &mut RigidBodySet,
        colliders: &mut RapierContextColliders,
        rules: &ContactRules,
    ) {
        let colliders = &mut colliders.colliders;
        let farthest = self.find_half_steps(poses);
        self.find_fast_parts(poses, time_step);
        let mut has_moved = !is_untouched;
        if has_moved {
            self.candidates.clear();
        }
        self.travelled.clear();
        self.travelled.resize(poses.system.num_parts(), 0.0);
        for entry in &mut self.parts {
            let pose = poses.solver.pose(entry.part);
            entry.travel_to(&pose);
            self.travelled[entry.part] = entry.travelled;
            let needed = prediction([self.half_steps[entry.part], 0.0]);
            let stays = |known: &Enclosed| {
                let count = bodies.get(entry.body).map_or(0, |body| body.colliders().len());
                known.num_colliders == count && entry.travelled + needed <= known.until
            };
            let pose = to_pose(&pose);
            entry.enclosed = entry.enclosed.filter(stays);
            // Rapier's world may have shown its end pose since.
            has_moved |= entry.put(bodies, entry.enclosed.map_or(pose, |known| known.pose));
        }
        while has_moved {
            #[allow(clippy::cast_possible_truncation)]
            self.pipeline.step(
                2.0 * prediction([farthest, 0.0]) as f32,
                &mut simulation.islands,
                &mut simulation.broad_phase,
                &mut simulation.narrow_phase,
                bodies,
                colliders,
                &NoContacts,
                &(),
            );
            has_moved = self.place_sensed_parts(poses, &simulation.narrow_phase, bodies, colliders);
            if !has_moved {
                self.flagged_pairs.clear(&mut simulation.narrow_phase, colliders);
                self.list_candidates(&simulation.narrow_phase, bodies, colliders, rules);
            }
        }
        for entry in
            self.parts.iter_mut().filter(|entry| entry.enclosed.is_none() && !entry.is_users && !entry.is_sensed)
        {
            entry.enclosed = entry.enclose(&simulation.broad_phase, bodies, colliders);
        }
    }

    /// Finds how far each part moves in half of the step, m. Returns the largest.
    fn find_half_steps(&mut self, poses: Poses<'_>) -> f64 {
        self.half_steps.clear();
        self.half_steps.resize(poses.system.num_parts(), 0.0);
        let mut farthest = 0.0_f64;
        for entry in &self.parts {
            let distance = poses.solver.way(poses.system, entry.part, entry.radius.into());
            self.half_steps[entry.part] = distance;
            farthest = farthest.max(distance);
        }
        farthest
    }

    /// Puts parts that users' sensors may detect where they are, now and in each step. Returns whether any were elsewhere.
    fn place_sensed_parts(
        &mut self,
        poses: Poses<'_>,
        narrow_phase: &NarrowPhase,
        bodies: &mut RigidBodySet,
        colliders: &ColliderSet,
    ) -> bool {
        self.parts.iter_mut().for_each(|entry| entry.is_sensed = false);
        let mut has_moved = false;
        for (collider1, collider2, _) in narrow_phase.intersection_pairs() {
            let owners = [collider1, collider2].map(|collider| colliders.get(collider).and_then(Collider::parent));
            for entry in self.parts.iter_mut().filter(|entry| owners.contains(&Some(entry.body))) {
                entry.is_sensed = true;
                if entry.enclosed.take().is_some() {
                    has_moved |= entry.put(bodies, to_pose(&poses.solver.pose(entry.part)));
                }
            }
        }
        has_moved
    }

    /// Lists the pairs that rapier and the rules let touch.
    fn list_candidates(
        &mut self,
        narrow_phase: &NarrowPhase,
        bodies: &RigidBodySet,
        colliders: &ColliderSet,
        rules: &ContactRules,
    ) {
        let mut pairs: Vec<_> = narrow_phase.contact_pairs().map(|pair| [pair.collider1, pair.collider2]).collect();
        pairs.sort_unstable_by_key(|pair| key(*pair));
        let known = std::mem::take(&mut self.candidates);
        let mut known = known.into_iter().peekable();
        for pair in pairs {
            while known.next_if(|known| key(known.colliders) < key(pair)).is_some() {}
            let known = known.next_if(|known| known.colliders == pair);
            let candidate = known.or_else(|| self.candidate(pair, bodies, colliders, rules));
            self.candidates.extend(candidate);
        }
    }

    /// `None` for a pair that rapier or the rules let through.
    fn candidate(
        &mut self,
        pair: [ColliderHandle; 2],
        bodies: &RigidBodySet,
        colliders: &ColliderSet,
        rules: &ContactRules,
    ) -> Option<Candidate> {
        let [first, second] = [colliders.get(pair[0])?, colliders.get(pair[1])?];
        let owners = [first, second].map(Collider::parent);
        let parts = owners.map(|body| self.part_of(body?));
        let of = |owner: Option<RigidBodyHandle>| {
            owner.and_then(|body| bodies.get(body)).map_or(RigidBodyType::Fixed, RigidBody::body_type)
        };
        let [one, other] = owners.map(of);
        let may_touch = owners[0] != owners[1]
            && parts != [None, None]
            && (first.active_collision_types().test(one, other) || second.active_collision_types().test(one, other))
            && first.collision_groups().test(second.collision_groups())
            && first.solver_groups().test(second.solver_groups())
            && rules.may_touch(pair, owners);
        may_touch.then(|| {
            for (handle, part) in pair.into_iter().zip(parts) {
                self.shapes.prepare(handle, part.is_some(), colliders);
            }
            Candidate {
                colliders: pair,
                owners,
                parts,
                skin: f64::from(first.contact_skin() + second.contact_skin()),
                usual: usual_coefficients(first, second),
                apart_until: 0.0,
            }
        })
    }

    /// Writes the poses of the parts at the end of the step into rapier's world, for queries.
    pub fn show(&self, poses: Poses<'_>, bodies: &mut RigidBodySet, colliders: &mut ColliderSet) {
        if !poses.solver.has_stepped(poses.system) {
            return;
        }
        for entry in &self.parts {
            entry.put(bodies, to_pose(&poses.solver.end_pose(entry.part)));
        }
        bodies.propagate_modified_body_positions_to_colliders(colliders);
    }

    /// The same for user-defined bodies alone.
    pub fn show_users_bodies(&self, poses: Poses<'_>, bodies: &mut RigidBodySet) {
        for entry in self.parts.iter().filter(|entry| entry.is_users) {
            entry.put(bodies, to_pose(&poses.solver.end_pose(entry.part)));
        }
    }
}

/// Friction and restitution of two colliders, as rapier combines them.
fn usual_coefficients(first: &Collider, second: &Collider) -> [f64; 2] {
    let (one, other) = (first.material(), second.material());
    let combine = |one: f32, other: f32, rule: CoefficientCombineRule| {
        f64::from(match rule {
            CoefficientCombineRule::Average => 0.5 * (one + other),
            CoefficientCombineRule::Min => one.min(other).abs(),
            CoefficientCombineRule::Multiply => one * other,
            CoefficientCombineRule::Max => one.max(other),
            CoefficientCombineRule::ClampedSum => (one + other).clamp(0.0, 1.0),
            CoefficientCombineRule::GeometricMean => (one.max(0.0) * other.max(0.0)).sqrt(),
        })
    };
    [
        combine(one.friction, other.friction, one.friction_combine_rule.max(other.friction_combine_rule)),
        combine(one.restitution, other.restitution, one.restitution_combine_rule.max(other.restitution_combine_rule)),
    ]
}

impl DetectedPart {
    /// Moves its rigid body. Returns whether it was elsewhere.
    fn put(&self, bodies: &mut RigidBodySet, pose: Pose) -> bool {
        let moves = bodies.get(self.body).is_some_and(|body| *body.position() != pose);
        if moves && let Some(body) = bodies.get_mut(self.body) {
            body.set_position(pose, false);
        }
        moves
    }

    /// Encloses it in its boxes, just after the broad phase was updated; `None` if a box is missing.
    fn enclose(&self, broad_phase: &BroadPhaseBvh, bodies: &RigidBodySet, colliders: &ColliderSet) -> Option<Enclosed> {
        let body = bodies.get(self.body)?;
        let boxes =
            broad_phase.as_query_pipeline(&DefaultQueryDispatcher, bodies, colliders, QueryFilter::default()).bvh;
        let mut room = f32::INFINITY;
        for &handle in body.colliders() {
            let collider = colliders.get(handle).filter(|collider| collider.is_enabled())?;
            let own = collider.compute_collision_aabb(collider.contact_skin());
            let larger = boxes.leaf_node(handle.into_raw_parts().0)?.aabb();
            room = room.min((own.mins - larger.mins).min_element()).min((larger.maxs - own.maxs).min_element());
        }
        let until = self.travelled + f64::from(room - ROUNDING);
        Some(Enclosed { pose: *body.position(), until, num_colliders: body.colliders().len() })
    }
}
