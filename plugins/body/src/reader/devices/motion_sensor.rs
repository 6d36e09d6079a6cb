//! Sensors of motion and force.

use nalgebra::Vector3;

use super::keys::{Keys, Names};
use crate::reader::pose::AngleUnit;
use crate::{AccelerationSensor, ForceSensor, Imu, RateGyroSensor};

pub(super) fn read_acceleration_sensor(keys: &Keys<'_, '_, '_>) -> AccelerationSensor {
    AccelerationSensor { max_acceleration: max_acceleration(keys) }
}

pub(super) fn read_rate_gyro_sensor(keys: &Keys<'_, '_, '_>) -> RateGyroSensor {
    RateGyroSensor { max_angular_velocity: max_angular_velocity(keys) }
}

pub(super) fn read_imu(keys: &Keys<'_, '_, '_>) -> Imu {
    Imu { max_acceleration: max_acceleration(keys), max_angular_velocity: max_angular_velocity(keys) }
}

pub(super) fn read_force_sensor(keys: &Keys<'_, '_, '_>) -> ForceSensor {
    ForceSensor {
        max_force: keys.limits(&["max_force", "maxForce"]),
        max_torque: keys.limits(&["max_torque", "maxTorque"]),
    }
}

fn max_acceleration(keys: &Keys<'_, '_, '_>) -> Option<Vector3<f64>> {
    keys.limits(&["max_acceleration", "maxAcceleration"])
}

/// Limit in rad/s regardless of the angle unit: the manual gives no unit, and the original reads the number unchanged
/// (only its writer converts to degrees). A note warns in files with degrees.
fn max_angular_velocity(keys: &Keys<'_, '_, '_>) -> Option<Vector3<f64>> {
    const NAMES: Names = &["max_angular_velocity", "maxAngularVelocity"];
    let limits = keys.limits(NAMES)?;
    if keys.unit == AngleUnit::Degree {
        let message = "`max_angular_velocity` is in rad/s, though the angles of this file are in degrees";
        let note = keys.place(NAMES).note("angular-velocity-unit", message);
        keys.report(note.help("Choreonoid reads it so too, but writes degrees/s"));
    }
    Some(limits)
}
