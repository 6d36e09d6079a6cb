//! Time measurements.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::render::render_resource::PipelineCache;
use bevy::render::{ExtractSchedule, Render, RenderApp, RenderSystems};
use bevy::tasks::tick_global_task_pools_on_main_thread;
use bunraku_simulation::{KeepStepping, SimulationClock};

use crate::camera::Quality;

/// Figures over the last half second.
#[derive(Resource, Clone, Debug, Default)]
pub struct Timings {
    /// Simulated seconds per second.
    pub real_time_factor: f64,
    /// Wall time of a step, µs.
    pub step_time: f64,
    /// Wall time between two frames, ms.
    pub frame_time: f64,
    /// Wall time of all steps so far, s.
    pub total: f64,
    /// Number of all steps so far, including those that were undone.
    pub made: u64,
    /// Begin of the steps of this update.
    update: Option<Instant>,
    /// Begin of the current measurement: the end of the steps of an update.
    since: Option<Instant>,
    /// Steps, their wall time and frames of the current measurement.
    steps: u64,
    stepping: f64,
    frames: u32,
    /// Step at the beginning of this update.
    stepped: u64,
    /// End of the steps of the last update.
    ended: Option<Instant>,
}

/// Length of a measurement, s.
const WINDOW: f64 = 0.5;

/// Longest time that steps go on while a picture is drawn: the window reads its input after that.
const LONGEST_PICTURE: Duration = Duration::from_millis(400);
/// Time between two pictures while a simulation is late: five in a second.
const PICTURE_INTERVAL: Duration = Duration::from_millis(200);

/// Whether the last picture is being drawn by another thread.
#[derive(Resource, Clone, Debug, Default)]
pub struct Drawing(Arc<AtomicBool>);

impl Drawing {
    /// Observes the renderer.
    pub fn watch(&self, app: &mut App) {
        let (begins, ends) = (Arc::clone(&self.0), Arc::clone(&self.0));
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        // From the extraction, before the other thread begins.
        render.add_systems(ExtractSchedule, move || begins.store(true, Ordering::Release));
        let end = move || ends.store(false, Ordering::Release);
        // Without the feature `multi_threaded` tasks run on the thread that has spawned them, if it lets them: those that
        // fetch pictures of the window belong to the renderer's.
        render.add_systems(Render, (tick_global_task_pools_on_main_thread, end).in_set(RenderSystems::PostCleanup));
    }
}

/// Lets steps go on while the processor draws the last picture, instead of waiting to draw the next one: pictures are
/// left out, and the simulation keeps its time. A simulation that is late has what the rest of an update, as long as the
/// last one, leaves of [`PICTURE_INTERVAL`].
pub fn step_while_drawing(mut commands: Commands, quality: Res<Quality>, drawing: Res<Drawing>, timings: Res<Timings>) {
    if *quality == Quality::Plain {
        let (drawing, begun) = (drawing.clone(), Instant::now());
        let rest = timings.ended.map_or(Duration::ZERO, |ended| begun - ended);
        let share = PICTURE_INTERVAL.saturating_sub(rest);
        let keep = move |is_late| {
            let elapsed = begun.elapsed();
            (drawing.0.load(Ordering::Acquire) && elapsed < LONGEST_PICTURE) || (is_late && elapsed < share)
        };
        commands.insert_resource(KeepStepping(Box::new(keep)));
    }
}

/// Runs before the steps of an update.
pub fn begin_steps(mut timings: ResMut<Timings>, clock: Res<SimulationClock>) {
    timings.update = Some(Instant::now());
    timings.stepped = clock.step();
}

/// Runs after the steps of an update.
pub fn end_steps(mut timings: ResMut<Timings>, clock: Res<SimulationClock>) {
    let now = Instant::now();
    let made = clock.step().saturating_sub(timings.stepped);
    let elapsed = timings.update.map_or(0.0, |update| (now - update).as_secs_f64());
    timings.ended = Some(now);
    timings.add(now, made, elapsed, clock.time_step());
}

impl Timings {
    /// Adds an update that ended `now` and made `made` steps in `elapsed` s.
    #[allow(clippy::cast_precision_loss)]
    fn add(&mut self, now: Instant, made: u64, elapsed: f64, time_step: f64) {
        if made > 0 {
            self.stepping += elapsed;
            self.total += elapsed;
            self.made += made;
        }
        // From the end of an update to the end of another: the steps of the first one belong to the time before.
        let Some(since) = self.since else {
            (self.since, self.steps, self.stepping, self.frames) = (Some(now), 0, 0.0, 0);
            return;
        };
        self.steps += made;
        self.frames += 1;
        let wall = (now - since).as_secs_f64();
        if wall < WINDOW {
            return;
        }
        self.real_time_factor = self.steps as f64 * time_step / wall;
        if self.steps > 0 {
            self.step_time = self.stepping * 1e6 / self.steps as f64;
        }
        self.frame_time = wall * 1e3 / f64::from(self.frames);
        (self.since, self.steps, self.stepping, self.frames) = (Some(now), 0, 0.0, 0);
    }
}

/// Start time of the program; set it first, so that the time to the first frame includes the whole start.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Begun(pub Instant);

/// Time from [`Begun`] to the first complete frame, s; `None` before it.
#[derive(Resource, Clone, Debug, Default)]
pub struct FirstPicture(Arc<OnceLock<f64>>);

impl FirstPicture {
    /// Time, s.
    pub fn seconds(&self) -> Option<f64> {
        self.0.get().copied()
    }

    /// Observes the renderer.
    pub fn watch(&self, app: &mut App, begun: Begun) {
        let seconds = Arc::clone(&self.0);
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        let look = move |cache: Res<PipelineCache>, mut drawn: Local<u32>| {
            // Objects whose shaders are not ready are invisible, and the camera exists from the second frame on.
            *drawn += 1;
            let is_whole =
                *drawn > 1 && cache.waiting_pipelines().next().is_none() && cache.pipelines().next().is_some();
            if is_whole && seconds.get().is_none() {
                let _ = seconds.set(begun.0.elapsed().as_secs_f64());
            }
        };
        render.add_systems(Render, look.in_set(RenderSystems::Cleanup));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn real_time_is_measured_as_such_whatever_the_time_between_pictures() {
        for between in [0.02, 0.17, 0.24, 0.6] {
            let mut timings = Timings::default();
            let mut now = Instant::now();
            for _ in 0..(3.0 / between) as usize {
                now += Duration::from_secs_f64(between);
                timings.add(now, (between / 0.01) as u64, 0.001, 0.01);
                let factor = timings.real_time_factor;
                assert!(factor == 0.0 || (factor - 1.0).abs() < 1e-3, "{factor} with a picture each {between} s");
            }
            assert!((timings.frame_time - between * 1e3).abs() < 1e-3 && timings.real_time_factor > 0.0);
        }
    }
}
