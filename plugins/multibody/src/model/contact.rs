use nalgebra::Vector3;

use crate::model::index::PartIndex;

/// A contact point of two parts, or of a part and the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Identifies the point across steps, for the warm start.
    pub id: u64,
    /// The two parts; `None` is the static world.
    pub parts: [Option<PartIndex>; 2],
    /// m, in the world, in the middle of the step.
    pub point: Vector3<f64>,
    /// Unit vector out of the second into the first, world axes.
    pub normal: Vector3<f64>,
    /// Distance of the surfaces along the normal, m; negative for a penetration.
    pub gap: f64,
    /// Coefficient of friction between surfaces that do not slide.
    pub static_friction: f64,
    /// Coefficient of friction between surfaces that slide.
    pub dynamic_friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Surface velocity of the first relative to its part, less that of the second, m/s, world axes.
    pub surface_velocity: Vector3<f64>,
    /// Relative weight of this point among those of the same parts; 1 by default. Points share a load that rigid bodies do not determine
    /// in proportion to it.
    pub share: f64,
}
