use bevy::prelude::*;
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

/// A root that follows given poses while the joints of the body move by forces: what Choreonoid calls the actuation mode
/// "link position".
///
/// It holds the world pose that the root link shall have at the end of the coming step; without one it stays.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(opaque, Component)]
pub struct GuidedRoot(pub Option<Isometry3<f64>>);
