//! Snapshots of a run.

use bevy::prelude::*;
use bunraku_physics::SimulatedBody;
use bunraku_simulation::{SimulationClock, SimulationSnapshot, SimulationStatus, run_steps};

use super::history::History;

/// Default memory of the snapshots, bytes (approximate).
pub const DEFAULT_MEMORY: usize = 256 << 20;
/// Maximum number of moments that can be distinguished on a time line.
const MOST_MOMENTS: usize = 4000;
/// Assumed size of a snapshot that cannot be measured, bytes.
const UNKNOWN_SIZE: usize = 1 << 20;
/// Minimum number of moments for a useful time line.
const FEWEST_MOMENTS: usize = 16;

/// Snapshots of the run so far.
#[derive(Resource)]
pub struct Timeline {
    /// Full states by step.
    pub history: History<SimulationSnapshot>,
    /// Reason why the simulation cannot be stored.
    pub trouble: Option<String>,
    memory: usize,
    is_sized: bool,
}

impl Timeline {
    /// A time line with about this much memory, bytes.
    pub fn new(memory: usize) -> Self {
        Self { history: History::new(FEWEST_MOMENTS), trouble: None, memory, is_sized: false }
    }
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new(DEFAULT_MEMORY)
    }
}

/// Starts the simulation without a step, so that its initial state is stored, too.
pub fn begin(world: &mut World) {
    if *world.resource::<SimulationStatus>() == SimulationStatus::Ready {
        run_steps(world, 0);
        remember(world);
    }
}

/// Snapshots with other bodies than those that exist now cannot be restored.
pub fn forget_other_bodies(
    mut timeline: ResMut<Timeline>,
    taken_in: Query<(), Added<SimulatedBody>>,
    mut gone: RemovedComponents<SimulatedBody>,
) {
    // Read in any case; otherwise the events would be read in the next update.
    let has_gone = gone.read().count() > 0;
    if has_gone || !taken_in.is_empty() {
        timeline.history.clear();
    }
}

/// Stores the current state, if it is far enough from the last one.
pub fn remember(world: &mut World) {
    let step = world.resource::<SimulationClock>().step();
    let is_sound = !matches!(*world.resource::<SimulationStatus>(), SimulationStatus::Ready);
    let timeline = world.resource::<Timeline>();
    // A state from the past is displayed, not stored again.
    let is_news = timeline.history.last_step().is_none_or(|last| step > last);
    if is_sound && is_news && timeline.history.wants(step) {
        remember_now(world, step);
    }
}

/// Stores the current state in any case.
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
