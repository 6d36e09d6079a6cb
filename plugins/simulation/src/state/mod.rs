//! State of a simulation between steps, registered so that snapshots contain all of it.

mod audit;
mod error;
mod file;
mod register;
mod registry;
mod snapshot;
mod stores;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use audit::unregistered_state;
pub use error::SnapshotError;
pub use register::RegisterSimulationState;
pub(crate) use registry::init;
pub use registry::{SnapshotEntities, StateStore};
pub use snapshot::SimulationSnapshot;

/// State of a component or resource: the part of it that changes in steps.
///
/// A type that can be cloned and serialized is its own state. Implement the trait by hand for components that contain
/// large constant data, such as a motion, or cannot be serialized.
pub trait SimulationState: Send + Sync + 'static {
    /// Type stored in a snapshot.
    type Saved: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The current state.
    fn save(&self) -> Self::Saved;

    /// Restores a state of the same component.
    fn restore(&mut self, saved: &Self::Saved);
}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> SimulationState for T {
    type Saved = T;

    fn save(&self) -> T {
        self.clone()
    }

    fn restore(&mut self, saved: &T) {
        self.clone_from(saved);
    }
}
