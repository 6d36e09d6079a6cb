//! Rapier's manifolds as contacts.

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bevy_rapier3d::rapier::geometry::{ColliderHandle, ContactManifold, ContactPair, NarrowPhase, SolverFlags};
use nalgebra::Vector3;

use super::MultibodyWorld;
use super::prediction::prediction;
use super::told_contact::ToldContact;
use crate::world::contacts::ContactRules;
use crate::world::convert::from_vec3;
use bunraku_multibody::Contact;

impl MultibodyWorld {
    /// Collects what rapier has detected.
    pub(super) fn collect(&mut self, narrow_phase: &NarrowPhase, bodies: &RigidBodySet, rules: &ContactRules) {
        self.contacts.clear();
        self.told.clear();
        let mut pairs: Vec<&ContactPair> = narrow_phase.contact_pairs().collect();
        // Rapier's order depends on what has come and gone elsewhere, and a body's motion must not.
        pairs.sort_unstable_by_key(|pair| [pair.collider1, pair.collider2].map(ColliderHandle::into_raw_parts));
        for pair in pairs {
            for manifold in pair.solver_manifolds() {
                self.collect_manifold(pair, manifold, bodies, rules);
            }
        }
    }

    fn collect_manifold(
        &mut self,
        pair: &ContactPair,
        manifold: &ContactManifold,
        bodies: &RigidBodySet,
        rules: &ContactRules,
    ) {
        let data = &manifold.data;
        if data.solver_contacts.is_empty() || !data.solver_flags.contains(SolverFlags::COMPUTE_IMPULSES) {
            return;
        }
        let parts = [data.rigid_body1, data.rigid_body2].map(|body| body.and_then(|body| self.part_of(body)));
        if parts == [None, None] {
            return;
        }
        let colliders = [pair.collider1, pair.collider2];
        let surfaces = rules.surfaces(colliders, [data.rigid_body1, data.rigid_body2], data.normal, bodies);
        let [static_friction, dynamic_friction] = surfaces.friction.unwrap_or([data.friction; 2]).map(f64::from);
        let restitution = f64::from(surfaces.restitution.unwrap_or(data.restitution));
        let normal = -from_vec3(data.normal).normalize();
        // The first side's arm is that of its centre of mass, but for one that other bodies do not move at all.
        let anchor = data.rigid_body1.filter(|_| data.relative_dominance <= 0).and_then(|body| bodies.get(body));
        let center = anchor.map_or_else(Vector3::zeros, |body| from_vec3(body.center_of_mass()));
        let prediction = prediction(parts.map(|part| part.map_or(0.0, |part| self.ways[part.0])));
        for solver_contact in data.solver_contacts.iter().filter(|contact| contact.dist < prediction) {
            let gap = f64::from(solver_contact.dist);
            let [index] = solver_contact.contact_indices();
            let Some(tracked) = manifold.points.get(index as usize) else { continue };
            let point = center + from_vec3(tracked.data.solver_dp1);
            let features = [manifold.subshape1, manifold.subshape2, tracked.fid1.0, tracked.fid2.0];
            self.contacts.push(Contact {
                id: id(colliders, features),
                parts,
                point,
                normal,
                gap,
                static_friction,
                dynamic_friction,
                restitution,
                surface_velocity: from_vec3(surfaces.velocity),
            });
            self.told.push(ToldContact { colliders, point, normal, force: Vector3::zeros(), gap });
        }
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
