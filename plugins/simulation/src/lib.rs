//! The simulation loop: one pass of [`SimulationStep`] is one time step.
//!
//! The schedule is single-threaded, and two systems that touch the same data without a stated order are an error, so
//! that a run gives the same result every time. It has its own clock ([`SimulationClock`]) and no step reads the wall clock: a window
//! that paces the loop ([`Pace`]) and a headless run that goes as fast as it can compute the very same steps.
//!
//! Add systems by set, never by the name of a system; register what they keep from step to step, so that snapshots hold it:
//!
//! ```
//! use bevy::prelude::*;
//! use bunraku_simulation::{
//!     RegisterSimulationState, SimulationClock, SimulationPlugin, SimulationStep, SimulationSystems,
//! };
//!
//! #[derive(Resource, Clone, Default, serde::Serialize, serde::Deserialize)]
//! struct Integral(f64);
//!
//! fn integrate(clock: Res<SimulationClock>, mut integral: ResMut<Integral>) {
//!     integral.0 += clock.time().sin() * clock.time_step();
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, SimulationPlugin::default()))
//!     .init_resource::<Integral>()
//!     .register_simulation_resource::<Integral>()
//!     .add_systems(SimulationStep, integrate.in_set(SimulationSystems::Control));
//! ```

mod clock;
mod pace;
mod plugin;
mod rewind;
mod schedule;
mod state;
mod status;
mod step_times;
mod warnings;

pub use clock::SimulationClock;
pub use pace::{FailOnPanic, LONGEST_UPDATE, Pace, run_steps};
pub use plugin::SimulationPlugin;
pub use rewind::RecordingRewind;
pub use schedule::{RecordSystems, SimulationStart, SimulationStep, SimulationSystems, StepSystems};
pub use state::{
    RegisterSimulationState, SimulationSnapshot, SimulationState, SnapshotEntities, SnapshotError, StateStore,
    unregistered_state,
};
pub use status::{SimulationFault, SimulationStatus, StopAfter};
pub use step_times::{StepPart, StepTimes, StepTimesPlugin};
pub use warnings::{SimulationWarning, SimulationWarnings};
