//! Keys of the errors of sensors that measure vectors.

use bunraku_document::{Mapping, Reporter, Value};
use bunraku_sensors::VectorError;
use nalgebra::Vector3;

/// Keys of the errors of a quantity: bias, noise of a sample, noise density, bias instability, random walk, scale,
/// misalignment and quantization.
pub(super) type ErrorKeys = [&'static str; 8];

/// The keys of a quantity.
macro_rules! error_keys {
    ($quantity:literal) => {
        [
            concat!($quantity, "_bias"),
            concat!($quantity, "_noise"),
            concat!($quantity, "_density"),
            concat!($quantity, "_instability"),
            concat!($quantity, "_walk"),
            concat!($quantity, "_scale"),
            concat!($quantity, "_misalignment"),
            concat!($quantity, "_quantization"),
        ]
    };
}

pub(super) const ACCELERATION: ErrorKeys = error_keys!("acceleration");
pub(super) const ANGULAR_VELOCITY: ErrorKeys = error_keys!("angular_velocity");
pub(super) const FORCE: ErrorKeys = error_keys!("force");
pub(super) const TORQUE: ErrorKeys = error_keys!("torque");
pub(super) const FIELD: ErrorKeys = error_keys!("field");
pub(super) const POSITION: ErrorKeys = error_keys!("position");
pub(super) const VELOCITY: ErrorKeys = error_keys!("velocity");
pub(super) const PRESSURE: ErrorKeys = error_keys!("pressure");

/// Reads the errors of a quantity; those that are absent are 0. Misalignments are in degrees.
pub(super) fn read(mapping: &Mapping<'_, '_>, keys: ErrorKeys) -> VectorError {
    let values = keys.map(|key| mapping.read(&[key], read_vector).unwrap_or_default());
    let [bias, deviation, density, instability, walk, scale, misalignment, quantization] = values;
    for (key, value) in keys.iter().zip(values) {
        let is_signed = ["_bias", "_scale", "_misalignment"].iter().any(|end| key.ends_with(end));
        if let (false, true, Some(place)) = (is_signed, value.min() < 0.0, mapping.get(&[key])) {
            mapping.reporter().report(place.error("out-of-range", format!("`{key}` must not be negative")));
        }
    }
    let misalignment = misalignment.map(f64::to_radians);
    VectorError { bias, deviation, density, instability, walk, scale, misalignment, quantization }
}

/// A number for all axes, or one for each.
fn read_vector(value: Value<'_>, reporter: &Reporter) -> bunraku_document::Result<Vector3<f64>> {
    if value.items().is_some() {
        return value.as_array::<3>(reporter).map(Vector3::from);
    }
    value.as_number(reporter).map(Vector3::repeat)
}
