//! Acceleration sensors, rate gyros and IMUs.

use bunraku_body::dynamics::Twist;
use nalgebra::{Isometry3, Vector3};

use crate::noise::{Random, VectorError};

/// Motion of a link at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkMotion {
    /// Link frame in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the link origin (m/s) and angular velocity (rad/s), world axes.
    pub twist: Twist,
    /// Derivative of the twist: acceleration of the link origin (m/s², without gravity) and angular acceleration
    /// (rad/s²), world axes.
    pub acceleration: Twist,
}

/// Errors and limits of a motion sensor; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Channel {
    /// Largest absolute reading along each axis of the sensor frame; `None` is unlimited.
    pub limit: Option<Vector3<f64>>,
    /// Errors.
    pub error: VectorError,
}

impl Channel {
    /// A channel without errors.
    pub fn limited(limit: Option<Vector3<f64>>) -> Self {
        Self { limit, error: VectorError::default() }
    }

    /// The measured value for a true value: errors are added, then the sum is clamped to the limit, like a saturating
    /// amplifier.
    pub fn measure(&self, value: Vector3<f64>, random: &mut impl FnMut() -> Random) -> Vector3<f64> {
        let value = if self.error.is_none() { value } else { self.error.add_to(value, &mut random()) };
        match self.limit {
            None => value,
            // `abs`: limits are absolute values. A NaN limit does not limit.
            Some(limit) => value.zip_map(&limit, |value, limit| value.min(limit.abs()).max(-limit.abs())),
        }
    }
}

/// Specific force at a sensor, m/s², in the sensor frame: the acceleration of its origin minus that of free fall.
///
/// At rest it is |g| upwards, in free fall 0. `mounting` is the sensor frame in the link frame, `gravity` the
/// acceleration of free fall in world axes. With r from the link origin to the sensor, the acceleration is a + α × r +
/// ω × (ω × r).
pub fn specific_force(mounting: &Isometry3<f64>, motion: &LinkMotion, gravity: &Vector3<f64>) -> Vector3<f64> {
    let lever = motion.pose.rotation * mounting.translation.vector;
    let spin = motion.twist.angular;
    let acceleration = motion.acceleration.velocity_at(&lever) + spin.cross(&spin.cross(&lever));
    (motion.pose.rotation * mounting.rotation).inverse() * (acceleration - gravity)
}

/// Angular velocity of a sensor relative to the world, rad/s, in the sensor frame.
pub fn angular_velocity(mounting: &Isometry3<f64>, motion: &LinkMotion) -> Vector3<f64> {
    (motion.pose.rotation * mounting.rotation).inverse() * motion.twist.angular
}
