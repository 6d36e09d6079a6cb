use std::collections::BTreeSet;

use bevy::ecs::system::System;
use bevy::prelude::*;

use super::registry::StateRegistry;
use crate::SimulationStep;

/// Names of the components and resources that systems of [`SimulationStep`] may write and that are neither registered nor ignored, in
/// alphabetical order. What systems keep in `Local`, or write through commands or as exclusive systems, cannot be seen.
///
/// Ask before the first step: later the schedule does not tell any more what its systems write.
pub fn unregistered_state(world: &mut World) -> Vec<String> {
    let known = StateRegistry::of(world).known.clone();
    let mut written = BTreeSet::new();
    world.schedule_scope(SimulationStep, |world, schedule| {
        let systems = &mut schedule.graph_mut().systems;
        let keys: Vec<_> = systems.iter().map(|(key, ..)| key).collect();
        for key in keys {
            let Some(system) = systems.get_mut(key) else { continue };
            if let Ok(writes) = system.initialize(world).combined_access().try_writes() {
                written.extend(writes.iter());
            }
        }
    });
    let unknown = written.difference(&known);
    let mut names: Vec<_> =
        unknown.filter_map(|id| world.components().get_name(*id)).map(|name| name.to_string()).collect();
    names.sort_unstable();
    names
}
