//! What a simulation keeps from step to step, registered so that snapshots hold all of it.

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

/// State of a component or resource: what of it changes in steps.
///
/// Whatever can be cloned and serialized is its own state. Implement it by hand for components that also hold what never changes and
/// is too large to be kept, such as a motion, or that cannot be serialized.
pub trait SimulationState: Send + Sync + 'static {
    /// What a snapshot keeps.
    type Saved: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The state as it is now.
    fn save(&self) -> Self::Saved;

    /// Goes back to a state of the same component.
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
