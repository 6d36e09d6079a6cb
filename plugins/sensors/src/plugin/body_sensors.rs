//! Sensors of a body, and their entities.

use std::collections::VecDeque;

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState, Drive};
use bunraku_document::Diagnostic;
use bunraku_physics::{JointReadings, LinkMotions};
use bunraku_render::{Painter, Threads};
use bunraku_simulation::SimulationClock;
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

use super::contact_wrenches::{ContactWrenches, FeltContacts};
use super::link_motions::PastMotion;
use super::reading::{Sample, SensorReading};
use crate::label::device_labels;
use crate::{Channel, ChannelState, EncoderState, RollingScan, Schedule, Sensor, SensorKind, seed_of};

/// The simulated sensors of a body. Devices that are not included measure nothing and have no cost.
///
/// When inserted into a body entity, it creates an entity with [`SensorModel`] and [`SensorReading`] for each of them.
/// When it is removed or replaced, these are despawned.
#[derive(Component, Clone, Debug)]
#[component(immutable)]
pub struct BodySensors {
    /// Sensors with their errors and limits.
    pub sensors: Vec<Sensor>,
    /// Seed of the random numbers of all errors; combined with the names of body and device for each sensor.
    pub seed: u64,
}

impl BodySensors {
    /// All sensors of a body with the data of its model. Sensors that cannot be simulated are left out and reported as
    /// errors.
    pub fn all(body: &Body) -> (Self, Vec<Diagnostic>) {
        let (sensors, diagnostics) = Sensor::all_of(body);
        (Self { sensors, seed: 0 }, diagnostics)
    }
}

/// Whether each device of a body is on, in the order of [`Body::devices`]; may be changed at any time. Sensors that are
/// off measure nothing, and lights that are off do not shine in images.
///
/// A sensor that is switched on measures in the next step, and at its rate after that. A body without this component
/// has its devices in the state given by the model.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceSwitches(pub Vec<bool>);

impl DeviceSwitches {
    /// State given by the model.
    pub fn of_model(body: &Body) -> Self {
        Self(body.devices.iter().map(|device| device.enabled).collect())
    }
}

/// Sensor entities of a body entity, in the order of [`BodySensors::sensors`]. They are despawned with it.
#[derive(Component, Debug)]
#[relationship_target(relationship = SensorOf, linked_spawn)]
pub struct SensorEntities(Vec<Entity>);

/// Body entity of a sensor entity.
#[derive(Component, Clone, Copy, Debug)]
#[relationship(relationship_target = SensorEntities)]
pub struct SensorOf(pub Entity);

/// Sensor of a sensor entity. Its [`Name`] is that of the device.
#[derive(Component, Clone, Debug)]
#[component(immutable)]
pub struct SensorModel {
    sensor: Sensor,
    label: String,
    /// Seeds of the at most two channels of a sensor.
    pub(super) seeds: [u64; 2],
    /// Whether each channel has errors, and whether one has a filter; known from the start, because each step asks.
    has_errors: [bool; 2],
    has_filter: bool,
}

impl SensorModel {
    fn new(sensor: &Sensor, label: &str, seeds: [u64; 2]) -> Self {
        let channels = sensor.kind.channels();
        Self {
            sensor: sensor.clone(),
            label: label.to_owned(),
            seeds,
            has_errors: channels.map(|channel| channel.is_some_and(|channel| !channel.error.is_none())),
            has_filter: channels.into_iter().flatten().any(Channel::has_filter),
        }
    }

    /// The sensor.
    pub fn sensor(&self) -> &Sensor {
        &self.sensor
    }

    /// Name in files and seeds; see [`device_labels`].
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Whether a channel has errors.
    pub(super) fn has_errors(&self, channel: usize) -> bool {
        self.has_errors[channel]
    }

    /// Whether a channel has a filter.
    pub(super) fn has_filter(&self) -> bool {
        self.has_filter
    }

    /// Whether it is a range sensor that measures at instants within a step.
    pub(super) fn is_rolling(&self) -> bool {
        matches!(&self.sensor.kind, SensorKind::Range(scanner) if scanner.is_rolling())
    }

    /// Whether it needs the motions of everything visible during a step.
    pub(super) fn needs_motions(&self) -> bool {
        match &self.sensor.kind {
            SensorKind::Range(scanner) => scanner.is_rolling(),
            SensorKind::Camera(camera) => camera.options().needs_motions(),
            _ => false,
        }
    }
}

/// Sampling state of a sensor; all its state besides the last reading.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SensorState {
    pub schedule: Schedule,
    /// Scan in progress of a rolling sensor.
    pub scan: Option<RollingScan>,
    pub channels: [ChannelState; 2],
    pub encoder: EncoderState,
    /// Samples that are delivered later, in the order of their times.
    pub pending: VecDeque<Sample>,
}

