//! The simulation loop, and the number of steps in an update of the app.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use bevy::app::PluginsState;
use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::prelude::*;

use crate::step_times::{StepPart, StepTimes};
use crate::{SimulationClock, SimulationFault, SimulationStart, SimulationStatus, SimulationStep, StopAfter};

/// Maximum wall time of the steps of one update, s. An app with a window stays responsive, and a simulation that is
/// slower than its pace falls behind instead of accumulating steps to catch up.
pub const LONGEST_UPDATE: f64 = 0.05;

/// Wall time, s, that a simulation in real time makes up after an update that took long, for example to draw.
pub const LONGEST_DEBT: f64 = 0.25;

/// Pause between two looks at the clock of a simulation that is in time, while [`KeepStepping`] holds an update.
const NAP: Duration = Duration::from_millis(1);

/// An update goes on with steps, at its pace, while this returns true. Its argument is whether the simulation is late:
/// whether steps are due.
///
/// Where the processor draws, a picture takes longer than an update's share of steps: the simulation keeps its time if it
/// goes on until the picture is ready. The function must return false before long; input is not read meanwhile.
#[derive(Resource)]
pub struct KeepStepping(pub Box<dyn Fn(bool) -> bool + Send + Sync>);

/// Progress of the simulation. It never changes the result of steps.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Resource)]
pub enum Pace {
    /// No steps.
    Paused,
    /// This number of steps in the next update, whatever their duration; then it is [`Pace::Paused`].
    Steps(u64),
    /// Elapsed wall time multiplied by `speed` (1: real time; positive). Up to [`LONGEST_DEBT`] is made up in later
    /// updates; beyond that it is dropped.
    RealTime {
        /// Simulated seconds per second of wall time.
        speed: f64,
    },
    /// Full speed: each update steps for [`LONGEST_UPDATE`].
    Unpaced,
}

impl Default for Pace {
    /// Real time.
    fn default() -> Self {
        Self::RealTime { speed: 1.0 }
    }
}

/// With this resource, a panic of a system in a step, for example of a user's controller, ends the simulation with
/// [`SimulationStatus::Failed`]. Without it the panic propagates to the caller, as tests need it.
///
/// Systems after the panicking one have not run in that step. A [`SimulationSnapshot`](crate::SimulationSnapshot) of an
/// earlier time can be restored and continued.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct FailOnPanic;

/// Simulated time that has elapsed by the wall clock and is not stepped yet, s.
#[derive(Resource, Debug, Default)]
pub(crate) struct Debt {
    seconds: f64,
    last_update: Option<Instant>,
}

/// The simulation loop: the number of steps given by the pace, fewer if the end is reached first.
pub(crate) fn advance(world: &mut World) {
    advance_once(world);
    let Some(keep) = world.remove_resource::<KeepStepping>() else { return };
    while runs(world) {
        let owes = world.resource::<Debt>().seconds >= world.resource::<SimulationClock>().time_step();
        let is_late = owes || *world.resource::<Pace>() == Pace::Unpaced;
        if !(keep.0)(is_late) {
            break;
        }
        if !is_late {
            std::thread::sleep(NAP);
        }
        advance_once(world);
    }
    world.insert_resource(keep);
}

/// Whether the simulation goes on at its pace.
fn runs(world: &World) -> bool {
    matches!(*world.resource::<Pace>(), Pace::RealTime { .. } | Pace::Unpaced)
        && *world.resource::<SimulationStatus>() == SimulationStatus::Running
}

