//! Rapier's manifolds as contacts.

use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{
    Collider, ColliderHandle, ColliderSet, ContactManifold, ContactPair, NarrowPhase, SolverFlags,
};
use nalgebra::Vector3;

use super::MultibodyWorld;
use super::ground_faces::OnGround;
use super::manifold::find_points;
use super::prediction::prediction;
use super::surface_points::{Point, Side};
use super::told_contact::ToldContact;
use crate::model::contact_law::ContactLaw;
use crate::world::contacts::ContactRules;
use crate::world::convert::{from_pose, from_vec3, to_vec3};
use crate::world::mesh_edges::MeshEdges;
use bunraku_multibody::{Contact, PartIndex, cut_points};

/// Two colliders that may touch.
struct Pair<'a> {
    colliders: [ColliderHandle; 2],
    owners: [Option<RigidBodyHandle>; 2],
    parts: [Option<PartIndex>; 2],
    sides: [Side<'a>; 2],
    /// Surfaces that are nearer are in contact, m.
    prediction: f32,
}

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
            let meshes = [pair.collider1, pair.collider2].map(|collider| rules.mesh(collider));
            if meshes.iter().all(Option::is_none) {
                for manifold in pair.solver_manifolds() {
                    self.collect_manifold((pair, on_ground), manifold, colliders, bodies, rules, law);
                }
            } else {
                self.collect_mesh(pair, meshes, colliders, bodies, rules, law);
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
        let Some(pair) = self.pair([pair.collider1, pair.collider2], set) else { return };
        if on_ground.is_some_and(|on_ground| !on_ground.is_within(pair.prediction)) {
            return;
        }
        let culling = rules.culling(pair.colliders);
        let normal = find_points(&pair.sides, on_ground, manifold, bodies, &culling, pair.prediction, &mut self.points);
        let [shape1, shape2] = [manifold.subshape1, manifold.subshape2];
        let numbers = |point: &Point| [shape1, shape2, point.features[0], point.features[1]];
        self.add_contacts(&pair, (normal, numbers), [data.friction, data.restitution], (bodies, rules, law));
    }

    /// Collects the contacts of a pair one of which is a mesh.
    fn collect_mesh(
        &mut self,
        pair: &ContactPair,
        meshes: [Option<&MeshEdges>; 2],
        set: &ColliderSet,
        bodies: &RigidBodySet,
        rules: &ContactRules,
        law: ContactLaw,
    ) {
        let Some(data) = pair.manifolds.first().map(|manifold| &manifold.data) else { return };
        if !data.solver_flags.contains(SolverFlags::COMPUTE_IMPULSES) {
            return;
        }
        let (manifolds, usual) = (&pair.manifolds, [data.friction, data.restitution]);
        let Some(pair) = self.pair([pair.collider1, pair.collider2], set) else { return };
        let mut patches = std::mem::take(&mut self.mesh_patches);
        patches.find(&pair.sides, meshes, manifolds, pair.prediction);
        for patch in patches.iter() {
            patch.tell(&pair.sides, &rules.culling(pair.colliders), &mut self.points);
            let numbers = |point: &Point| patch.numbers(point);
            self.add_contacts(&pair, (patch.normal, numbers), usual, (bodies, rules, law));
        }
        self.mesh_patches = patches;
    }

    /// Two colliders; `None` if neither moves.
    fn pair<'a>(&self, colliders: [ColliderHandle; 2], set: &'a ColliderSet) -> Option<Pair<'a>> {
        let [first, second] = [set.get(colliders[0])?, set.get(colliders[1])?];
        let owners = [first, second].map(Collider::parent);
        let parts = owners.map(|body| self.part_of(body?));
        if parts == [None, None] {
            return None;
        }
        let prediction = prediction(parts.map(|part| part.map_or(0.0, |part| self.ways[part])));
        let sides = [self.side(first, parts[0]), self.side(second, parts[1])];
        Some(Pair { colliders, owners, parts, sides, prediction })
    }

    /// Adds contacts at the points that were found, with their normal out of the first side. `numbers` tell a point from others of the pair,
    /// `usual` are friction and restitution where the colliders are not ours.
    fn add_contacts(
        &mut self,
        pair: &Pair<'_>,
        (normal, numbers): (Vector3<f64>, impl Fn(&Point) -> [u32; 4]),
        usual: [f32; 2],
        (bodies, rules, law): (&RigidBodySet, &ContactRules, ContactLaw),
    ) {
        // Detection finds no normal where shapes just meet with their cores: it is NaN.
        if !normal.iter().all(|component| component.is_finite()) {
            return;
        }
        if law != ContactLaw::Rigid {
            // What cuts is told by its corners.
            self.points.retain(|point| point.share == 1.0);
        }
        let Pair { colliders, owners, parts, .. } = *pair;
        let surfaces = rules.surfaces(colliders, owners, to_vec3(&normal), bodies);
        let [static_friction, dynamic_friction] = surfaces.friction.unwrap_or([usual[0]; 2]).map(f64::from);
        let restitution = f64::from(surfaces.restitution.unwrap_or(usual[1]));
        let start = self.contacts.len();
        self.contacts.extend(self.points.iter().map(|point| Contact {
            id: id(colliders, numbers(point)),
            parts,
            point: point.position,
            normal: -normal,
            gap: point.gap,
            static_friction,
            dynamic_friction,
            restitution,
            surface_velocity: from_vec3(surfaces.velocity),
            share: point.share,
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
        let margin = part.map_or(0.0, |part| self.margins[part]);
        Side { collider, pose, moves: part.is_some(), margin, is_in_loop }
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

#[cfg(test)]
mod tests {
    use bevy_rapier3d::rapier::geometry::ColliderBuilder;
    use nalgebra::Isometry3;

    use super::*;

    #[test]
    fn a_normal_that_is_nan_makes_no_contact() {
        let ball = ColliderBuilder::ball(0.1).build();
        let side = Side { collider: &ball, pose: Isometry3::identity(), moves: true, margin: 0.0, is_in_loop: false };
        let pair = Pair {
            colliders: [ColliderHandle::invalid(); 2],
            owners: [None; 2],
            parts: [None; 2],
            sides: [side; 2],
            prediction: 0.002,
        };
        let made = |normal: Vector3<f64>| {
            let mut world = MultibodyWorld::default();
            world.points.push(Point { position: Vector3::zeros(), gap: -0.1, features: [0; 2], share: 1.0 });
            let (bodies, rules) = (RigidBodySet::new(), ContactRules::default());
            world.add_contacts(&pair, (normal, |_: &Point| [0; 4]), [0.5, 0.0], (&bodies, &rules, ContactLaw::Rigid));
            (world.contacts.len(), world.told.len())
        };
        assert_eq!(made(Vector3::z()), (1, 1));
        assert_eq!(made(Vector3::new(0.0, f64::NAN, 0.0)), (0, 0));
    }
}
