//! Measurement step of the sensors that cast rays or take pictures.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bunraku_body::{BodyModel, BodyState};
use bunraku_render::{Motion, PainterError, Threads};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus, SimulationWarnings};
use nalgebra::Isometry3;

use super::body_sensors::{
    DeviceSwitches, Looks, RayThreads, ScenePainter, SensorEntities, SensorModel, SensorState, StepStart,
};
use super::delivery::{Delivery, Order, limit, warn_of_rate};
use super::reading::{Measured, Measurement, Sample, SensorReading, Shared};
use super::visual_models::VisualModels;
use super::visual_scene::{Seen, SurroundingLight, VisualScene, VisualView};
use crate::{CameraMotion, Carried, Due, Random, RollingScan, Scan, SensorError, SensorKind};

/// A body with sensors.
type Looking<'a> =
    (Entity, &'a BodyModel, &'a BodyState, (&'a SensorEntities, &'a DeviceSwitches), Option<&'a StepStart>);

type LookingSensor<'a> = (&'a SensorModel, &'a mut SensorState, &'a mut SensorReading);

/// What sensors see, its light, and what draws it.
#[derive(SystemParam)]
pub(super) struct Surroundings<'w, 's> {
    seen: Seen<'w, 's>,
    threads: Res<'w, RayThreads>,
    painter: Option<Res<'w, ScenePainter>>,
    visual: ResMut<'w, VisualScene>,
    models: Res<'w, VisualModels>,
    light: Res<'w, SurroundingLight>,
}

/// Measures with all sensors that are due and cast rays or take pictures.
pub(super) fn look(
    bodies: Query<Looking<'_>>,
    mut sensors: Query<LookingSensor<'_>, With<Looks>>,
    (clock, mut status): (Res<SimulationClock>, ResMut<SimulationStatus>),
    mut surroundings: Surroundings,
    mut warnings: ResMut<SimulationWarnings>,
    mut messages: ResMut<Messages<Measured>>,
    mut order: Local<Order>,
) {
    if matches!(*status, SimulationStatus::Failed(_)) {
        return;
    }
    let Surroundings { seen, threads, painter, visual, models, light } = &mut surroundings;
    let time = clock.time();
    let view = LazyView { outdated: Some(visual), view: None, seen, models, light };
    let mut eye = Eye { clock: &clock, view, warnings: &mut warnings, painter: painter.as_deref(), threads: threads.0 };
    for &entity in order.of(bodies.iter().map(|body| body.0), |body| bodies.contains(body)) {
        let Ok((_, BodyModel(body), state, (entities, switches), start)) = bodies.get(entity) else { continue };
        for sensor in entities.iter() {
            let Ok((model, mut timing, mut reading)) = sensors.get_mut(sensor) else { continue };
            let timing = &mut *timing;
            let mut delivery = Delivery { sensor, time, reading: &mut reading, messages: &mut messages };
            if !delivery.begin(model, timing, switches) {
                continue;
            }
            let link = model.sensor().link.0;
            let Some(&end) = state.link_poses.get(link) else { continue };
            let start = start.and_then(|start| start.0.get(link));
            let (due, measurement) = match eye.measure(model, timing, (start, &end)) {
                Ok(Some(measured)) => measured,
                Ok(None) => continue,
                Err(error) => {
                    let message = format!("`{}/{}` cannot take its picture: {error}", body.name, model.label());
                    *status = SimulationStatus::Failed(SimulationFault { time, message });
                    return;
                }
            };
            if due.missed > 0 {
                warn_of_rate(eye.warnings, entity, (model, body));
            }
            let Due { sample: number, missed } = due;
            let pose = end * model.sensor().mounting;
            delivery.end(model, timing, Sample { number, missed, time, age: 0.0, pose, measurement });
        }
    }
    limit(&mut messages);
}

