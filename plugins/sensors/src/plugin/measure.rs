//! Measurement step of the sensors that measure a few numbers: motions, loads, joints and surroundings.

use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState, Drive};
use bunraku_motion::MotionPlayer;
use bunraku_physics::{ExternalForces, JointReadings, LinkMotions, PhysicsParameters};
use bunraku_simulation::{SimulationClock, SimulationStatus, SimulationWarnings};

use super::body_sensors::{DeviceSwitches, Looks, SensorEntities, SensorModel, SensorState};
use super::contact_wrenches::ContactWrenches;
use super::delivery::{Delivery, Order, limit, warn_of_rate};
use super::link_motions::PastMotion;
use super::moving::{Moving, exact, filter, is_measured_by_physics, of_vectors};
use super::reading::{Measured, Measurement, Sample, SensorReading};
use crate::{Due, Random, SensorKind, Values};

/// Motion data of a body.
type Moved<'a> = (
    Entity,
    (&'a BodyModel, &'a Drive, &'a BodyState),
    (&'a SensorEntities, &'a DeviceSwitches),
    (Option<&'a LinkMotions>, Option<&'a JointReadings>),
    Option<&'a MotionPlayer>,
    (Option<&'a ExternalForces>, Option<&'a ContactWrenches>),
    Option<&'a mut PastMotion>,
);

type FeelingSensor<'a> = (&'a SensorModel, &'a mut SensorState, &'a mut SensorReading);

/// Measures with all sensors that are due and do not look.
pub(super) fn measure(
    mut bodies: Query<Moved<'_>>,
    mut sensors: Query<FeelingSensor<'_>, Without<Looks>>,
    (clock, status): (Res<SimulationClock>, Res<SimulationStatus>),
    // Absent in an app without physics.
    parameters: Option<Res<PhysicsParameters>>,
    mut warnings: ResMut<SimulationWarnings>,
    mut messages: ResMut<Messages<Measured>>,
    mut order: Local<Order>,
) {
    if matches!(*status, SimulationStatus::Failed(_)) {
        return;
    }
    let default = PhysicsParameters::default();
    let PhysicsParameters { gravity, joints, .. } = parameters.as_deref().unwrap_or(&default);
    let (time, step) = (clock.time(), clock.time_step());
    for &entity in order.of(bodies.iter().map(|body| body.0), |body| bodies.contains(body)) {
        let Ok(body) = bodies.get_mut(entity) else { continue };
        let (_, (BodyModel(body), drive, state), (entities, switches), (motions, readings), player, acting, mut past) =
            body;
        let (external, touching) = acting;
        let mut moving = Moving {
            body,
            state,
            step,
            gravity,
            drive: *drive,
            motions,
            readings,
            player,
            past: past.as_deref(),
            is_by_forces: *drive == Drive::Physics && is_measured_by_physics(body, *joints),
            touching: touching.map_or(&[], ContactWrenches::of_links),
            external: external.map_or(&[], ExternalForces::acting),
            found: None,
        };
        for sensor in entities.iter() {
            let Ok((model, mut timing, mut reading)) = sensors.get_mut(sensor) else { continue };
            let timing = &mut *timing;
            let mut delivery = Delivery { sensor, time, reading: &mut reading, messages: &mut messages };
            if !delivery.begin(model, timing, switches) {
                continue;
            }
            let Some((due, measurement)) = values(model, timing, &mut moving, &clock) else { continue };
            if due.missed > 0 {
                warn_of_rate(&mut warnings, entity, (model, body));
            }
            let pose = moving.pose(model.sensor().link.0) * model.sensor().mounting;
            let Due { sample: number, missed } = due;
            delivery.end(model, timing, Sample { number, missed, time, age: 0.0, pose, measurement });
        }
        if let Some(past) = &mut past {
            past.push(&state.link_poses);
        }
    }
    limit(&mut messages);
}

/// The measurement of a sensor that is on; `None` if none is due.
fn values(
    model: &SensorModel,
    timing: &mut SensorState,
    moving: &mut Moving<'_>,
    clock: &SimulationClock,
) -> Option<(Due, Measurement)> {
    let sensor = model.sensor();
    let is_too_early = clock.step() == 0 || sensor.kind.needs_motion() && !moving.is_known();
    if is_too_early || sensor.link.0 >= moving.state.link_poses.len() {
        return None;
    }
    if let SensorKind::Encoder(encoder, _) = &sensor.kind {
        let displacement = moving.state.displacements.get(encoder.joint.0).copied().unwrap_or(0.0);
        encoder.follow(displacement, &mut timing.encoder);
    }
    let step = moving.step;
    // A filter takes in the values of all steps.
    let filtered = model.has_filter().then(|| filter(sensor, exact(sensor, moving), step, &mut timing.channels));
    let due = timing.schedule.step(clock.time())?;
    let random = |channel: usize| Random::of_sample(model.seeds[channel], due.sample);
    let interval = timing.schedule.interval(step);
    if let SensorKind::Encoder(encoder, kind) = &sensor.kind {
        let numbers = encoder.measure(interval, &mut timing.encoder, || random(0)).to_vec();
        return Some((due, Measurement::Values(Values { kind: *kind, numbers })));
    }
    let mut values = filtered.unwrap_or_else(|| exact(sensor, moving));
    for (index, channel) in sensor.kind.channels().into_iter().enumerate() {
        let Some(channel) = channel else { continue };
        values[index] = match model.has_errors(index) {
            false => channel.clamp(values[index]),
            true => {
                let state = &mut timing.channels[index];
                channel.measure(values[index], (due.sample, interval), state, &mut || random(index))
            }
        };
    }
    Some((due, of_vectors(&sensor.kind, values)?))
}
