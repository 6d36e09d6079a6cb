//! The simulation loop: one pass of [`SimulationStep`] is one time step.
//!
//! The schedule is single-threaded, and two systems that access the same data without a specified order are an error. A
//! run therefore always gives the same result. It has its own clock ([`SimulationClock`]), and no step reads the wall
//! clock: a window that paces the loop ([`Pace`]) and a headless run at full speed compute the same steps.
//!
//! Add systems by set, never by the name of a system. Register the state they keep between steps, so that snapshots
//! contain it:
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
pub use pace::{FailOnPanic, KeepStepping, LONGEST_DEBT, LONGEST_UPDATE, Pace, RunSteps, run_steps};
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
