//! Which colliders touch, and with what friction.

use bevy::prelude::*;
use bevy_rapier3d::rapier::geometry::{ColliderHandle, SolverFlags};
use bevy_rapier3d::rapier::pipeline::{ContactModificationContext, PairFilterContext, PhysicsHooks};
use bunraku_body::ContactMaterials;

/// The contact material table of the world; insert it before the simulation starts.
#[derive(Resource, Clone, Debug, Default)]
pub struct SurfaceMaterials(pub ContactMaterials);

/// Number of a body among the simulated ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyNumber(pub u32);

/// Number of a contact material in [`ContactRules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MaterialNumber(usize);

#[derive(Clone, Copy, Debug)]
struct ColliderInfo {
    body: BodyNumber,
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
}

impl ContactRules {
    /// Registers a collider of a body.
    pub fn add(&mut self, handle: ColliderHandle, body: BodyNumber, material: Option<&str>, table: &ContactMaterials) {
        let material = self.material_number(material, table);
        let index = index(handle);
        if self.colliders.len() <= index {
            self.colliders.resize(index + 1, None);
        }
        self.colliders[index] = Some((handle, ColliderInfo { body, material }));
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
            (Some(first), Some(second)) if first.body == second.body => None,
            _ => Some(SolverFlags::COMPUTE_IMPULSES),
        }
    }

    /// Friction and restitution belong to the pair of materials.
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext<'_>) {
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
