use nalgebra::Vector3;

use super::index::PartIndex;

/// A point in which two parts, or a part and the world, touch or are about to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The same number stands for the same point in the step before: the solve begins with the impulse that it had then.
    pub id: u64,
    /// What touches; `None` is the world, which does not move.
    pub parts: [Option<PartIndex>; 2],
    /// m, in the world, in the middle of the step.
    pub point: Vector3<f64>,
    /// Unit vector out of the second into the first, world axes.
    pub normal: Vector3<f64>,
    /// How far apart the surfaces are along the normal, m; negative for how deep they are in each other.
    pub gap: f64,
    /// Coefficient of friction between surfaces that do not slide.
    pub static_friction: f64,
    /// Coefficient of friction between surfaces that slide.
    pub dynamic_friction: f64,
    /// Share of the velocity of approach with which they part again.
    pub restitution: f64,
    /// How the first one's surface runs along its part, less the same of the second, m/s, world axes.
    pub surface_velocity: Vector3<f64>,
    /// For how much of the surfaces the point stands, beside other points of the same parts; 1 where nothing tells them apart. Where rigid
    /// bodies do not determine how points share a load, they do so by these.
    pub share: f64,
}
