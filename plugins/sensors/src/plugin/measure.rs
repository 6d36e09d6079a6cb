//! Measurement step of all sensors.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{Body, BodyModel, BodyState, Drive, JointKind, LinkIndex};
use bunraku_motion::MotionPlayer;
use bunraku_physics::{Contacts, ExternalForces, JointReadings, JointSolver, PhysicsParameters};
use bunraku_render::{Lighting, PainterError, Scene, Threads};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings};
use nalgebra::{Isometry3, Vector3};

use super::body_sensors::{DeviceSwitches, RayThreads, ScenePainter, SensorEntities, SensorModel, SensorState};
use super::link_motions::{PastMotion, amid_step, of_player, reaction};
use super::reading::{Measured, Measurement, Sample, SensorReading, Shared};
use super::visual_models::VisualModels;
use super::visual_scene::{Seen, VisualScene};
use crate::{
    Due, ForceReading, LinkMotion, Random, SensorError, SensorKind, angular_velocity, force_reading, specific_force,
};

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
    warnings: ResMut<'w, SimulationWarnings>,
}

/// Measures with all sensors that are due.
pub(super) fn measure(
    bodies: Query<Moved<'_>>,
    mut past: Query<&mut PastMotion>,
    mut sensors: Query<(&SensorModel, &mut SensorState, &mut SensorReading)>,
    surroundings: Surroundings,
    mut messages: ResMut<Messages<Measured>>,
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
        mut warnings,
    } = surroundings;
    if matches!(*status, SimulationStatus::Failed(_)) {
        return;
    }
    let parameters = parameters.map_or_else(PhysicsParameters::default, |parameters| parameters.clone());
    let (time, step) = (clock.time(), clock.time_step());
    // Created on first use.
    let mut view: Option<(&Scene, Lighting)> = None;
    let visual = &mut *visual;
    let mut order: Vec<Entity> = bodies.iter().map(|body| body.0).collect();
    order.sort_unstable();
    let mut waiting = Some(visual);
    for (entity, BodyModel(body), drive, state, entities, switches, readings, player, external) in
        order.into_iter().filter_map(|entity| bodies.get(entity).ok())
    {
        let mut past = past.get_mut(entity).ok();
        let is_by_forces = *drive == Drive::Physics && is_measured_by_physics(body, parameters.joints);
        let past_motion = past.as_deref();
        let mut moving =
            Moving { body, state, step, drive: *drive, readings, player, past: past_motion, is_by_forces, found: None };
        // Wrench on a link from contacts and external forces.
        let outside = |link: LinkIndex| {
            let acting = external.map_or(&[][..], ExternalForces::acting).iter().filter(|(other, _)| *other == link);
            let touching = contacts.as_ref().map_or_else(Wrench::default, |contacts| contacts.wrench(entity, link));
            acting.fold(touching, |sum, (_, more)| Wrench {
                force: sum.force + more.force,
                torque: sum.torque + more.torque,
            })
        };
        for sensor in entities.iter() {
            let Ok((model, mut timing, mut reading)) = sensors.get_mut(sensor) else { continue };
            let SensorModel { seeds, .. } = model;
            let sensed = model.sensor();
            let on = switches.0.get(sensed.device).copied().unwrap_or(true);
            if timing.0.is_on() != on {
                timing.0.switch(on, time);
            }
            if !on && reading.0.is_some() {
                reading.0 = None;
            }
            let is_of_step = !matches!(sensed.kind, SensorKind::Range(_) | SensorKind::Camera(_));
            if !on || (is_of_step && (clock.step() == 0 || !moving.is_known())) {
                continue;
            }
            let Some(Due { sample: number, missed }) = timing.0.step(time) else { continue };
            let Some(link) = state.link_poses.get(sensed.link.0) else { continue };
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
            let measurement = match &sensed.kind {
                SensorKind::Acceleration(channel) => {
                    let value = moving.specific_force(sensed.link.0, mounting, &parameters.gravity);
                    Measurement::Acceleration(channel.measure(value, &mut || random(0)))
                }
                SensorKind::RateGyro(channel) => {
                    let value = angular_velocity(mounting, &moving.motion(sensed.link.0));
                    Measurement::AngularVelocity(channel.measure(value, &mut || random(0)))
                }
                SensorKind::Imu { acceleration, angular_velocity: spin } => {
                    let force = moving.specific_force(sensed.link.0, mounting, &parameters.gravity);
                    let value = angular_velocity(mounting, &moving.motion(sensed.link.0));
                    Measurement::Imu {
                        acceleration: acceleration.measure(force, &mut || random(0)),
                        angular_velocity: spin.measure(value, &mut || random(1)),
                    }
                }
                SensorKind::Force { force, torque } => {
                    let reaction = moving.reaction(sensed.link, &parameters.gravity, outside);
                    let exact = force_reading(mounting, &moving.mean(sensed.link.0).pose, &reaction);
                    Measurement::Force(ForceReading {
                        force: force.measure(exact.force, &mut || random(0)),
                        torque: torque.measure(exact.torque, &mut || random(1)),
                    })
                }
                SensorKind::Range(_) | SensorKind::Camera(_) => {
                    if let Some(visual) = waiting.take() {
                        view = Some(visual.update(&seen, &models, &mut warnings));
                    }
                    let Some(view) = &view else { continue };
                    match look(&sensed.kind, view, link, || random(0), (painter.as_deref(), threads.0)) {
                        Ok(Some(seen)) => seen,
                        Ok(None) => continue,
                        Err(error) => {
                            let message = format!("`{}/{}` cannot take its picture: {error}", body.name, model.label());
                            *status = SimulationStatus::Failed(SimulationFault { time, message });
                            return;
                        }
                    }
                }
            };
            let pose = link * mounting;
            let sample = Sample { number, missed, time, pose, measurement };
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
    (scene, lighting): &(&Scene, Lighting),
    link: &Isometry3<f64>,
    random: impl FnOnce() -> Random,
    (painter, threads): (Option<&ScenePainter>, Threads),
) -> Result<Option<Measurement>, SensorError> {
    match kind {
        SensorKind::Range(scanner) => {
            Ok(Some(Measurement::Range(Shared::new(scanner.scan(scene, link, random, threads)))))
        }
        SensorKind::Camera(camera) => {
            let taken = if camera.is_painted() {
                let painter = painter.ok_or_else(|| PainterError("the app has no `ScenePainter`".to_owned()))?;
                camera.paint(&*painter.0, scene, link, lighting, random, threads)?
            } else {
                camera.take(scene, link, lighting, random, threads)?
            };
            Ok(Some(Measurement::Camera(Shared::new(taken))))
        }
        _ => Ok(None),
    }
}

/// Whether physics provides readings of a dynamic body. Our solver leaves out bodies that cannot move at all.
fn is_measured_by_physics(body: &Body, joints: JointSolver) -> bool {
    let moves = |kind: JointKind| kind == JointKind::Free || kind.has_displacement();
    joints != JointSolver::Multibody || body.links().iter().any(|link| moves(link.joint.kind))
}

/// Motion of a body in the step that has just ended.
struct Moving<'a> {
    body: &'a Body,
    state: &'a BodyState,
    step: f64,
    drive: Drive,
    readings: Option<&'a JointReadings>,
    player: Option<&'a MotionPlayer>,
    past: Option<&'a PastMotion>,
    /// Whether physics provides its motion and joint loads.
    is_by_forces: bool,
    /// Link motions of a body that is not dynamic, computed on first use.
    found: Option<Vec<LinkMotion>>,
}

