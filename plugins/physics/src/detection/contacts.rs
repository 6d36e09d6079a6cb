//! Contacts of the pairs that the broad phase found.

use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bevy_rapier3d::rapier::geometry::ColliderHandle;
use nalgebra::UnitQuaternion;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::shape::SharedShape;

use super::patches::{Patch, Side};
use super::prediction::prediction;
use super::shapes::Converted;
use super::state::{Candidate, Detection, Poses};
use crate::model::contact_law::ContactLaw;
use crate::world::contacts::ContactRules;
use crate::world::convert::{from_pose, to_f64_pose};
use bunraku_multibody::{Contact, PartIndex, cut_points};

/// Rounding of sums of distances, m.
const ROUNDING: f64 = 1e-6;

impl Detection {
    /// Finds the contacts of all candidate pairs.
    pub fn find_contacts(&mut self, poses: Poses<'_>, bodies: &RigidBodySet, rules: &ContactRules, law: ContactLaw) {
        self.contacts.clear();
        self.colliders.clear();
        let (shapes, mut patches) = (std::mem::take(&mut self.shapes), std::mem::take(&mut self.patches));
        for index in 0..self.candidates.len() {
            let pair = self.candidates[index];
            let parts = pair.parts.iter().flatten();
            let travelled = parts.clone().map(|&part| self.travelled[part]).sum::<f64>();
            let reach = prediction(pair.parts.map(|part| part.map_or(0.0, |part| self.half_steps[part]))) + pair.skin;
            if travelled + reach < pair.apart_until {
                continue;
            }
            let [Some(first), Some(second)] = pair.colliders.map(|collider| shapes.get(collider)) else { continue };
            let sides = [side(poses, first, pair.parts[0]), side(poses, second, pair.parts[1])];
            patches.find(&sides, pair.colliders.map(|collider| rules.mesh(collider)), reach);
            let mut touches = false;
            for patch in patches.iter_mut() {
                touches = true;
                patch.reduce(&rules.culling(pair.colliders), reach);
                self.add_contacts(&pair, patch, (rules, law), |side| rotation(poses, bodies, &pair, side));
            }
            if !touches {
                self.candidates[index].apart_until = travelled + box_distance(&sides) - ROUNDING;
            }
        }
        (self.shapes, self.patches) = (shapes, patches);
    }

    /// Adds the contacts of a patch.
    fn add_contacts(
        &mut self,
        pair: &Candidate,
        patch: &Patch,
        (rules, law): (&ContactRules, ContactLaw),
        rotation: impl Fn(usize) -> UnitQuaternion<f64>,
    ) {
        let normal = patch.normal;
        // Detection finds no normal where shapes just meet with their cores: it is NaN.
        if !normal.iter().all(|component| component.is_finite()) {
            return;
        }
        let Candidate { colliders, parts, .. } = *pair;
        let [friction, restitution] = pair.usual;
        let [static_friction, dynamic_friction, restitution] =
            rules.coefficients(colliders).map_or([friction, friction, restitution], |own| {
                [own.static_friction, own.dynamic_friction, own.restitution].map(f64::from)
            });
        let surface_velocity = rules.surface_velocity(colliders, &normal, rotation);
        let start = self.contacts.len();
        // Choreonoid's law takes corners; the middle of a line has another share.
        let points = patch.points.iter().filter(|point| law == ContactLaw::Rigid || point.share == 1.0);
        self.contacts.extend(points.map(|point| Contact {
            id: id(colliders, patch.identifiers(point)),
            parts,
            point: point.position,
            normal: -normal,
            gap: point.gap - pair.skin,
            static_friction,
            dynamic_friction,
            restitution,
            surface_velocity,
            share: point.share,
        }));
        if law != ContactLaw::Rigid && start < self.contacts.len() {
            cut_points(&mut self.contacts, start);
        }
        self.colliders.resize(self.contacts.len(), colliders);
    }
}

/// Rotation of the rigid body of a side. Of a part it is the solver's: rapier's is that of the last update of the broad phase.
fn rotation(poses: Poses<'_>, bodies: &RigidBodySet, pair: &Candidate, side: usize) -> UnitQuaternion<f64> {
    match pair.parts[side] {
        Some(part) => poses.solver.pose(part).rotation,
        None => {
            let body = pair.owners[side].and_then(|body| bodies.get(body));
            body.map_or_else(UnitQuaternion::identity, |body| from_pose(body.position()).rotation)
        }
    }
}

fn side<'a>(poses: Poses<'_>, collider: &'a Converted, part: Option<PartIndex>) -> Side<'a> {
    let pose = part.map_or(collider.pose, |part| poses.solver.pose(part) * collider.pose);
    Side { shape: &collider.shape, pose, moves: part.is_some() }
}

/// Identifies a point of two colliders in every step. Two points may share an identifier by chance, which costs iterations.
fn id(colliders: [ColliderHandle; 2], features: [u32; 4]) -> u64 {
    let colliders = colliders.map(|collider| collider.into_raw_parts().0);
    // FNV-1a, word by word.
    colliders.into_iter().chain(features).fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17)
    })
}

/// A lower bound of the distance of two shapes, m: that of the box about each to the other, in the frame of the other.
fn box_distance(sides: &[Side<'_>; 2]) -> f64 {
    let [pose1, pose2] = sides.map(|side| to_f64_pose(&side.pose));
    let distance = |own: &SharedShape, other: &SharedShape, between: &Pose| {
        let (own, other) = (own.compute_local_aabb(), other.compute_aabb(between));
        (own.mins - other.maxs).max(other.mins - own.maxs).max(Vector::ZERO).length()
    };
    let between = pose1.inv_mul(&pose2);
    let [shape1, shape2] = sides.map(|side| side.shape);
    distance(shape1, shape2, &between).max(distance(shape2, shape1, &between.inverse()))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::super::contact_point::ContactPoint;
    use super::*;

    #[test]
    fn a_normal_that_is_nan_makes_no_contact() {
        let pair = Candidate {
            colliders: [ColliderHandle::invalid(); 2],
            owners: [None; 2],
            parts: [None; 2],
            skin: 0.0,
            usual: [0.5, 0.0],
            apart_until: 0.0,
        };
        let made = |normal: Vector3<f64>| {
            let mut world = Detection::default();
            let point = ContactPoint { position: Vector3::zeros(), gap: -0.1, features: [0; 2], share: 1.0 };
            let mut patch = Patch::default();
            (patch.normal, patch.points) = (normal, vec![point]);
            world.add_contacts(&pair, &patch, (&ContactRules::default(), ContactLaw::Rigid), |_| {
                UnitQuaternion::identity()
            });
            (world.contacts.len(), world.colliders.len())
        };
        assert_eq!(made(Vector3::z()), (1, 1));
        assert_eq!(made(Vector3::new(0.0, f64::NAN, 0.0)), (0, 0));
    }
}