/// Makes the steps that are due, for [`LONGEST_UPDATE`] at most.
fn advance_once(world: &mut World) {
    let now = Instant::now();
    let since = world.resource_mut::<Debt>().last_update.replace(now).map_or(Duration::ZERO, |last| now - last);
    let deadline = now + Duration::from_secs_f64(LONGEST_UPDATE);
    match *world.resource::<Pace>() {
        // Elapsed time that is not stepped yet is kept for the resumption.
        Pace::Paused => {}
        Pace::RealTime { speed } => {
            let time_step = world.resource::<SimulationClock>().time_step();
            let mut debt = world.resource_mut::<Debt>();
            let speed = if speed.is_finite() { speed.max(0.0) } else { 0.0 };
            debt.seconds += since.as_secs_f64() * speed;
            let steps = (debt.seconds / time_step).floor();
            debt.seconds -= steps * time_step;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let left = make_steps(world, steps as u64, || Instant::now() < deadline);
            #[allow(clippy::cast_precision_loss)]
            let late = left as f64 * time_step;
            let mut debt = world.resource_mut::<Debt>();
            debt.seconds = (debt.seconds + late).min(LONGEST_DEBT * speed);
        }
        Pace::Steps(steps) => {
            world.resource_mut::<Debt>().seconds = 0.0;
            world.insert_resource(Pace::Paused);
            run_steps(world, steps);
        }
        Pace::Unpaced => {
            world.resource_mut::<Debt>().seconds = 0.0;
            make_steps(world, u64::MAX, || Instant::now() < deadline);
        }
    }
}

/// Runs `steps` steps at once, regardless of the pace; fewer if the simulation ends. The first call starts the
/// simulation.
pub fn run_steps(world: &mut World, steps: u64) {
    make_steps(world, steps, || true);
}

/// Steps of an app without a runner: for scripts and tests.
pub trait RunSteps {
    /// Runs `steps` steps at once, regardless of the pace; fewer if the simulation ends. The first call finishes the plugins and runs the
    /// app's startup systems.
    fn run_steps(&mut self, steps: u64) -> &mut Self;
}

impl RunSteps for App {
    fn run_steps(&mut self, steps: u64) -> &mut Self {
        if self.plugins_state() != PluginsState::Cleaned {
            while self.plugins_state() == PluginsState::Adding {
                bevy::tasks::tick_global_task_pools_on_main_thread();
            }
            self.finish();
            self.cleanup();
            let pace = self.world().get_resource::<Pace>().copied().unwrap_or_default();
            self.insert_resource(Pace::Paused);
            self.update();
            self.insert_resource(pace);
        }
        run_steps(self.world_mut(), steps);
        self
    }
}

/// Starts the simulation if it has not been started.
pub(crate) fn start(world: &mut World) {
    if world.get_resource() == Some(&SimulationStatus::Ready) {
        world.insert_resource(SimulationStatus::Running);
        world.run_schedule(SimulationStart);
    }
}

/// Runs steps while there is time; returns the number of steps that were not run.
fn make_steps(world: &mut World, steps: u64, mut has_time: impl FnMut() -> bool) -> u64 {
    start(world);
    let done = world.resource::<SimulationClock>().step();
    let remaining = world.resource::<StopAfter>().0.map_or(u64::MAX, |last| last.saturating_sub(done));
    let mut left = steps.min(remaining);
    let catches = world.contains_resource::<FailOnPanic>();
    world.schedule_scope(SimulationStep, |world, schedule| {
        // At least one step; otherwise a slow simulation would never advance.
        let mut is_first = true;
        while left > 0 && (is_first || has_time()) {
            if *world.resource::<SimulationStatus>() != SimulationStatus::Running {
                left = 0;
                return;
            }
            // Done here, because no system is guaranteed to run before all user systems.
            if let Some(mut times) = world.get_resource_mut::<StepTimes>() {
                times.lap(StepPart::Rest);
            }
            if !catches {
                schedule.run(world);
            } else if let Err(panic) = catch_unwind(AssertUnwindSafe(|| schedule.run(world))) {
                // The old executor does not detect that it was interrupted, and would skip systems that had run.
                schedule.set_executor(SingleThreadedExecutor::new());
                fail(world, panic.as_ref());
                return;
            }
            left -= 1;
            is_first = false;
        }
    });
    if steps >= remaining && left == 0 && *world.resource::<SimulationStatus>() == SimulationStatus::Running {
        world.insert_resource(SimulationStatus::Finished);
    }
    left
}

fn fail(world: &mut World, panic: &(dyn Any + Send)) {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let message = format!("a system of the step panicked: {}", said.unwrap_or("it gives no reason").replace('\n', " "));
    let time = world.get_resource::<SimulationClock>().map_or(0.0, SimulationClock::time);
    world.insert_resource(SimulationStatus::Failed(SimulationFault { time, message }));
}
