use bevy::prelude::*;
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

/// A kinematic root of a body whose joints are dynamic (Choreonoid's actuation mode "link position"): world pose of the root link at the end
/// of the next step. Without a pose the root does not move.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(opaque, Component)]
pub struct KinematicRoot(pub Option<Isometry3<f64>>);
