//! Recording of curves after each step.

use bevy::prelude::*;
use bunraku_body::{Actuation, BodyState, JointActuation, JointTargets};
use bunraku_control::PdController;
use bunraku_physics::{Contacts, JointReadings, Support};
use bunraku_sensors::SensorReading;
use bunraku_simulation::{RecordingRewind, SimulationClock};

use super::channel::Quantity;
use super::log::CurveLog;
use super::numbers::numbers_of;

/// Sources of the targets of joints.
type Commanded = (Option<&'static JointActuation>, Option<&'static JointTargets>, Option<&'static PdController>);

/// The displacement that a joint is to have, rad or m; NaN without a servo or a controller for it.
fn target(commanded: (Option<&JointActuation>, Option<&JointTargets>, Option<&PdController>), joint: usize) -> f64 {
    let (actuation, targets, controller) = commanded;
    let actuation = actuation.and_then(|actuation| actuation.0.get(joint));
    let target = match actuation {
        Some(Actuation::Displacement { .. } | Actuation::PrescribedDisplacement) => {
            targets.and_then(|targets| targets.displacements.get(joint))
        }
        Some(Actuation::Effort) => controller.and_then(|controller| controller.reference().get(joint)),
        _ => None,
    };
    target.copied().unwrap_or(f64::NAN)
}

/// Adds a row for each body and for each sensor with numeric measurements.
pub fn record_curves(
    clock: Res<SimulationClock>,
    mut log: ResMut<CurveLog>,
    bodies: Query<(Entity, &BodyState, Option<&JointReadings>, Commanded)>,
    sensors: Query<(Entity, &SensorReading)>,
    contacts: Option<Contacts>,
) {
    let step = clock.step();
    for (entity, state, readings, commanded) in &bodies {
        log.push(entity, step, || {
            let joints = state.displacements.len();
            let mut row = Vec::with_capacity(4 * joints + Quantity::OF_ROOT);
            row.extend_from_slice(&state.displacements);
            row.extend_from_slice(&state.velocities);
            row.resize(2 * joints, f64::NAN);
            row.extend_from_slice(readings.map_or(&[][..], JointReadings::efforts));
            row.resize(3 * joints, f64::NAN);
            row.extend((0..joints).map(|joint| target(commanded, joint)));
            if let Some(pose) = state.link_poses.first() {
                row.extend(pose.translation.vector.iter());
                row.extend(<[f64; 3]>::from(pose.rotation.euler_angles()));
            }
            let zmp =
                contacts.as_ref().and_then(|contacts| Support::of_contacts(entity, &contacts.of_body(entity)).zmp);
            row.extend(zmp.iter().flat_map(|point| point.coords.iter()));
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
