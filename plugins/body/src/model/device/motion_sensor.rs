//! Sensors of motion and force. Limits are absolute values for each axis of the device frame; `None` is unlimited.

use nalgebra::Vector3;

/// Measures linear acceleration, gravity included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccelerationSensor {
    /// Largest measurable acceleration along each axis, m/s².
    pub max_acceleration: Option<Vector3<f64>>,
}

/// Measures angular velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateGyroSensor {
    /// Largest measurable angular velocity about each axis, rad/s. In model files it is in rad/s regardless of
    /// `angle_unit`: the manual gives no unit, and the original reads it so.
    pub max_angular_velocity: Option<Vector3<f64>>,
}

/// An inertial measurement unit: acceleration and angular velocity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imu {
    /// As in [`AccelerationSensor`].
    pub max_acceleration: Option<Vector3<f64>>,
    /// As in [`RateGyroSensor`].
    pub max_angular_velocity: Option<Vector3<f64>>,
}

/// Measures the force and torque between its link and the parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceSensor {
    /// Largest measurable force along each axis, N.
    pub max_force: Option<Vector3<f64>>,
    /// Largest measurable torque about each axis, N·m.
    pub max_torque: Option<Vector3<f64>>,
}
