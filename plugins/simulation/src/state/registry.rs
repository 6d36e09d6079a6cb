//! Registry of simulation state.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::ecs::component::ComponentId;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::SnapshotError;

/// Maps entities of a snapshot to those of the world in which it is restored.
///
/// In the world it was taken from they are the same. In another process they are those with the same [`Name`], in the
/// order of spawning.
#[derive(Clone, Debug, Default)]
pub struct SnapshotEntities(pub(super) BTreeMap<Entity, Entity>);

impl SnapshotEntities {
    /// The entity that corresponds to an entity of the snapshot.
    ///
    /// # Errors
    /// If there is no such entity.
    pub fn now(&self, entity: Entity) -> Result<Entity, SnapshotError> {
        self.0.get(&entity).copied().ok_or(SnapshotError::NoEntity(entity))
    }
}

/// Storage of state that is more than individual components or resources.
pub trait StateStore: 'static {
    /// Type stored in a snapshot.
    type Saved: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The current state, between two steps.
    ///
    /// # Errors
    /// If it cannot be taken.
    fn take(world: &mut World) -> Result<Self::Saved, SnapshotError>;

    /// Entities that the state refers to.
    fn entities(_saved: &Self::Saved) -> Vec<Entity> {
        Vec::new()
    }

    /// Checks that `saved` matches the world. If any store returns an error, nothing is restored.
    ///
    /// # Errors
    /// The reason.
    fn check(saved: &Self::Saved, entities: &SnapshotEntities, world: &mut World) -> Result<(), SnapshotError>;

    /// Restores `saved`, which was checked.
    fn restore(saved: &Self::Saved, entities: &SnapshotEntities, world: &mut World);
}

/// State of one store, type-erased.
pub(super) type Saved = Arc<dyn Any + Send + Sync>;

type CheckFn = fn(&Saved, &SnapshotEntities, &mut World) -> Result<(), SnapshotError>;

/// A type-erased [`StateStore`].
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub take: fn(&mut World) -> Result<Saved, SnapshotError>,
    pub entities: fn(&Saved) -> Vec<Entity>,
    pub check: CheckFn,
    pub restore: fn(&Saved, &SnapshotEntities, &mut World),
    pub write: fn(&Saved) -> Result<Vec<u8>, postcard::Error>,
    pub read: fn(&[u8]) -> Result<Saved, postcard::Error>,
}

impl Entry {
    pub fn of<S: StateStore>() -> Self {
        fn saved<S: StateStore>(saved: &Saved) -> Option<&S::Saved> {
            saved.downcast_ref()
        }
        Self {
            take: |world| Ok(Arc::new(S::take(world)?)),
            entities: |any| saved::<S>(any).map(S::entities).unwrap_or_default(),
            check: |any, entities, world| saved::<S>(any).map_or(Ok(()), |saved| S::check(saved, entities, world)),
            restore: |any, entities, world| {
                if let Some(saved) = saved::<S>(any) {
                    S::restore(saved, entities, world);
                }
            },
            write: |any| saved::<S>(any).map_or(Ok(Vec::new()), postcard::to_stdvec),
            read: |bytes| Ok(Arc::new(postcard::from_bytes::<S::Saved>(bytes)?)),
        }
    }
}

/// All registered stores, by name.
#[derive(Resource, Clone, Default)]
pub(super) struct StateRegistry {
    pub stores: BTreeMap<&'static str, Entry>,
    /// Components and resources that need no further store: those that have one, and those that are ignored.
    pub known: BTreeSet<ComponentId>,
    /// Schedules run by systems of a step.
    pub nested: Vec<InternedScheduleLabel>,
}

impl StateRegistry {
    pub fn of(world: &mut World) -> Mut<'_, Self> {
        world.get_resource_or_init()
    }
}

pub(crate) fn init(world: &mut World) {
    StateRegistry::of(world);
}
