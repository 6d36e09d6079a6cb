//! Which sensors a body has, and their entities.

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, Drive};
use bunraku_document::Diagnostic;
use bunraku_physics::JointReadings;
use bunraku_render::{Painter, Threads};
use bunraku_simulation::SimulationClock;
use serde::{Deserialize, Serialize};

use super::link_motions::PastMotion;
use super::reading::SensorReading;
use crate::label::device_labels;
use crate::{Schedule, Sensor, SensorKind, seed_of};

/// The sensors of a body that are simulated; those of its devices that are not here measure nothing and cost nothing.
///
/// Put on a body entity it makes an entity with [`SensorModel`] and [`SensorReading`] for each of them; taken away, or
/// replaced by another, it takes them along.
#[derive(Component, Clone, Debug)]
#[component(immutable)]
pub struct BodySensors {
    /// What is measured, with which errors and limits.
    pub sensors: Vec<Sensor>,
    /// What the random numbers of all errors begin with; with the names of body and device it is the seed of each sensor.
    pub seed: u64,
}

impl BodySensors {
    /// All sensors of a body as its model says. Those that cannot be simulated are left out and told as errors.
    pub fn all(body: &Body) -> (Self, Vec<Diagnostic>) {
        let (sensors, diagnostics) = Sensor::all_of(body);
        (Self { sensors, seed: 0 }, diagnostics)
    }
}

/// Whether each device of a body is on, in the order of [`Body::devices`]; change it at any time. Sensors that are off
/// measure nothing, and lights that are off do not shine in pictures.
///
/// A sensor that is switched on measures in the next step, and at its rate from then on. A body without this component has
/// all devices as its model says.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceSwitches(pub Vec<bool>);

impl DeviceSwitches {
    /// As the model says.
    pub fn of_model(body: &Body) -> Self {
        Self(body.devices.iter().map(|device| device.enabled).collect())
    }
}

/// The sensor entities of a body entity, in the order of [`BodySensors::sensors`]. They are despawned with it.
#[derive(Component, Debug)]
#[relationship_target(relationship = SensorOf, linked_spawn)]
pub struct SensorEntities(Vec<Entity>);

/// The body entity that a sensor entity belongs to.
#[derive(Component, Clone, Copy, Debug)]
#[relationship(relationship_target = SensorEntities)]
pub struct SensorOf(pub Entity);

/// What a sensor entity measures. Its [`Name`] is that of the device.
#[derive(Component, Clone, Debug)]
#[component(immutable)]
pub struct SensorModel {
    sensor: Sensor,
    label: String,
    /// Of the two channels that a sensor has at most.
    pub(super) seeds: [u64; 2],
}

impl SensorModel {
    /// The sensor.
    pub fn sensor(&self) -> &Sensor {
        &self.sensor
    }

    /// What it is called in files and seeds; see [`device_labels`].
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// When a sensor measures; all its state besides the last reading.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SensorState(pub Schedule);

/// How many threads cast rays. No reading depends on it.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct RayThreads(pub Threads);

/// What draws the pictures of cameras that are not to be drawn by rays, see [`CameraRenderer`](crate::CameraRenderer). An app
/// that has none of these cameras needs none.
#[derive(Resource)]
pub struct ScenePainter(pub Box<dyn Painter>);

type SensingBody<'a> = (&'a BodySensors, &'a BodyModel, &'a Name, &'a Drive, Has<DeviceSwitches>, Has<JointReadings>);

/// Makes the entities of [`BodySensors`].
pub(super) fn spawn(
    inserted: On<Insert, BodySensors>,
    bodies: Query<SensingBody<'_>>,
    clock: Res<SimulationClock>,
    mut commands: Commands,
) {
    let body = inserted.entity;
    let Ok((BodySensors { sensors, seed }, BodyModel(model), name, drive, has_switches, has_readings)) =
        bodies.get(body)
    else {
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
        commands.spawn((
            Name::new(device.name.clone()),
            SensorOf(body),
            SensorModel { sensor: sensor.clone(), label: label.clone(), seeds },
            SensorState(schedule),
            SensorReading::default(),
        ));
    }
    let needs_motion = |sensor: &Sensor| !matches!(sensor.kind, SensorKind::Range(_) | SensorKind::Camera(_));
    let mut body = commands.entity(body);
    if sensors.iter().any(needs_motion) {
        body.insert_if_new(PastMotion::default());
        // It may come to be moved by forces later, but that is not worth what it costs to measure nothing until then.
        if *drive == Drive::Physics && !has_readings {
            body.insert(JointReadings::default());
        }
    }
    if !has_switches {
        body.insert(DeviceSwitches::of_model(model));
    }
}

/// Removes the entities of sensors that are taken away or replaced.
pub(super) fn despawn(discarded: On<Discard, BodySensors>, bodies: Query<&SensorEntities>, mut commands: Commands) {
    for sensor in bodies.get(discarded.entity).into_iter().flat_map(SensorEntities::iter) {
        commands.entity(sensor).try_despawn();
    }
}
