use std::collections::BTreeMap;

use bevy::prelude::*;

use super::error::SnapshotError;
use super::registry::{Saved, SnapshotEntities, StateRegistry};
use crate::pace::start;

/// State of a simulation between two steps. It can be restored any number of times; the simulation then repeats bit for
/// bit.
///
/// It contains all registered state ([`RegisterSimulationState`](crate::RegisterSimulationState)): the clock, the state
/// of all bodies with their commands, motions and controllers, the initial data of a physics step, and state registered
/// by users. Recordings are not included: they append the following frames.
///
/// [`SimulationSnapshot::to_bytes`] and [`SimulationSnapshot::from_bytes`] transfer it to another process that has
/// loaded the same scene and has run its first step.
#[derive(Clone)]
pub struct SimulationSnapshot {
    /// By the name of the store.
    pub(super) states: BTreeMap<&'static str, Saved>,
    /// Entities that the states refer to, with their names.
    pub(super) entities: BTreeMap<Entity, String>,
    /// Whether it was read from a file, so entities are found by name.
    pub(super) is_foreign: bool,
}

impl SimulationSnapshot {
    /// Takes a snapshot between two steps.
    ///
    /// # Errors
    /// If a store has no state to take.
    pub fn take(world: &mut World) -> Result<Self, SnapshotError> {
        let registry = StateRegistry::of(world).clone();
        let mut states = BTreeMap::new();
        let mut entities = BTreeMap::new();
        for (name, store) in registry.stores {
            let saved = (store.take)(world)?;
            for entity in (store.entities)(&saved) {
                entities.entry(entity).or_insert_with(|| name_of(world, entity));
            }
            states.insert(name, saved);
        }
        Ok(Self { states, entities, is_foreign: false })
    }

    /// Restores the snapshot, in the world it was taken from or in that of another process with the same bodies, which
    /// is started if necessary.
    ///
    /// # Errors
    /// If the world does not match, for example because a body no longer exists. The state of the world is unchanged
    /// then.
    pub fn restore(&self, world: &mut World) -> Result<(), SnapshotError> {
        if self.is_foreign {
            start(world);
        }
        let registry = StateRegistry::of(world).clone();
        let entities = self.find(world, &registry)?;
        let stores: Vec<_> =
            self.states.iter().filter_map(|(name, saved)| Some((registry.stores.get(name)?, saved))).collect();
        for (store, saved) in &stores {
            (store.check)(saved, &entities, world)?;
        }
        for (store, saved) in stores {
            (store.restore)(saved, &entities, world);
        }
        Ok(())
    }

    fn find(&self, world: &mut World, registry: &StateRegistry) -> Result<SnapshotEntities, SnapshotError> {
        if !self.is_foreign {
            let gone = self.entities.keys().find(|entity| world.get_entity(**entity).is_err());
            return match gone {
                Some(gone) => Err(SnapshotError::NoEntity(*gone)),
                None => Ok(SnapshotEntities(self.entities.keys().map(|entity| (*entity, *entity)).collect())),
            };
        }
        // Only the stores determine which entities have state.
        let mut here: BTreeMap<String, Vec<Entity>> = BTreeMap::new();
        for store in registry.stores.values() {
            for entity in (store.entities)(&(store.take)(world)?) {
                let same = here.entry(name_of(world, entity)).or_default();
                if !same.contains(&entity) {
                    same.push(entity);
                }
            }
        }
        let mut there: BTreeMap<&str, Vec<Entity>> = BTreeMap::new();
        for (entity, name) in &self.entities {
            there.entry(name).or_default().push(*entity);
        }
        let mut found = BTreeMap::new();
        for (name, then) in there {
            let now = here.entry(name.to_owned()).or_default();
            now.sort_unstable();
            if now.len() != then.len() {
                return Err(SnapshotError::OtherEntities { name: name.to_owned(), then: then.len(), now: now.len() });
            }
            found.extend(then.into_iter().zip(now.iter().copied()));
        }
        Ok(SnapshotEntities(found))
    }
}

fn name_of(world: &World, entity: Entity) -> String {
    world.get::<Name>(entity).map_or_else(String::new, |name| name.as_str().to_owned())
}
