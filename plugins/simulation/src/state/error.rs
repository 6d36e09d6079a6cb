use bevy::prelude::*;

/// Why there is nothing to take or to go back to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// An entity of the snapshot is not there (any more).
    #[error("an entity of the snapshot is not in this world: {0}")]
    NoEntity(Entity),
    /// The world has other entities of this name than the snapshot.
    #[error("the snapshot has {then} entities with state called `{name}`, this world has {now}")]
    OtherEntities {
        /// What they are called.
        name: String,
        /// How many the snapshot has.
        then: usize,
        /// How many there are.
        now: usize,
    },
    /// An entity has lost a component.
    #[error("{entity} has no {component}, but had one when the snapshot was taken")]
    NoComponent {
        /// The entity.
        entity: Entity,
        /// Name of its type.
        component: String,
    },
    /// A resource is not there (any more).
    #[error("there is no {0}, but there was one when the snapshot was taken")]
    NoResource(String),
    /// A store has nothing to take, or cannot go back.
    #[error("{0}")]
    Unfit(String),
    /// The bytes are not a snapshot.
    #[error("this is not a snapshot of a simulation")]
    NoSnapshot,
    /// The bytes were written by another version.
    #[error("the snapshot was written by version {found}, this is version {expected}")]
    OtherVersion {
        /// Version that wrote it.
        found: String,
        /// Version that reads it.
        expected: String,
    },
    /// The app that wrote it had other state registered.
    #[error("the snapshot and this app have not the same state registered: {0}")]
    OtherState(String),
    /// The bytes end early or say what cannot be.
    #[error("the snapshot is damaged: {0}")]
    Damaged(String),
}
