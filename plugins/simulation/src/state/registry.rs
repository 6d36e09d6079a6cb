//! The list of what is registered.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::ecs::component::ComponentId;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::SnapshotError;

/// How entities of a snapshot are found in the world that goes back to it.
///
/// In the world that it was taken in they are themselves. In another process they are those of the same [`Name`], in the order in
/// which they were spawned.
#[derive(Clone, Debug, Default)]
pub struct SnapshotEntities(pub(super) BTreeMap<Entity, Entity>);

impl SnapshotEntities {
    /// The entity that an entity of the snapshot is now.
    ///
    /// # Errors
    /// If there is none.
    pub fn now(&self, entity: Entity) -> Result<Entity, SnapshotError> {
        self.0.get(&entity).copied().ok_or(SnapshotError::NoEntity(entity))
    }
}

/// A way to keep state that is more than components or resources by themselves.
pub trait StateStore: 'static {
    /// What a snapshot keeps.
    type Saved: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The state as it is now, between two steps.
    ///
    /// # Errors
    /// If there is none to be taken.
    fn take(world: &mut World) -> Result<Self::Saved, SnapshotError>;

    /// The entities that the state knows.
    fn entities(_saved: &Self::Saved) -> Vec<Entity> {
        Vec::new()
    }

    /// Whether `saved` fits the world; nothing is restored if any store says no.
    ///
    /// # Errors
    /// Why it does not.
    fn check(saved: &Self::Saved, entities: &SnapshotEntities, world: &mut World) -> Result<(), SnapshotError>;

    /// Goes back to `saved`, which was checked.
    fn restore(saved: &Self::Saved, entities: &SnapshotEntities, world: &mut World);
}

/// The state of one store, whatever its type.
pub(super) type Saved = Arc<dyn Any + Send + Sync>;

type CheckFn = fn(&Saved, &SnapshotEntities, &mut World) -> Result<(), SnapshotError>;

/// A [`StateStore`] without its type.
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

/// Everything that is registered, by name.
#[derive(Resource, Clone, Default)]
pub(super) struct StateRegistry {
    pub stores: BTreeMap<&'static str, Entry>,
    /// Components and resources that need no store: those that have one, and those that hold nothing from step to step.
    pub known: BTreeSet<ComponentId>,
    /// Schedules that systems of a step run.
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
