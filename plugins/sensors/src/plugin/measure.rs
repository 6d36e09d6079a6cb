//! Measurement step of all sensors.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{BodyModel, BodyState, Drive, LinkIndex};
use bunraku_motion::MotionPlayer;
use bunraku_physics::{Contacts, ExternalForces, JointReadings, LinkMotions, PhysicsParameters};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings};

use super::body_sensors::{DeviceSwitches, RayThreads, ScenePainter, SensorEntities, SensorModel, SensorState};
use super::link_motions::PastMotion;
use super::measuring::{LazyView, Measuring};
use super::moving::{Moving, is_measured_by_physics};
use super::reading::{Measured, SensorReading};
use super::visual_models::VisualModels;
use super::visual_scene::{Seen, SurroundingLight, VisualScene};

/// Maximum number of waiting messages. A run of many steps without an update of the app drops the older half of them.
const MOST_MESSAGES: usize = 1 << 16;

/// Motion data of a body.
type Moved<'a> = (
    Entity,
    (&'a BodyModel, &'a Drive, &'a BodyState),
    (&'a SensorEntities, &'a DeviceSwitches),
    (Option<&'a LinkMotions>, Option<&'a JointReadings>),
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
    let Surroundings { clock, mut status, parameters, contacts, seen, .. } = surroundings;
    if matches!(*status, SimulationStatus::Failed(_)) {
        return;
    }
    let Surroundings { threads, painter, mut visual, models, light, mut warnings, .. } = surroundings;
    let default = PhysicsParameters::default();
    let PhysicsParameters { gravity, joints, .. } = parameters.as_deref().unwrap_or(&default);
    let (time, step) = (clock.time(), clock.time_step());
    let view = LazyView::new(&mut visual, &seen, &models, &light);
    let mut measuring =
        Measuring { clock: &clock, view, warnings: &mut warnings, painter: painter.as_deref(), threads: threads.0 };
    order.clear();
    order.extend(bodies.iter().map(|body| body.0));
    order.sort_unstable();
    for (entity, (BodyModel(body), drive, state), (entities, switches), (motions, readings), player, external) in
        order.iter().filter_map(|entity| bodies.get(*entity).ok())
    {
        let mut past = past.get_mut(entity).ok();
        let touching =
            |link: LinkIndex| contacts.as_ref().map_or_else(Wrench::default, |contacts| contacts.wrench(entity, link));
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
            touching: &touching,
            external: external.map_or(&[], ExternalForces::acting),
            start: seen.get(entity).ok().and_then(|(.., start)| Some(&start?.0[..])),
            found: None,
        };
        for sensor in entities.iter() {
            let Ok((model, mut timing, mut reading)) = sensors.get_mut(sensor) else { continue };
            let on = switches.0.get(model.sensor().device).copied().unwrap_or(true);
            timing.switch(on, time);
            if !on {
                clear(&mut reading);
                continue;
            }
            let latency = model.sensor().latency;
            while let Some(sample) = timing.deliver(time, latency) {
                messages.write(Measured { sensor, sample: sample.clone() });
                reading.0 = Some(sample);
            }
            match measuring.sample((sensor, model), &mut timing, &mut moving) {
                Ok(None) => {}
                Ok(Some(sample)) if latency > 0.0 => timing.pending.push_back(sample),
                Ok(Some(sample)) => {
                    messages.write(Measured { sensor, sample: sample.clone() });
                    reading.0 = Some(sample);
                }
                Err(error) => {
                    let message = format!("`{}/{}` cannot take its picture: {error}", body.name, model.label());
                    *status = SimulationStatus::Failed(SimulationFault { time, message });
                    return;
                }
            }
        }
        if let Some(past) = &mut past {
            past.push(&state.link_poses);
        }
    }
    if messages.len() > MOST_MESSAGES {
        messages.update();
    }
}

/// Forgets the sample of a sensor that is off, once: a reading that does not change is not marked as changed.
fn clear(reading: &mut Mut<SensorReading>) {
    if reading.0.is_some() {
        reading.0 = None;
    }
}
