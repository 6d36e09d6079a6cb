//! How long things take.

use std::time::Instant;

use bevy::prelude::*;
use bunraku_simulation::SimulationClock;

/// Figures over the last half second.
#[derive(Resource, Clone, Debug, Default)]
pub struct Timings {
    /// Simulated seconds a second.
    pub real_time_factor: f64,
    /// Wall time of a step, µs.
    pub step_time: f64,
    /// Wall time between two pictures, ms.
    pub frame_time: f64,
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
        timings.stepping += update.elapsed().as_secs_f64();
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
        ..Timings::default()
    };
    *steps = 0;
}
