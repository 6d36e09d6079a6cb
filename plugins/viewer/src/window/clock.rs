//! How long things take.

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
    /// Simulated seconds a second.
    pub real_time_factor: f64,
    /// Wall time of a step, µs.
    pub step_time: f64,
    /// Wall time between two pictures, ms.
    pub frame_time: f64,
    /// Wall time of all steps so far, s.
    pub total: f64,
    /// All steps so far, those that were gone back on among them.
    pub made: u64,
    /// When the steps of this update began.
    update: Option<Instant>,
    /// Since when there is anything to divide, with the step then.
    since: Option<(Instant, u64)>,
    stepping: f64,
    stepped: u64,
    frames: u32,
}

/// Seconds over which figures are taken.
const WINDOW: f64 = 0.5;

/// Lets a processor that also draws finish its picture first: steps would share their cores with it.
pub fn finish_drawing(quality: Res<Quality>, pace: Res<Pace>, device: Option<Res<RenderDevice>>) {
    if *quality == Quality::Plain
        && *pace != Pace::Paused
        && let Some(device) = device
        && let Err(error) = device.poll(PollType::wait_indefinitely())
    {
        log::debug!("the last picture is not waited for: {error}");
    }
}

/// Before steps are made.
pub fn begin_steps(mut timings: ResMut<Timings>, clock: Res<SimulationClock>) {
    timings.update = Some(Instant::now());
    if timings.since.is_none() {
        timings.since = Some((Instant::now(), clock.step()));
    }
    timings.stepped = clock.step();
}

/// After they are made.
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

/// When the program began; set it first thing, so that the time to the first picture is that of the whole start.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Begun(pub Instant);

/// How long it took from [`Begun`] to the first picture with everything in it, s; `None` before that.
#[derive(Resource, Clone, Debug, Default)]
pub struct FirstPicture(Arc<OnceLock<f64>>);

impl FirstPicture {
    /// s
    pub fn seconds(&self) -> Option<f64> {
        self.0.get().copied()
    }

    /// Watches the renderer.
    pub fn watch(&self, app: &mut App, begun: Begun) {
        let seconds = Arc::clone(&self.0);
        let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
        let look = move |cache: Res<PipelineCache>, mut drawn: Local<u32>| {
            // What waits for its shaders is not seen yet, and a camera is there from the second picture on.
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
