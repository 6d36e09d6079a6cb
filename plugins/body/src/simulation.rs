//! The simulation schedule: one pass of [`SimulationStep`] is one time step.
//!
//! The schedule is single-threaded, and two systems that touch the same data without a stated order are an error, so
//! that a run gives the same result every time. It has its own clock and never reads the wall clock: a window that
//! paces it and a headless run that goes as fast as it can compute the very same steps.
//!
//! Add systems by set, never by the name of a system:
//!
//! ```
//! use bevy::prelude::*;
//! use bunraku_body::simulation::{SimulationClock, SimulationStep, SimulationSystems};
//! use bunraku_body::{BodyPlugin, JointEfforts};
//!
//! fn push(clock: Res<SimulationClock>, mut bodies: Query<&mut JointEfforts>) {
//!     for mut efforts in &mut bodies {
//!         efforts.0[0] = clock.time().sin();
//!     }
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, BodyPlugin));
//! app.add_systems(SimulationStep, push.in_set(SimulationSystems::Control));
//! ```

use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor};
use bevy::prelude::*;

/// One pass is one time step.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimulationStep;

/// Runs once before the first step: physics takes in the spawned bodies, recorders write the initial state.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimulationStart;

/// The parts of a time step, in order. The same sets order [`SimulationStart`], where `Control` and `Actuate` have
/// nothing to do.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimulationSystems {
    /// Controllers read the state at the beginning of the step and write commands.
    Control,
    /// Commands become forces, within the limits of the model.
    Actuate,
    /// The world moves on by one time step; at its end the clock does too.
    Step,
    /// Sensors measure the new state.
    Sense,
    /// The new state and the measurements are recorded.
    Record,
}

/// Simulated time.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct SimulationClock {
    time_step: f64,
    step: u64,
}

impl SimulationClock {
    /// A clock at time 0 that advances by `time_step` seconds a step.
    pub fn new(time_step: f64) -> Self {
        Self { time_step, step: 0 }
    }

    /// Length of a step, s.
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Steps done so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Simulated time so far, s: steps × time step, so that no rounding adds up.
    #[allow(clippy::cast_precision_loss)]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }
}

impl Default for SimulationClock {
    /// Steps of 1 ms.
    fn default() -> Self {
        Self::new(0.001)
    }
}

/// How many steps an update of the app makes.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// None.
    Paused,
    /// So many, however long they take.
    Unpaced {
        /// Steps an update.
        steps_per_update: u32,
    },
}

impl Default for Pace {
    fn default() -> Self {
        Self::Unpaced { steps_per_update: 1 }
    }
}

/// How far the simulation is.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub enum SimulationStatus {
    /// Not started yet: nothing has been handed to the physics.
    #[default]
    Ready,
    /// Stepping.
    Running,
    /// [`StopAfter`] is reached.
    Finished,
    /// Something made it pointless to go on; what was recorded so far is sound.
    Failed(SimulationFault),
}

/// Why a simulation had to stop.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} (at t = {time:.4} s)")]
pub struct SimulationFault {
    /// Simulated time, s.
    pub time: f64,
    /// What happened, to which body and joint.
    pub message: String,
}

/// Number of steps after which the simulation is finished; `None`: never.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopAfter(pub Option<u64>);

/// Sets up the schedules, the clock and the loop that steps them; part of [`crate::BodyPlugin`].
pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<SimulationClock>()
        .init_resource::<Pace>()
        .init_resource::<SimulationStatus>()
        .init_resource::<StopAfter>()
        .add_systems(Update, advance);
    for mut schedule in [Schedule::new(SimulationStep), Schedule::new(SimulationStart)] {
        schedule
            .set_executor(SingleThreadedExecutor::new())
            .set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..default() })
            .configure_sets(
                (
                    SimulationSystems::Control,
                    SimulationSystems::Actuate,
                    SimulationSystems::Step,
                    AdvanceClock,
                    SimulationSystems::Sense,
                    SimulationSystems::Record,
                )
                    .chain(),
            );
        app.add_schedule(schedule);
    }
    app.add_systems(SimulationStep, advance_clock.in_set(AdvanceClock));
}

#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
struct AdvanceClock;

fn advance_clock(mut clock: ResMut<SimulationClock>) {
    clock.step += 1;
}

/// The simulation loop: as many steps as the pace says, fewer if the end comes first.
fn advance(world: &mut World) {
    let steps = match *world.resource::<Pace>() {
        Pace::Paused => return,
        Pace::Unpaced { steps_per_update } => u64::from(steps_per_update),
    };
    if *world.resource::<SimulationStatus>() == SimulationStatus::Ready {
        world.insert_resource(SimulationStatus::Running);
        world.run_schedule(SimulationStart);
    }
    let done = world.resource::<SimulationClock>().step;
    let remaining = world.resource::<StopAfter>().0.map_or(u64::MAX, |last| last.saturating_sub(done));
    world.schedule_scope(SimulationStep, |world, schedule| {
        for _ in 0..steps.min(remaining) {
            if *world.resource::<SimulationStatus>() != SimulationStatus::Running {
                return;
            }
            schedule.run(world);
        }
    });
    if steps >= remaining && *world.resource::<SimulationStatus>() == SimulationStatus::Running {
        world.insert_resource(SimulationStatus::Finished);
    }
}
