//! What buttons of the time line do.

use bevy::prelude::*;
use bunraku_simulation::{Pace, RecordingRewind, SimulationClock, SimulationSnapshot, SimulationStatus};

use super::memory::{Timeline, remember_now};
use crate::view::Speed;

/// Goes on from the moment that is shown: what was remembered and recorded of a time after it is forgotten.
pub fn run(world: &mut World, speed: Speed) {
    if go_on_from_here(world) {
        world.insert_resource(speed.pace());
    }
}

/// Stops, and remembers where.
pub fn pause(world: &mut World) {
    world.insert_resource(Pace::Paused);
    let step = world.resource::<SimulationClock>().step();
    let last = world.resource::<Timeline>().history.last_step();
    if last.is_some_and(|last| step > last) {
        remember_now(world, step);
    }
}

/// One step from the moment that is shown.
pub fn step(world: &mut World) {
    if go_on_from_here(world) {
        world.insert_resource(Pace::Steps(1));
    }
}

/// Shows the beginning.
pub fn restart(world: &mut World) {
    seek(world, 0);
}

/// Stops, and shows the remembered moment at `step` or the last one before it.
pub fn seek(world: &mut World, step: u64) {
    pause(world);
    let found: Option<SimulationSnapshot> =
        world.resource::<Timeline>().history.at(step).map(|(_, snapshot)| snapshot.clone());
    let Some(snapshot) = found else { return };
    if let Err(error) = snapshot.restore(world) {
        world.resource_mut::<Timeline>().trouble = Some(format!("one cannot go back to this moment: {error}"));
    }
}

/// Whether there is anything to go on with.
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

/// Changes the moment that is shown, by hand: what came after it is forgotten, and it is remembered as it is then.
pub fn change<T>(world: &mut World, change: impl FnOnce(&mut World) -> T) -> T {
    forget_future(world);
    let changed = change(world);
    let step = world.resource::<SimulationClock>().step();
    if world.resource::<Timeline>().history.last_step() == Some(step) {
        remember_now(world, step);
    }
    changed
}
