//! Which colliders touch, and with what friction.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bevy::prelude::*;
use bevy_rapier3d::rapier::geometry::{ColliderHandle, ContactManifold, SolverFlags};
use bevy_rapier3d::rapier::math::Vector;
use bevy_rapier3d::rapier::pipeline::{ContactModificationContext, PairFilterContext, PhysicsHooks};
use bunraku_body::{ContactMaterials, LinkIndex};

/// The contact material table of the world; insert it before the simulation starts.
#[derive(Resource, Clone, Debug, Default)]
pub struct SurfaceMaterials(pub ContactMaterials);

/// A link of a body entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkOfBody {
    pub body: Entity,
    pub link: LinkIndex,
}

/// Number of a contact material in [`ContactRules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MaterialNumber(usize);

#[derive(Clone, Copy, Debug)]
struct ColliderInfo {
    owner: LinkOfBody,
    material: MaterialNumber,
}

#[derive(Clone, Copy, Debug)]
struct Coefficients {
    friction: f32,
    restitution: f32,
}

/// What rapier asks about pairs of colliders, ready to be looked up by index.
///
/// Colliders that rapier users add themselves are unknown here and keep rapier's own rules.
#[derive(Resource, Debug, Default)]
pub(crate) struct ContactRules {
    /// By the index part of the collider handle.
    colliders: Vec<Option<(ColliderHandle, ColliderInfo)>>,
    materials: Vec<Option<String>>,
    /// Square table by material numbers.
    pairs: Vec<Coefficients>,
    /// Colliders of each link, in the order in which rapier took them in.
    by_link: BTreeMap<LinkOfBody, Vec<ColliderHandle>>,
    /// What the contacts of this step were started with; a manifold's user data is its place here.
    ///
    /// Rapier shares its hooks, so that what they write needs a lock; nobody ever waits for it.
    seeds: Mutex<Vec<ContactSeeds>>,
}

/// The most points a contact manifold gives to rapier's solver.
const POINTS: usize = 4;

/// Impulses that the solver carried over from the step before as a first guess, for each of its points of a manifold. They
/// are in the sums that rapier reports although they were not applied twice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactSeeds {
    /// Along the normal, N·s.
    pub normal: [f32; POINTS],
    /// On the first body, world axes, N·s.
    pub friction: [Vector; POINTS],
}

impl ContactRules {
    /// Registers a collider of a body.
    pub fn add(&mut self, handle: ColliderHandle, owner: LinkOfBody, material: Option<&str>, table: &ContactMaterials) {
        let material = self.material_number(material, table);
        let index = index(handle);
        if self.colliders.len() <= index {
            self.colliders.resize(index + 1, None);
        }
        self.colliders[index] = Some((handle, ColliderInfo { owner, material }));
        self.by_link.entry(owner).or_default().push(handle);
    }

    /// The link that a collider belongs to; `None` for one that is not ours.
    pub fn owner(&self, handle: ColliderHandle) -> Option<LinkOfBody> {
        self.info(handle).map(|info| info.owner)
    }

    /// Colliders of a link.
    pub fn colliders_of(&self, link: LinkOfBody) -> &[ColliderHandle] {
        self.by_link.get(&link).map_or(&[], Vec::as_slice)
    }

    /// Forgets what belongs to the step before.
    pub fn begin_step(&mut self) {
        self.seeds.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What the contacts of a manifold were started with in the last step.
    pub fn seeds(&self, manifold: &ContactManifold) -> ContactSeeds {
        let seeds = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        seeds.get(manifold.data.user_data as usize).copied().unwrap_or_default()
    }

    fn remember_seeds(&self, context: &mut ContactModificationContext<'_>) {
        let mut seeds = ContactSeeds::default();
        let places = seeds.normal.iter_mut().zip(&mut seeds.friction);
        for (contact, (normal, friction)) in context.solver_contacts.iter().zip(places) {
            let [place] = contact.contact_indices();
            if let Some(point) = context.manifold.points.get(place as usize) {
                *normal = point.data.warmstart_impulse;
                *friction = point.data.warmstart_tangent_world;
            }
        }
        let mut all = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        // A step does not have four thousand million manifolds.
        *context.user_data = u32::try_from(all.len()).unwrap_or(u32::MAX);
        all.push(seeds);
    }

    fn material_number(&mut self, name: Option<&str>, table: &ContactMaterials) -> MaterialNumber {
        if let Some(number) = self.materials.iter().position(|known| known.as_deref() == name) {
            return MaterialNumber(number);
        }
        self.materials.push(name.map(str::to_owned));
        let materials = &self.materials;
        let pairs = materials.iter().flat_map(|first| {
            materials.iter().map(|second| {
                let properties = table.between(first.as_deref(), second.as_deref());
                // Rapier knows one coefficient: the dynamic one, which also holds the load at rest.
                #[allow(clippy::cast_possible_truncation)]
                Coefficients {
                    friction: properties.dynamic_friction as f32,
                    restitution: properties.restitution as f32,
                }
            })
        });
        self.pairs = pairs.collect();
        MaterialNumber(self.materials.len() - 1)
    }

    fn info(&self, handle: ColliderHandle) -> Option<ColliderInfo> {
        let (known, info) = self.colliders.get(index(handle)).copied().flatten()?;
        // A place is used again after its collider is gone.
        (known == handle).then_some(info)
    }
}

impl PhysicsHooks for ContactRules {
    /// Links of one body do not collide with each other.
    fn filter_contact_pair(&self, context: &PairFilterContext<'_>) -> Option<SolverFlags> {
        match (self.info(context.collider1), self.info(context.collider2)) {
            (Some(first), Some(second)) if first.owner.body == second.owner.body => None,
            _ => Some(SolverFlags::COMPUTE_IMPULSES),
        }
    }

    /// Friction and restitution belong to the pair of materials.
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext<'_>) {
        if context.solver_contacts.is_empty() {
            return;
        }
        self.remember_seeds(context);
        if let (Some(first), Some(second)) = (self.info(context.collider1), self.info(context.collider2)) {
            let pair = self.pairs[first.material.0 * self.materials.len() + second.material.0];
            *context.friction = pair.friction;
            *context.restitution = pair.restitution;
        }
    }
}

fn index(handle: ColliderHandle) -> usize {
    handle.into_raw_parts().0 as usize
}
