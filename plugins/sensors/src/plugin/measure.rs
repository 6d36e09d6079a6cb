//! Measurement step of all sensors.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{BodyModel, BodyState, Drive, LinkIndex};
use bunraku_motion::MotionPlayer;
use bunraku_physics::{Contacts, ExternalForces, JointReadings, PhysicsParameters};
use bunraku_render::{Motion, PainterError, Threads};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings};

use super::body_sensors::{DeviceSwitches, RayThreads, ScenePainter, SensorEntities, SensorModel, SensorState};
use super::link_motions::PastMotion;
use super::moving::{Moving, exact, filter, is_measured_by_physics, of_vectors};
use super::reading::{Measured, Measurement, Sample, SensorReading, Shared};
use super::visual_models::VisualModels;
use super::visual_scene::{Seen, SurroundingLight, VisualScene, VisualView};
use crate::{CameraMotion, Carried, Channel, Due, Random, RollingScan, SensorError, SensorKind, Values};

/// Maximum number of waiting messages. A run of many steps without an update of the app drops the older half of them.
const MOST_MESSAGES: usize = 1 << 16;

/// Motion data of a body.
type Moved<'a> = (
    Entity,
    &'a BodyModel,
    &'a Drive,
    &'a BodyState,
    &'a SensorEntities,
    &'a DeviceSwitches,
    Option<&'a JointReadings>,
    Option<&'a MotionPlayer>,
    Option<&'a ExternalForces>,
);

/// Resources for measurements besides bodies and sensors.
#[derive(SystemParam)]
pub(super) struct Surroundings<'w, 's> {
    clock: Res<'w, SimulationClock>,
    status: ResMut<'w, SimulationStatus>,
    /// `None` in an app without physics, like the contacts.
    parameters: Option<Res<'w, PhysicsParameters>>,
    contacts: Option<Contacts<'w, 's>>,
    seen: Seen<'w, 's>,
    threads: Res<'w, RayThreads>,
    painter: Option<Res<'w, ScenePainter>>,
    visual: ResMut<'w, VisualScene>,
    models: Res<'w, VisualModels>,
    light: Res<'w, SurroundingLight>,
    warnings: ResMut<'w, SimulationWarnings>,
}