/// The step in which sensors look.
struct Eye<'a, 'w, 's> {
    clock: &'a SimulationClock,
    view: LazyView<'a, 'w, 's>,
    warnings: &'a mut SimulationWarnings,
    painter: Option<&'a ScenePainter>,
    threads: Threads,
}

/// The visual scene, updated when the first sensor needs it.
struct LazyView<'a, 'w, 's> {
    outdated: Option<&'a mut VisualScene>,
    view: Option<VisualView<'a>>,
    seen: &'a Seen<'w, 's>,
    models: &'a VisualModels,
    light: &'a SurroundingLight,
}

impl<'a> LazyView<'a, '_, '_> {
    fn get(&mut self, warnings: &mut SimulationWarnings) -> Option<&VisualView<'a>> {
        if let Some(scene) = self.outdated.take() {
            self.view = Some(scene.update(self.seen, (self.models, self.light), warnings));
        }
        self.view.as_ref()
    }
}

impl Eye<'_, '_, '_> {
    /// The measurement of a sensor that is on; `None` if none is due. `start` and `end` are the poses of its link in the
    /// step; the start is `None` if it is not known.
    ///
    /// # Errors
    /// If a picture cannot be taken.
    fn measure(
        &mut self,
        model: &SensorModel,
        timing: &mut SensorState,
        (start, end): (Option<&Isometry3<f64>>, &Isometry3<f64>),
    ) -> Result<Option<(Due, Measurement)>, SensorError> {
        let motion = start.map_or_else(|| Motion::still(*end), |start| Motion::new(*start, *end));
        let Some((due, rolled)) = self.due(model, timing, &motion, start.is_some()) else { return Ok(None) };
        let random = |channel: usize| Random::of_sample(model.seeds[channel], due.sample);
        let kind = &model.sensor().kind;
        let measurement = match (kind, rolled) {
            (SensorKind::Range(scanner), Some(scan)) => {
                Some(Measurement::Range(Shared::new(scanner.with_errors(scan, || random(0)))))
            }
            _ => self.look(kind, due.sample, &motion, random)?,
        };
        Ok(measurement.map(|measurement| (due, measurement)))
    }

    /// Whether a sensor measures in this step; with the scan of a rolling one that is complete.
    fn due(
        &mut self,
        model: &SensorModel,
        SensorState { schedule, scan, .. }: &mut SensorState,
        motion: &Motion,
        is_start_known: bool,
    ) -> Option<(Due, Option<Scan>)> {
        let time = self.clock.time();
        let SensorKind::Range(scanner) = &model.sensor().kind else { return Some((schedule.step(time)?, None)) };
        if !model.is_rolling() {
            return Some((schedule.step(time)?, None));
        }
        let from = if is_start_known { time - self.clock.time_step() } else { time };
        let carried = Carried { from, to: time, link: motion };
        let scan = scan.get_or_insert_with(|| RollingScan::new(schedule.since().unwrap_or(time)));
        let VisualView { scene, .. } = self.view.get(self.warnings)?;
        let (scan, missed) = scan.advance(scanner, scene, &carried, self.threads)?;
        Some((schedule.take(missed), Some(scan)))
    }

    /// Takes a scan or an image at an instant.
    fn look(
        &mut self,
        kind: &SensorKind,
        number: u64,
        motion: &Motion,
        random: impl Fn(usize) -> Random,
    ) -> Result<Option<Measurement>, SensorError> {
        let (threads, step) = (self.threads, self.clock.time_step());
        let Some(VisualView { scene, lighting, names }) = self.view.get(self.warnings) else { return Ok(None) };
        match kind {
            SensorKind::Range(scanner) => {
                let scan = scanner.scan_frame(number, scene, &motion.end(), || random(0), threads);
                Ok(Some(Measurement::Range(Shared::new(scan))))
            }
            SensorKind::Camera(camera) => {
                let mut taken = if camera.is_painted() {
                    let painter =
                        self.painter.ok_or_else(|| PainterError("the app has no `ScenePainter`".to_owned()))?;
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
}
