use bunraku_sensors::Measurement;

/// Numbers of a measurement with names and units; empty for images and scans.
pub fn numbers_of(measurement: &Measurement) -> Vec<(&'static str, &'static str, f64)> {
    let vector = |names: [&'static str; 3], unit, value: &nalgebra::Vector3<f64>| {
        names.into_iter().zip(value.iter()).map(|(name, value)| (name, unit, *value)).collect::<Vec<_>>()
    };
    let acceleration = |value| vector(["a x", "a y", "a z"], "m/s²", value);
    let turning = |value| vector(["ω x", "ω y", "ω z"], "rad/s", value);
    match measurement {
        Measurement::Acceleration(value) => acceleration(value),
        Measurement::AngularVelocity(value) => turning(value),
        Measurement::Imu { acceleration: linear, angular_velocity } => {
            [acceleration(linear), turning(angular_velocity)].concat()
        }
        Measurement::Force(reading) => {
            [vector(["F x", "F y", "F z"], "N", &reading.force), vector(["τ x", "τ y", "τ z"], "N·m", &reading.torque)]
                .concat()
        }
        Measurement::Values(values) => {
            values.named().map(|(quantity, value)| (quantity.name, quantity.unit, value)).collect()
        }
        Measurement::Range(_) | Measurement::Camera(_) => Vec::new(),
    }
}
