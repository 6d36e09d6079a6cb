//! Recording of curves after each step.

use bevy::prelude::*;
use bunraku_body::BodyState;
use bunraku_physics::JointReadings;
use bunraku_sensors::SensorReading;
use bunraku_simulation::{RecordingRewind, SimulationClock};

use super::log::CurveLog;
use super::numbers::numbers_of;

/// Adds a row for each body and for each sensor with numeric measurements.
pub fn record_curves(
    clock: Res<SimulationClock>,
    mut log: ResMut<CurveLog>,
    bodies: Query<(Entity, &BodyState, Option<&JointReadings>)>,
    sensors: Query<(Entity, &SensorReading)>,
) {
    let step = clock.step();
    for (entity, state, readings) in &bodies {
        log.push(entity, step, || {
            let joints = state.displacements.len();
            let mut row = Vec::with_capacity(3 * joints + 3);
            row.extend_from_slice(&state.displacements);
            row.extend_from_slice(&state.velocities);
            row.resize(2 * joints, f64::NAN);
            row.extend_from_slice(readings.map_or(&[][..], JointReadings::efforts));
            row.resize(3 * joints, f64::NAN);
            row.extend(state.link_poses.first().iter().flat_map(|pose| pose.translation.vector.iter().copied()));
            row.into_boxed_slice()
        });
    }
    for (entity, SensorReading(reading)) in &sensors {
        let Some(sample) = reading.as_ref().filter(|sample| sample.time == clock.time()) else { continue };
        let numbers = numbers_of(&sample.measurement);
        if !numbers.is_empty() {
            log.push(entity, step, || numbers.iter().map(|(_, _, value)| *value).collect());
        }
    }
}

/// Discards rows after the restored step.
pub fn rewind_curves(rewind: On<RecordingRewind>, mut log: ResMut<CurveLog>) {
    log.forget_after(rewind.step);
}
