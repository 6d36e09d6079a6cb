//! Measurement of one sensor at the end of a step.

use bevy::prelude::Entity;
use bunraku_render::{Motion, PainterError, Threads};
use bunraku_simulation::{SimulationClock, SimulationWarnings};

use super::body_sensors::{ScenePainter, SensorModel, SensorState};
use super::moving::{Moving, exact, filter, of_vectors};
use super::reading::{Measurement, Sample, Shared};
use super::visual_models::VisualModels;
use super::visual_scene::{Seen, SurroundingLight, VisualScene, VisualView};
use crate::{CameraMotion, Carried, Channel, Due, Random, RollingScan, Scan, SensorError, SensorKind, Values};

/// The step in which sensors measure.
pub(super) struct Measuring<'a, 'w, 's> {
    pub clock: &'a SimulationClock,
    pub view: LazyView<'a, 'w, 's>,
    pub warnings: &'a mut SimulationWarnings,
    pub painter: Option<&'a ScenePainter>,
    pub threads: Threads,
}

/// The visual scene, updated when the first sensor needs it.
pub(super) struct LazyView<'a, 'w, 's> {
    outdated: Option<&'a mut VisualScene>,
    view: Option<VisualView<'a>>,
    seen: &'a Seen<'w, 's>,
    models: &'a VisualModels,
    light: &'a SurroundingLight,
}

impl<'a, 'w, 's> LazyView<'a, 'w, 's> {
    pub fn new(
        scene: &'a mut VisualScene,
        seen: &'a Seen<'w, 's>,
        models: &'a VisualModels,
        light: &'a SurroundingLight,
    ) -> Self {
        Self { outdated: Some(scene), view: None, seen, models, light }
    }

    fn get(&mut self, warnings: &mut SimulationWarnings) -> Option<&VisualView<'a>> {
        if let Some(scene) = self.outdated.take() {
            self.view = Some(scene.update(self.seen, (self.models, self.light), warnings));
        }
        self.view.as_ref()
    }
}

impl Measuring<'_, '_, '_> {
    /// The sample of a sensor that is on; `None` if none is due.
    ///
    /// # Errors
    /// If a picture cannot be taken.
    pub fn sample(
        &mut self,
        (entity, model): (Entity, &SensorModel),
        timing: &mut SensorState,
        moving: &mut Moving<'_>,
    ) -> Result<Option<Sample>, SensorError> {
        let sensor = model.sensor();
        let is_too_early = self.clock.step() == 0 || sensor.kind.needs_motion() && !moving.is_known();
        if sensor.kind.is_of_step() && is_too_early {
            return Ok(None);
        }
        let Some(link) = moving.state.link_poses.get(sensor.link.0) else { return Ok(None) };
        let step = self.clock.time_step();
        if let SensorKind::Encoder(encoder, _) = &sensor.kind {
            let displacement = moving.state.displacements.get(encoder.joint.0).copied().unwrap_or(0.0);
            encoder.follow(displacement, &mut timing.encoder);
        }
        // A filter takes in the values of all steps.
        let has_filter = sensor.kind.channels().into_iter().flatten().any(Channel::has_filter);
        let filtered = has_filter.then(|| filter(sensor, exact(sensor, moving), step, &mut timing.channels));
        let motion = moving.in_step(sensor.link.0, link);
        let Some((Due { sample: number, missed }, rolled)) = self.due(model, timing, &motion, moving.start.is_some())
        else {
            return Ok(None);
        };
        if missed > 0 {
            let (name, body) = (model.label(), &moving.body.name);
            self.warnings.add(entity, "SensorModel", || {
                format!("`{name}` of `{body}` measures once a step only: its rate is higher than that of the steps")
            });
        }
        let random = |channel: usize| Random::of_sample(model.seeds[channel], number);
        let interval = timing.schedule.interval(step);
        let measurement = match &sensor.kind {
            SensorKind::Encoder(encoder, kind) => {
                let numbers = encoder.measure(interval, &mut timing.encoder, || random(0)).to_vec();
                Some(Measurement::Values(Values { kind: *kind, numbers }))
            }
            SensorKind::Range(scanner) => match rolled {
                Some(scan) => Some(Measurement::Range(Shared::new(scanner.with_errors(scan, || random(0))))),
                None => self.look(&sensor.kind, number, &motion, random)?,
            },
            SensorKind::Camera(_) => self.look(&sensor.kind, number, &motion, random)?,
            kind => {
                let exact = filtered.unwrap_or_else(|| exact(sensor, moving));
                let mut values = exact;
                for (index, channel) in kind.channels().into_iter().enumerate() {
                    let Some(channel) = channel else { continue };
                    let state = &mut timing.channels[index];
                    values[index] = channel.measure(exact[index], (number, interval), state, &mut || random(index));
                }
                of_vectors(kind, values)
            }
        };
        let (time, pose) = (self.clock.time(), link * sensor.mounting);
        Ok(measurement.map(|measurement| Sample { number, missed, time, age: 0.0, pose, measurement }))
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
