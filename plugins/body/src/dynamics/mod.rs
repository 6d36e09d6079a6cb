//! Rigid body dynamics: Jacobians, inverse dynamics, mass matrix, momentum and energy.
//!
//! All functions start from a [`Configuration`]: a body with a root pose and joint displacements. The algorithms are
//! those of R. Featherstone, *Rigid Body Dynamics Algorithms* (Springer, 2008), written in world axes.
//!
//! # Conventions
//!
//! - SI: m, kg, s, rad, N, N·m. All vectors are along the axes of the **world**.
//! - A [`Twist`] of a link is the velocity of its **link origin** and its angular velocity; a [`Wrench`] on a link is a
//!   force and the torque about its link origin. Pairs are ordered linear part first, then angular.
//! - The body has [`num_coordinates`] velocities. If the root is free, the first 6 are the twist of the root. Then
//!   there is one for each entry of the joint vector ([`Body::joints`]), rad/s or m/s. The first 6 are absent if the
//!   root is fixed.
//! - Entries of the joint vector that move nothing (unused IDs, IDs of fixed links or crawlers, free links below the
//!   root) give zero rows and columns and zero efforts. Given values for them are ignored.
//! - In given joint vectors, missing entries count as 0 and surplus ones are ignored.
//! - If the inertia in a model is not symmetric, its symmetric part is used.
//! - The equivalent rotor inertia of a joint resists its own acceleration and adds to its kinetic energy. It has no
//!   effect on other joints: gyroscopic effects of rotors are neglected.

#![expect(
    clippy::indexing_slicing,
    reason = "vectors of a configuration have an entry for each link, those of coordinates for each coordinate of the body"
)]

mod configuration;
mod energy;
mod inverse;
mod jacobian;
mod mass_matrix;

use nalgebra::Vector3;

pub use configuration::Configuration;
pub use inverse::{BodyMotionState, InverseDynamics};

use crate::{Body, JointIndex};

/// Velocity or acceleration of a link: of its origin and of its rotation, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct Twist {
    /// Velocity of the link origin, m/s; for an acceleration its derivative, m/s².
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s; for an acceleration its derivative, rad/s².
    pub angular: Vector3<f64>,
}

impl Twist {
    /// Zero twist.
    pub const ZERO: Self = Self { linear: Vector3::new(0.0, 0.0, 0.0), angular: Vector3::new(0.0, 0.0, 0.0) };

    /// Velocity, m/s, of a point that is fixed to the link at `offset` (m, world axes) from the link origin.
    pub fn velocity_at(&self, offset: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(offset)
    }
}

impl Default for Twist {
    fn default() -> Self {
        Self::ZERO
    }
}

/// Force and torque on a link, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct Wrench {
    /// Force, N.
    pub force: Vector3<f64>,
    /// Torque about the link origin, N·m.
    pub torque: Vector3<f64>,
}

impl Wrench {
    /// Zero wrench.
    pub const ZERO: Self = Self { force: Vector3::new(0.0, 0.0, 0.0), torque: Vector3::new(0.0, 0.0, 0.0) };

    /// Wrench of a force (N) that acts at `offset` (m) from the link origin, both in world axes.
    pub fn from_force_at(force: Vector3<f64>, offset: &Vector3<f64>) -> Self {
        Self { force, torque: offset.cross(&force) }
    }
}

impl Default for Wrench {
    fn default() -> Self {
        Self::ZERO
    }
}

/// Number of velocities that belong to the root: 6 if it is free, 0 if it is fixed.
pub fn num_root_coordinates(body: &Body) -> usize {
    if body.is_fixed() { 0 } else { 6 }
}

/// Number of velocities of a body: those of the root and one for each entry of the joint vector.
pub fn num_coordinates(body: &Body) -> usize {
    num_root_coordinates(body) + body.num_joints()
}

/// Index of a velocity of a body, below [`num_coordinates`]: a row or column of its mass matrix, a column of its
/// Jacobians.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinate(pub usize);

impl Coordinate {
    /// Coordinate of a joint.
    pub fn of(body: &Body, joint: JointIndex) -> Self {
        Self(num_root_coordinates(body) + joint.0)
    }
}
