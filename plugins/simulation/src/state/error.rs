use bevy::prelude::*;

/// Reason why a snapshot cannot be taken or restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// An entity of the snapshot does not exist (any more).
    #[error("an entity of the snapshot is not in this world: {0}")]
    NoEntity(Entity),
    /// The numbers of entities with this name differ between snapshot and world.
    #[error("the snapshot has {then} entities with state called `{name}`, this world has {now}")]
    OtherEntities {
        /// Name of the entities.
        name: String,
        /// Number in the snapshot.
        then: usize,
        /// Number in the world.
        now: usize,
    },
    /// An entity no longer has a component.
    #[error("{entity} has no {component}, but had one when the snapshot was taken")]
    NoComponent {
        /// The entity.
        entity: Entity,
        /// Name of the component's type.
        component: String,
    },
    /// A resource does not exist (any more).
    #[error("there is no {0}, but there was one when the snapshot was taken")]
    NoResource(String),
    /// A store has no state to take, or cannot be restored.
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
    /// The app that wrote it had other registered state.
    #[error("the snapshot and this app have not the same state registered: {0}")]
    OtherState(String),
    /// The bytes are truncated or inconsistent.
    #[error("the snapshot is damaged: {0}")]
    Damaged(String),
}
