use bevy::prelude::Resource;
use bevy_rapier3d::rapier::geometry::ColliderHandle;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Contacts of the last step, of either solver.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReportedContacts(pub Vec<ReportedContact>);

/// A contact of the last step with its force.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct ReportedContact {
    pub colliders: [ColliderHandle; 2],
    /// m, in the world.
    pub point: Vector3<f64>,
    /// Unit vector out of the second into the first, world axes.
    pub normal: Vector3<f64>,
    /// On the first, N, world axes.
    pub force: Vector3<f64>,
    /// Negative: how deep the shapes were in each other, m.
    pub gap: f64,
}
