//! The loop of a simulation by itself: order, clock, pace, status, warnings, state.

// Tests panic on purpose when they cannot continue.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod pace;
mod schedule;
mod snapshots;
mod warnings;

use bevy::prelude::*;
use bunraku_simulation::{Pace, SimulationPlugin};

/// An app that waits for steps of 0.1 s.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, SimulationPlugin { time_step: 0.1, pace: Pace::Paused }));
    app
}
