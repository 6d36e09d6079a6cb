//! Time measurements.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bevy::prelude::*;
use bevy::render::render_resource::{PipelineCache, PollType};
use bevy::render::renderer::RenderDevice;
use bevy::render::{Render, RenderApp, RenderSystems};
use bunraku_simulation::{Pace, SimulationClock};

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
    /// Begin of the current measurement, with the step at that time.
    since: Option<(Instant, u64)>,
    stepping: f64,
    stepped: u64,
    frames: u32,
}

/// Length of a measurement, s.
const WINDOW: f64 = 0.5;

/// Waits for the frame if the processor also renders: steps would compete for its cores.
pub fn finish_drawing(quality: Res<Quality>, pace: Res<Pace>, device: Option<Res<RenderDevice>>) {
    if *quality == Quality::Plain
        && *pace != Pace::Paused
        && let Some(device) = device
        && let Err(error) = device.poll(PollType::wait_indefinitely())
    {
        log::debug!("the last picture is not waited for: {error}");
    }
}

/// Runs before the steps of an update.
pub fn begin_steps(mut timings: ResMut<Timings>, clock: Res<SimulationClock>) {
    timings.update = Some(Instant::now());
    if timings.since.is_none() {
        timings.since = Some((Instant::now(), clock.step()));
    }
    timings.stepped = clock.step();
}

/// Runs after the steps of an update.
#[allow(clippy::cast_precision_loss)]
pub fn end_steps(mut timings: ResMut<Timings>, clock: Res<SimulationClock>, mut steps: Local<u64>) {
    let made = clock.step().saturating_sub(timings.stepped);
    if let Some(update) = timings.update.filter(|_| made > 0) {
        let elapsed = update.elapsed().as_secs_f64();
        timings.stepping += elapsed;
        timings.total += elapsed;
        timings.made += made;
        *steps += made;
    }
    timings.frames += 1;
    let Some((since, _)) = timings.since else { return };
    let wall = since.elapsed().as_secs_f64();
    if wall < WINDOW {
        return;
    }
    timings.real_time_factor = *steps as f64 * clock.time_step() / wall;
    if *steps > 0 {
        timings.step_time = timings.stepping * 1e6 / *steps as f64;
    }
    timings.frame_time = wall * 1e3 / f64::from(timings.frames.max(1));
    *timings = Timings {
        real_time_factor: timings.real_time_factor,
        step_time: timings.step_time,
        frame_time: timings.frame_time,
        total: timings.total,
        made: timings.made,
        ..Timings::default()
    };
    *steps = 0;
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
