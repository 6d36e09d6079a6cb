//! Acceleration sensors, rate gyros and IMUs.

use bunraku_body::dynamics::Twist;
use nalgebra::{Isometry3, Vector3};

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
