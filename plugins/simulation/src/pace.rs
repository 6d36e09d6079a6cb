//! The simulation loop, and how many steps it makes in an update of the app.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::prelude::*;

use crate::step_times::{StepPart, StepTimes};
use crate::{SimulationClock, SimulationFault, SimulationStart, SimulationStatus, SimulationStep, StopAfter};

/// The longest that the steps of one update may take, s of wall time: an app that draws stays responsive, and a simulation that is slower
/// than its pace falls behind instead of catching up ever more steps.
pub const LONGEST_UPDATE: f64 = 0.05;

/// How the simulation goes on. It never changes what the steps compute.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Resource)]
pub enum Pace {
    /// Not at all.
    Paused,
    /// By so many steps in the next update, however long they take; then it is [`Pace::Paused`].
    Steps(u64),
    /// By the wall time that passes, times `speed` (1: real time; positive). What cannot be made up within
    /// [`LONGEST_UPDATE`] is dropped.
    RealTime {
        /// Simulated seconds a second of wall time.
        speed: f64,
    },
    /// As fast as it can: each update makes steps for [`LONGEST_UPDATE`].
    Unpaced,
}

impl Default for Pace {
    /// Real time.
    fn default() -> Self {
        Self::RealTime { speed: 1.0 }
    }
}

/// With this resource a panic of a system in a step, of a user's controller for example, ends the simulation with
/// [`SimulationStatus::Failed`]; without it the panic is the caller's, as tests want it.
///
/// The systems behind the one that panicked have not done their part of that step. A
/// [`SimulationSnapshot`](crate::SimulationSnapshot) of an earlier moment can be restored and gone on from.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct FailOnPanic;

/// Simulated time that has passed by the wall clock and is not stepped yet, s.
#[derive(Resource, Debug, Default)]
pub(crate) struct Debt {
    seconds: f64,
    last_update: Option<Instant>,
}

/// The simulation loop: as many steps as the pace says, fewer if the end comes first.
pub(crate) fn advance(world: &mut World) {
    let now = Instant::now();
    let since = world.resource_mut::<Debt>().last_update.replace(now).map_or(Duration::ZERO, |last| now - last);
    let deadline = now + Duration::from_secs_f64(LONGEST_UPDATE);
    match *world.resource::<Pace>() {
        // What is owed by the clock stays for when it goes on.
        Pace::Paused => {}
        Pace::RealTime { speed } => {
            let time_step = world.resource::<SimulationClock>().time_step();
            let mut debt = world.resource_mut::<Debt>();
            debt.seconds += since.as_secs_f64() * if speed.is_finite() { speed.max(0.0) } else { 0.0 };
            let steps = (debt.seconds / time_step).floor();
            debt.seconds -= steps * time_step;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let left = make_steps(world, steps as u64, || Instant::now() < deadline);
            if left > 0 {
                world.resource_mut::<Debt>().seconds = 0.0;
            }
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

/// Makes so many steps at once, whatever the pace; fewer if the simulation ends. The first ever starts the simulation.
pub fn run_steps(world: &mut World, steps: u64) {
    make_steps(world, steps, || true);
}

/// Starts the simulation unless it was started already.
pub(crate) fn start(world: &mut World) {
    if world.get_resource() == Some(&SimulationStatus::Ready) {
        world.insert_resource(SimulationStatus::Running);
        world.run_schedule(SimulationStart);
    }
}

/// Makes steps while there is time; tells how many were not made for want of time.
fn make_steps(world: &mut World, steps: u64, mut has_time: impl FnMut() -> bool) -> u64 {
    start(world);
    let done = world.resource::<SimulationClock>().step();
    let remaining = world.resource::<StopAfter>().0.map_or(u64::MAX, |last| last.saturating_sub(done));
    let mut left = steps.min(remaining);
    let catches = world.contains_resource::<FailOnPanic>();
    world.schedule_scope(SimulationStep, |world, schedule| {
        // One step at least, or a slow simulation would never move.
        let mut is_first = true;
        while left > 0 && (is_first || has_time()) {
            if *world.resource::<SimulationStatus>() != SimulationStatus::Running {
                left = 0;
                return;
            }
            // No system can stand before all that users' systems do there.
            if let Some(mut times) = world.get_resource_mut::<StepTimes>() {
                times.lap(StepPart::Rest);
            }
            if !catches {
                schedule.run(world);
            } else if let Err(panic) = catch_unwind(AssertUnwindSafe(|| schedule.run(world))) {
                // The old one does not know that it was left in the middle, and would skip what it had run.
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
