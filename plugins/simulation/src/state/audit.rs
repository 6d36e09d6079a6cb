use std::collections::BTreeSet;

use bevy::ecs::schedule::ScheduleLabel;
use bevy::ecs::system::System;
use bevy::prelude::*;

use super::registry::StateRegistry;
use crate::SimulationStep;

/// Names, in alphabetical order, of the components and resources that systems of [`SimulationStep`] may write and that
/// are neither registered nor ignored. Includes the schedules given by
/// [`audit_simulation_schedule`](crate::RegisterSimulationState::audit_simulation_schedule). State in `Local`, or
/// written through commands or by exclusive systems, cannot be detected.
///
/// Call it before the first step: after that the schedule no longer reports the access of its systems.
pub fn unregistered_state(world: &mut World) -> Vec<String> {
    let registry = StateRegistry::of(world);
    let known = registry.known.clone();
    let schedules: Vec<_> = registry.nested.iter().copied().chain([SimulationStep.intern()]).collect();
    let mut written = BTreeSet::new();
    for schedule in schedules {
        world.schedule_scope(schedule, |world, schedule| {
            let systems = &mut schedule.graph_mut().systems;
            let keys: Vec<_> = systems.iter().map(|(key, ..)| key).collect();
            for key in keys {
                let Some(system) = systems.get_mut(key) else { continue };
                if let Ok(writes) = system.initialize(world).combined_access().try_writes() {
                    written.extend(writes.iter());
                }
            }
        });
    }
    let unknown = written.difference(&known);
    let mut names: Vec<_> =
        unknown.filter_map(|id| world.components().get_name(*id)).map(|name| name.to_string()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RegisterSimulationState, SimulationPlugin};

    #[derive(Resource, Default)]
    struct Count(u32);

    #[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
    struct Nested;

    #[test]
    fn writes_of_a_nested_schedule_are_detected() {
        let mut app = App::new();
        app.add_plugins(SimulationPlugin::default()).init_resource::<Count>().init_schedule(Nested);
        app.add_systems(Nested, |mut count: ResMut<Count>| count.0 += 1);
        app.add_systems(SimulationStep, |world: &mut World| world.run_schedule(Nested));
        assert_eq!(unregistered_state(app.world_mut()), Vec::<String>::new(), "an exclusive system shows nothing");
        app.audit_simulation_schedule(Nested);
        let found = unregistered_state(app.world_mut());
        assert!(matches!(&found[..], [name] if name.ends_with("Count")), "{found:?}");
    }
}
