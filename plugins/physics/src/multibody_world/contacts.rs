//! Rapier's manifolds as contacts.

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bevy_rapier3d::rapier::geometry::{
    Collider, ColliderHandle, ColliderSet, ContactManifold, ContactPair, NarrowPhase, SolverFlags,
};
use nalgebra::Vector3;

use super::MultibodyWorld;
use super::ground_faces::OnGround;
use super::manifold::find_points;
use super::prediction::prediction;
use super::surface_points::Side;
use super::told_contact::ToldContact;
use crate::model::contact_law::ContactLaw;
use crate::world::contacts::ContactRules;
use crate::world::convert::{from_pose, from_vec3, to_vec3};
use bunraku_multibody::{Contact, PartIndex, cut_points};

impl MultibodyWorld {
    /// Collects what rapier has detected.
    pub(super) fn collect(
        &mut self,
        narrow_phase: &NarrowPhase,
        colliders: &ColliderSet,
        bodies: &RigidBodySet,
        rules: &ContactRules,
        law: ContactLaw,
    ) {
        self.contacts.clear();
        self.told.clear();
        let mut pairs: Vec<&ContactPair> = narrow_phase.contact_pairs().collect();
        // Rapier's order depends on what has come and gone elsewhere, and a body's motion must not.
        pairs.sort_unstable_by_key(|pair| [pair.collider1, pair.collider2].map(ColliderHandle::into_raw_parts));
        let on_ground = std::mem::take(&mut self.on_ground);
        let mut known = std::mem::take(&mut self.pairs_on_ground);
        known.sort_unstable_by_key(|(colliders, _)| colliders.map(ColliderHandle::into_raw_parts));
        let mut next = known.iter().peekable();
        for pair in pairs {
            let known = next.next_if(|(colliders, _)| *colliders == [pair.collider1, pair.collider2]);
            let on_ground = known.map(|&(_, index)| &on_ground[index]);
            for manifold in pair.solver_manifolds() {
                self.collect_manifold((pair, on_ground), manifold, colliders, bodies, rules, law);
            }
        }
        self.on_ground = on_ground;
        self.pairs_on_ground = known;
    }

    fn collect_manifold(
        &mut self,
        (pair, on_ground): (&ContactPair, Option<&OnGround>),
        manifold: &ContactManifold,
        set: &ColliderSet,
        bodies: &RigidBodySet,
        rules: &ContactRules,
        law: ContactLaw,
    ) {
        let data = &manifold.data;
        let touches = on_ground.is_some() || !data.solver_contacts.is_empty();
        if !touches || !data.solver_flags.contains(SolverFlags::COMPUTE_IMPULSES) {
            return;
        }
        let parts = [data.rigid_body1, data.rigid_body2].map(|body| body.and_then(|body| self.part_of(body)));
        if parts == [None, None] {
            return;
        }
        let colliders = [pair.collider1, pair.collider2];
        let [Some(first), Some(second)] = colliders.map(|collider| set.get(collider)) else { return };
        let prediction = prediction(parts.map(|part| part.map_or(0.0, |part| self.ways[part])));
        if on_ground.is_some_and(|on_ground| !on_ground.is_within(prediction)) {
            return;
        }
        let culling = rules.culling(colliders);
        let sides = [self.side(first, parts[0]), self.side(second, parts[1])];
        let normal = find_points(&sides, on_ground, manifold, bodies, &culling, prediction, &mut self.points);
        if law != ContactLaw::Rigid {
            // What cuts is told by its corners.
            self.points.retain(|point| point.share == 1.0);
        }
        let surfaces = rules.surfaces(colliders, [data.rigid_body1, data.rigid_body2], to_vec3(&normal), bodies);
        let [static_friction, dynamic_friction] = surfaces.friction.unwrap_or([data.friction; 2]).map(f64::from);
        let restitution = f64::from(surfaces.restitution.unwrap_or(data.restitution));
        let start = self.contacts.len();
        self.contacts.extend(self.points.iter().map(|point| {
            let [feature1, feature2] = point.features;
            Contact {
                id: id(colliders, [manifold.subshape1, manifold.subshape2, feature1, feature2]),
                parts,
                point: point.position,
                normal: -normal,
                gap: point.gap,
                static_friction,
                dynamic_friction,
                restitution,
                surface_velocity: from_vec3(surfaces.velocity),
                share: point.share,
            }
        }));
        if law != ContactLaw::Rigid && start < self.contacts.len() {
            cut_points(&mut self.contacts, start);
        }
        self.told.extend(self.contacts[start..].iter().map(|contact| {
            let Contact { point, normal, gap, .. } = *contact;
            ToldContact { colliders, point, normal, force: Vector3::zeros(), gap }
        }));
    }

    pub(super) fn side<'a>(&self, collider: &'a Collider, part: Option<PartIndex>) -> Side<'a> {
        let pose = match (part, collider.position_wrt_parent()) {
            (Some(part), Some(offset)) => self.solver.pose(part) * from_pose(offset),
            _ => from_pose(collider.position()),
        };
        let is_in_loop = part.is_some_and(|part| self.system.has_closures(self.system.tree_of(part)));
        Side { collider, pose, moves: part.is_some(), is_in_loop }
    }

    /// Notes what the contacts have done in a step of `time_step` seconds.
    pub(super) fn tell_contacts(&mut self, time_step: f64) {
        for (told, impulse) in self.told.iter_mut().zip(self.solver.impulses()) {
            told.force = impulse / time_step;
        }
    }
}

/// A number that the same point of the same two shapes has in every step; others may have it by chance, which costs some sweeps.
fn id(colliders: [ColliderHandle; 2], features: [u32; 4]) -> u64 {
    let colliders = colliders.map(|collider| collider.into_raw_parts().0);
    // FNV-1a, word by word.
    colliders.into_iter().chain(features).fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17)
    })
}