impl Moving<'_> {
    /// Whether there is anything to measure yet.
    fn is_known(&self) -> bool {
        let measured = |readings: &JointReadings| readings.link_twists().len() == self.state.link_poses.len();
        !self.is_by_forces || self.readings.is_some_and(measured)
    }

    /// Measurements of physics in the step.
    fn of_forces(&self) -> Option<&JointReadings> {
        self.readings.filter(|_| self.is_by_forces)
    }

    /// Motions of all links of a body that is not dynamic.
    fn of_others(&mut self) -> &[LinkMotion] {
        self.found.get_or_insert_with(|| match (self.drive, self.player) {
            (Drive::Motion, Some(player)) => of_player(self.body, player, self.state, self.step),
            _ => self.past.map(|past| past.of_states(&self.state.link_poses, self.step)).unwrap_or_default(),
        })
    }

    /// Motion of a link at the end of the step.
    fn motion(&mut self, link: usize) -> LinkMotion {
        let pose = self.state.link_poses.get(link).copied().unwrap_or_default();
        let still = LinkMotion { pose, twist: Default::default(), acceleration: Default::default() };
        if let Some(readings) = self.of_forces() {
            let twist = readings.link_twists().get(link).copied().unwrap_or_default();
            let acceleration = readings.link_accelerations().get(link).copied().unwrap_or_default();
            return LinkMotion { pose, twist, acceleration };
        }
        self.of_others().get(link).copied().unwrap_or(still)
    }

    /// Motion of a link for forces and accelerations: for a dynamic body the mean over the step.
    fn mean(&mut self, link: usize) -> LinkMotion {
        let motion = self.motion(link);
        if self.is_by_forces { amid_step(&motion.pose, &motion.twist, &motion.acceleration, self.step) } else { motion }
    }

    /// Specific force at an acceleration sensor.
    fn specific_force(&mut self, link: usize, mounting: &Isometry3<f64>, gravity: &Vector3<f64>) -> Vector3<f64> {
        specific_force(mounting, &self.mean(link), gravity)
    }

    /// Wrench of the parent on a link, about the link origin, world axes.
    fn reaction(&mut self, link: LinkIndex, gravity: &Vector3<f64>, outside: impl Fn(LinkIndex) -> Wrench) -> Wrench {
        if let Some(readings) = self.of_forces() {
            return readings.reactions().get(link.0).copied().unwrap_or_default();
        }
        let body = self.body;
        reaction(body, self.of_others(), link, gravity, outside)
    }
}