impl SensorState {
    pub fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            scan: None,
            channels: Default::default(),
            encoder: Default::default(),
            pending: VecDeque::new(),
        }
    }

    /// Switches the sensor on or off. One that is off forgets all but the number of samples.
    pub fn switch(&mut self, on: bool, time: f64) {
        if self.schedule.is_on() == on {
            return;
        }
        self.schedule.switch(on, time);
        if !on {
            *self = Self::new(self.schedule);
        }
    }

    /// The next sample whose time has come, `latency` s after it was measured.
    pub fn deliver(&mut self, time: f64, latency: f64) -> Option<Sample> {
        /// Rounding tolerance of times, s.
        const EARLY: f64 = 1e-9;
        let age = time - self.pending.front()?.time;
        let sample = if age >= latency - EARLY { self.pending.pop_front() } else { None }?;
        Some(Sample { time, age, ..sample })
    }
}

/// Link poses of a body at the start of a step, for sensors that measure within it.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StepStart(pub Vec<Isometry3<f64>>);

/// A sensor that casts rays or takes pictures.
#[derive(Component)]
pub(super) struct Looks;

/// Exists once there has been a sensor that [`Looks`], so that worlds without one do not look for it in every step.
#[derive(Resource)]
pub(super) struct Visible;

/// Number of threads for ray casting. Readings do not depend on it.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct RayThreads(pub Threads);

/// Renderer of the images of cameras that do not use ray casting, see [`CameraRenderer`](crate::CameraRenderer). Not
/// needed without such cameras.
#[derive(Resource)]
pub struct ScenePainter(pub Box<dyn Painter>);

type SensingBody<'a> = (&'a BodySensors, &'a BodyModel, &'a Name, &'a Drive, Has<DeviceSwitches>);

/// Creates the entities of [`BodySensors`].
pub(super) fn spawn(
    inserted: On<Insert, BodySensors>,
    bodies: Query<SensingBody<'_>>,
    clock: Res<SimulationClock>,
    mut commands: Commands,
) {
    let body = inserted.entity;
    let Ok((BodySensors { sensors, seed }, BodyModel(model), name, drive, has_switches)) = bodies.get(body) else {
        return;
    };
    let labels = device_labels(model);
    for sensor in sensors {
        let Some((label, device)) = labels.get(sensor.device).zip(model.devices.get(sensor.device)) else { continue };
        let seeds = ["", "/2"].map(|channel| seed_of(*seed, name, &format!("{label}{channel}")));
        let mut schedule = sensor.schedule;
        let on = schedule.is_on();
        schedule.switch(false, 0.0);
        schedule.switch(on, clock.time());
        let model = SensorModel::new(sensor, label, seeds);
        let mut entity = commands.spawn((
            Name::new(device.name.clone()),
            SensorOf(body),
            model,
            SensorState::new(schedule),
            SensorReading::default(),
        ));
        if !sensor.kind.is_of_step() {
            entity.insert(Looks);
            commands.insert_resource(Visible);
        }
    }
    let contacts = ContactWrenches::for_sensors(sensors);
    if contacts.is_some() {
        commands.insert_resource(FeltContacts);
    }
    let needs_motion = |sensor: &Sensor| sensor.kind.needs_motion();
    let mut body = commands.entity(body);
    match contacts {
        Some(contacts) => body.insert(contacts),
        None => body.remove::<ContactWrenches>(),
    };
    if sensors.iter().any(needs_motion) {
        body.insert_if_new(PastMotion::default());
        // The body may become dynamic later, but measuring nothing until then is not worth its cost.
        if *drive == Drive::Physics {
            body.insert_if_new(LinkMotions::default());
            if sensors.iter().any(|sensor| matches!(sensor.kind, SensorKind::Force { .. })) {
                body.insert_if_new(JointReadings::default());
            }
        }
    }
    if !has_switches {
        body.insert(DeviceSwitches::of_model(model));
    }
}

/// Despawns the entities of sensors that are removed or replaced.
pub(super) fn despawn(discarded: On<Discard, BodySensors>, bodies: Query<&SensorEntities>, mut commands: Commands) {
    for sensor in bodies.get(discarded.entity).into_iter().flat_map(SensorEntities::iter) {
        commands.entity(sensor).try_despawn();
    }
}

/// Keeps the link poses of all bodies for the next step, if a sensor needs them.
pub(super) fn keep_poses(
    sensors: Query<&SensorModel>,
    mut bodies: Query<(Entity, &BodyState, Option<&mut StepStart>)>,
    mut commands: Commands,
) {
    if !sensors.iter().any(SensorModel::needs_motions) {
        return;
    }
    for (body, state, kept) in &mut bodies {
        match kept {
            Some(mut kept) => state.link_poses.clone_into(&mut kept.0),
            None => {
                commands.entity(body).insert(StepStart(state.link_poses.clone()));
            }
        }
    }
}
