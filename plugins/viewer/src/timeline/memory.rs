//! What is remembered of a run.

use bevy::prelude::*;
use bunraku_physics::SimulatedBody;
use bunraku_simulation::{SimulationClock, SimulationSnapshot, SimulationStatus, run_steps};

use super::history::History;

/// Bytes that remembered moments may take, about.
pub const DEFAULT_MEMORY: usize = 256 << 20;
/// As many moments as one can tell apart on a time line.
const MOST_MOMENTS: usize = 4000;
/// Taken for the size of a moment that cannot be measured, bytes.
const UNKNOWN_SIZE: usize = 1 << 20;
/// Fewer are no time line.
const FEWEST_MOMENTS: usize = 16;

/// The whole run so far, as states to go back to.
#[derive(Resource)]
pub struct Timeline {
    /// Full states by their step.
    pub history: History<SimulationSnapshot>,
    /// What the simulation has to say that cannot be remembered.
    pub trouble: Option<String>,
    memory: usize,
    is_sized: bool,
}

impl Timeline {
    /// A time line that takes about so many bytes.
    pub fn new(memory: usize) -> Self {
        Self { history: History::new(FEWEST_MOMENTS), trouble: None, memory, is_sized: false }
    }
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new(DEFAULT_MEMORY)
    }
}

/// Starts the simulation without a step, so that its beginning is remembered too.
pub fn begin(world: &mut World) {
    if *world.resource::<SimulationStatus>() == SimulationStatus::Ready {
        run_steps(world, 0);
        remember(world);
    }
}

/// Moments with other bodies than there are now cannot be gone back to.
pub fn forget_other_bodies(
    mut timeline: ResMut<Timeline>,
    taken_in: Query<(), Added<SimulatedBody>>,
    mut gone: RemovedComponents<SimulatedBody>,
) {
    // Read in any case, or what has gone would be news again in the next update.
    let has_gone = gone.read().count() > 0;
    if has_gone || !taken_in.is_empty() {
        timeline.history.clear();
    }
}

/// Remembers the moment, if it is far enough from the last one.
pub fn remember(world: &mut World) {
    let step = world.resource::<SimulationClock>().step();
    let is_sound = !matches!(*world.resource::<SimulationStatus>(), SimulationStatus::Ready);
    let timeline = world.resource::<Timeline>();
    // What lies in the past is shown, not remembered anew.
    let is_news = timeline.history.last_step().is_none_or(|last| step > last);
    if is_sound && is_news && timeline.history.wants(step) {
        remember_now(world, step);
    }
}

/// Remembers the moment in any case.
pub(super) fn remember_now(world: &mut World, step: u64) {
    match SimulationSnapshot::take(world) {
        Ok(snapshot) => {
            let is_sized = world.resource::<Timeline>().is_sized;
            let size = if is_sized { Ok(Vec::new()) } else { snapshot.to_bytes(world) };
            let mut timeline = world.resource_mut::<Timeline>();
            if !is_sized {
                timeline.is_sized = true;
                let size = size.map_or(UNKNOWN_SIZE, |bytes| bytes.len());
                let capacity = (timeline.memory / size.max(1)).clamp(FEWEST_MOMENTS, MOST_MOMENTS);
                timeline.history.set_capacity(capacity);
            }
            timeline.history.push(step, snapshot);
        }
        Err(error) => {
            let trouble = format!("this moment cannot be remembered: {error}");
            world.resource_mut::<Timeline>().trouble = Some(trouble);
        }
    }
}
