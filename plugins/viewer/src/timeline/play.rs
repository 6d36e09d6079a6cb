//! Actions of the time line.

use bevy::prelude::*;
use bunraku_simulation::{Pace, RecordingRewind, SimulationClock, SimulationSnapshot, SimulationStatus};

use super::memory::{Timeline, remember_now};
use crate::view::Speed;

/// Continues from the displayed state: later snapshots and recordings are discarded.
pub fn run(world: &mut World, speed: Speed) {
    if go_on_from_here(world) {
        world.insert_resource(speed.pace());
    }
}

/// Pauses, and stores the state.
pub fn pause(world: &mut World) {
    world.insert_resource(Pace::Paused);
    let step = world.resource::<SimulationClock>().step();
    let last = world.resource::<Timeline>().history.last_step();
    if last.is_some_and(|last| step > last) {
        remember_now(world, step);
    }
}

/// Advances by one step from the displayed state.
pub fn step(world: &mut World) {
    if go_on_from_here(world) {
        world.insert_resource(Pace::Steps(1));
    }
}

/// Displays the initial state.
pub fn restart(world: &mut World) {
    seek(world, 0);
}

/// Pauses, and displays the snapshot at `step` or the last one before it.
pub fn seek(world: &mut World, step: u64) {
    pause(world);
    let found: Option<SimulationSnapshot> =
        world.resource::<Timeline>().history.at(step).map(|(_, snapshot)| snapshot.clone());
    let Some(snapshot) = found else { return };
    if let Err(error) = snapshot.restore(world) {
        world.resource_mut::<Timeline>().trouble = Some(format!("one cannot go back to this moment: {error}"));
    }
}

/// Prepares to continue from the displayed state; false if that is impossible.
fn go_on_from_here(world: &mut World) -> bool {
    if !matches!(*world.resource::<SimulationStatus>(), SimulationStatus::Running | SimulationStatus::Ready) {
        return false;
    }
    forget_future(world);
    true
}

fn forget_future(world: &mut World) {
    let step = world.resource::<SimulationClock>().step();
    let mut timeline = world.resource_mut::<Timeline>();
    if timeline.history.last_step().is_some_and(|last| last > step) {
        timeline.history.forget_from(step.saturating_add(1));
        let time = world.resource::<SimulationClock>().time();
        world.trigger(RecordingRewind { step, time });
    }
}

/// Changes the displayed state by user interaction: later snapshots are discarded, and the changed state is stored.
pub fn change<T>(world: &mut World, change: impl FnOnce(&mut World) -> T) -> T {
    forget_future(world);
    let changed = change(world);
    let step = world.resource::<SimulationClock>().step();
    if world.resource::<Timeline>().history.last_step() == Some(step) {
        remember_now(world, step);
    }
    changed
}