/// Measures with all sensors that are due.
pub(super) fn measure(
    bodies: Query<Moved<'_>>,
    mut past: Query<&mut PastMotion>,
    mut sensors: Query<(&SensorModel, &mut SensorState, &mut SensorReading)>,
    surroundings: Surroundings,
    mut messages: ResMut<Messages<Measured>>,
    mut order: Local<Vec<Entity>>,
) {
    let Surroundings {
        clock,
        mut status,
        parameters,
        contacts,
        seen,
        threads,
        painter,
        mut visual,
        models,
        light,
        mut warnings,
    } = surroundings;
    if matches!(*status, SimulationStatus::Failed(_)) {
        return;
    }
    let default = PhysicsParameters::default();
    let PhysicsParameters { gravity, joints, .. } = parameters.as_deref().unwrap_or(&default);
    let (time, step) = (clock.time(), clock.time_step());
    // Created on first use.
    let mut view: Option<VisualView<'_>> = None;
    let visual = &mut *visual;
    order.clear();
    order.extend(bodies.iter().map(|body| body.0));
    order.sort_unstable();
    let mut waiting = Some(visual);
    for (entity, BodyModel(body), drive, state, entities, switches, readings, player, external) in
        order.iter().filter_map(|entity| bodies.get(*entity).ok())
    {
        let mut past = past.get_mut(entity).ok();
        let is_by_forces = *drive == Drive::Physics && is_measured_by_physics(body, *joints);
        let past_motion = past.as_deref();
        let mut moving =
            Moving { body, state, step, drive: *drive, readings, player, past: past_motion, is_by_forces, found: None };
        let touching =
            |link: LinkIndex| contacts.as_ref().map_or_else(Wrench::default, |contacts| contacts.wrench(entity, link));
        // Wrench on a link from contacts and external forces.
        let outside = |link: LinkIndex| {
            let acting = external.map_or(&[][..], ExternalForces::acting).iter().filter(|(other, _)| *other == link);
            acting.fold(touching(link), |sum, (_, more)| Wrench {
                force: sum.force + more.force,
                torque: sum.torque + more.torque,
            })
        };
        for sensor in entities.iter() {
            let Ok((model, mut timing, mut reading)) = sensors.get_mut(sensor) else { continue };
            let SensorModel { seeds, .. } = model;
            let sensed = model.sensor();
            let on = switches.0.get(sensed.device).copied().unwrap_or(true);
            if timing.schedule.is_on() != on {
                timing.schedule.switch(on, time);
            }
            if !on {
                if reading.0.is_some() || timing.is_started() {
                    timing.reset();
                    reading.0 = None;
                }
                continue;
            }
            if sensed.latency > 0.0 {
                while let Some(sample) = timing.deliver(time, sensed.latency) {
                    messages.write(Measured { sensor, sample: sample.clone() });
                    reading.0 = Some(sample);
                }
            }
            if sensed.kind.is_of_step() && (clock.step() == 0 || sensed.kind.needs_motion() && !moving.is_known()) {
                continue;
            }
            let Some(link) = state.link_poses.get(sensed.link.0) else { continue };
            let SensorState { schedule, scan, channels, encoder, .. } = &mut *timing;
            if let SensorKind::Encoder(model, _) = &sensed.kind {
                model.follow(state.displacements.get(model.joint.0).copied().unwrap_or(0.0), encoder);
            }
            // A filter takes in the values of all steps.
            let has_filter = sensed.kind.channels().into_iter().flatten().any(Channel::has_filter);
            let mut filtered = None;
            if has_filter {
                let exact = exact(sensed, &mut moving, gravity, (&touching, &outside));
                filtered = Some(filter(sensed, exact, step, channels));
            }
            let start = seen.get(entity).ok().and_then(|(.., start)| start?.0.get(sensed.link.0));
            let motion = start.map_or_else(|| Motion::still(*link), |start| Motion::new(*start, *link));
            let mut rolled = None;
            let due = if let (SensorKind::Range(scanner), true) = (&sensed.kind, model.is_rolling()) {
                if let Some(visual) = waiting.take() {
                    view = Some(visual.update(&seen, (&models, &light), &mut warnings));
                }
                let Some(VisualView { scene, .. }) = &view else { continue };
                let from = if start.is_some() { time - step } else { time };
                let carried = Carried { from, to: time, link: &motion };
                let scan = scan.get_or_insert_with(|| RollingScan::new(schedule.since().unwrap_or(time)));
                scan.advance(scanner, scene, &carried, threads.0).map(|(scan, missed)| {
                    rolled = Some(scan);
                    schedule.take(missed)
                })
            } else {
                schedule.step(time)
            };
            let Some(Due { sample: number, missed }) = due else { continue };
            if missed > 0 {
                let name = model.label();
                warnings.add(sensor, "SensorModel", || {
                    format!(
                        "`{name}` of `{}` measures once a step only: its rate is higher than that of the steps",
                        body.name
                    )
                });
            }
            let random = |channel: usize| Random::of_sample(seeds[channel], number);
            let mounting = &sensed.mounting;
            let interval = schedule.interval(step);
            let measurement = match &sensed.kind {
                SensorKind::Encoder(model, kind) => {
                    let numbers = model.measure(interval, encoder, || random(0)).to_vec();
                    Measurement::Values(Values { kind: *kind, numbers })
                }
                SensorKind::Range(scanner) if model.is_rolling() => {
                    let Some(scan) = rolled else { continue };
                    Measurement::Range(Shared::new(scanner.with_errors(scan, || random(0))))
                }
                SensorKind::Range(_) | SensorKind::Camera(_) => {
                    if let Some(visual) = waiting.take() {
                        view = Some(visual.update(&seen, (&models, &light), &mut warnings));
                    }
                    let Some(view) = &view else { continue };
                    match look(&sensed.kind, number, view, (&motion, step), random, (painter.as_deref(), threads.0)) {
                        Ok(Some(seen)) => seen,
                        Ok(None) => continue,
                        Err(error) => {
                            let message = format!("`{}/{}` cannot take its picture: {error}", body.name, model.label());
                            *status = SimulationStatus::Failed(SimulationFault { time, message });
                            return;
                        }
                    }
                }
                kind => {
                    let exact = filtered.unwrap_or_else(|| exact(sensed, &mut moving, gravity, (&touching, &outside)));
                    let mut values = exact;
                    for (index, channel) in kind.channels().into_iter().enumerate() {
                        let Some(channel) = channel else { continue };
                        let (state, mut random) = (&mut channels[index], || random(index));
                        values[index] = channel.measure(exact[index], (number, interval), state, &mut random);
                    }
                    let Some(measurement) = of_vectors(kind, values) else { continue };
                    measurement
                }
            };
            let sample = Sample { number, missed, time, age: 0.0, pose: link * mounting, measurement };
            if sensed.latency > 0.0 {
                timing.pending.push_back(sample);
                continue;
            }
            messages.write(Measured { sensor, sample: sample.clone() });
            reading.0 = Some(sample);
        }
        if let Some(past) = &mut past {
            past.push(&state.link_poses);
        }
    }
    if messages.len() > MOST_MESSAGES {
        messages.update();
    }
}

/// Takes a scan or an image.
fn look(
    kind: &SensorKind,
    number: u64,
    VisualView { scene, lighting, names }: &VisualView<'_>,
    (motion, step): (&Motion, f64),
    random: impl Fn(usize) -> Random,
    (painter, threads): (Option<&ScenePainter>, Threads),
) -> Result<Option<Measurement>, SensorError> {
    match kind {
        SensorKind::Range(scanner) => {
            let scan = scanner.scan_frame(number, scene, &motion.end(), || random(0), threads);
            Ok(Some(Measurement::Range(Shared::new(scan))))
        }
        SensorKind::Camera(camera) => {
            let mut taken = if camera.is_painted() {
                let painter = painter.ok_or_else(|| PainterError("the app has no `ScenePainter`".to_owned()))?;
                camera.paint(&*painter.0, scene, &motion.end(), lighting, || random(0), threads)?
            } else {
                camera.take_moving(scene, &CameraMotion { link: motion, step }, lighting, random, threads)?
            };
            for found in &mut taken.truth.boxes {
                let instance = (found.label as usize).saturating_sub(1);
                found.name = names.get(instance).cloned().unwrap_or_default();
            }
            Ok(Some(Measurement::Camera(Shared::new(taken))))
        }
        _ => Ok(None),
    }
}
