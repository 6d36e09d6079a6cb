//! Sensors of motion and force.

use bunraku_body::{ForceSensor, Imu};
use bunraku_document::Severity;

use crate::devices::{clean, data, device, finding, vector};

#[test]
fn limits_of_sensors_are_read_under_both_spellings() {
    for key in ["max_acceleration", "maxAcceleration"] {
        let sensor = data!(device("AccelerationSensor", &[&format!("{key}: [ 1, 2, 3 ]")]), AccelerationSensor);
        assert_eq!(sensor.max_acceleration, Some(vector(1.0, 2.0, 3.0)));
    }
    for (force, torque) in [("max_force", "max_torque"), ("maxForce", "maxTorque")] {
        let keys = [format!("{force}: [ 1, 2, 3 ]"), format!("{torque}: [ 4, 5, 6 ]")];
        let sensor = data!(device("ForceSensor", &[&keys[0], &keys[1]]), ForceSensor);
        let expected = ForceSensor { max_force: Some(vector(1.0, 2.0, 3.0)), max_torque: Some(vector(4.0, 5.0, 6.0)) };
        assert_eq!(sensor, expected);
    }
}

#[test]
fn an_angular_velocity_is_in_radian_per_second_in_all_files() {
    for key in ["max_angular_velocity", "maxAngularVelocity"] {
        let line = format!("{key}: [ 1, 2, 3 ]");
        let sensor = data!(clean("radian", "RateGyroSensor", &[&line]), RateGyroSensor);
        assert_eq!(sensor.max_angular_velocity, Some(vector(1.0, 2.0, 3.0)));
        let column = 11 + u32::try_from(key.len()).unwrap();
        let noted = finding("RateGyroSensor", &[&line], Severity::Note, "angular-velocity-unit", (0, column)).unwrap();
        assert_eq!(data!(noted, RateGyroSensor), sensor);
    }
}

#[test]
fn both_spellings_of_an_imu_have_both_limits() {
    let keys = ["max_acceleration: [ 1, 2, 3 ]", "max_angular_velocity: [ 4, 5, 6 ]"];
    let expected =
        Imu { max_acceleration: Some(vector(1.0, 2.0, 3.0)), max_angular_velocity: Some(vector(4.0, 5.0, 6.0)) };
    for word in ["Imu", "IMU"] {
        assert_eq!(data!(clean("radian", word, &keys), Imu), expected);
    }
}

#[test]
fn sensors_without_limits_are_unlimited() {
    assert_eq!(data!(device("AccelerationSensor", &[]), AccelerationSensor).max_acceleration, None);
    assert_eq!(data!(device("RateGyroSensor", &[]), RateGyroSensor).max_angular_velocity, None);
    assert_eq!(data!(device("IMU", &[]), Imu), Imu { max_acceleration: None, max_angular_velocity: None });
    assert_eq!(data!(device("ForceSensor", &[]), ForceSensor), ForceSensor { max_force: None, max_torque: None });
}

#[test]
fn an_invalid_limit_is_reported() {
    let word = "ForceSensor";
    let sensor = finding(word, &["max_force: [ 1, -1, 1 ]"], Severity::Warning, "out-of-range", (0, 20)).unwrap();
    assert_eq!(data!(sensor, ForceSensor).max_force, None);
    finding(word, &["id: 1", "max_torque: 5"], Severity::Warning, "wrong-type", (1, 21));
    finding(word, &["max_torque: [ 1, 2 ]"], Severity::Warning, "wrong-length", (0, 21));
    finding(word, &["max_torque: [ 1, 2, x ]"], Severity::Warning, "not-a-number", (0, 29));
}
