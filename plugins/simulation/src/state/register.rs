use std::any::type_name;

use bevy::ecs::component::Mutable;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;

use super::SimulationState;
use super::registry::{Entry, StateRegistry, StateStore};
use super::stores::{ComponentStore, ResourceStore};

/// Registers state that changes from step to step.
pub trait RegisterSimulationState {
    /// Registers a component on all entities.
    fn register_simulation_state<C: Component<Mutability = Mutable> + SimulationState>(&mut self) -> &mut Self;

    /// Registers a resource.
    fn register_simulation_resource<R: Resource<Mutability = Mutable> + SimulationState>(&mut self) -> &mut Self;

    /// Registers state with its own store. The store must register or ignore the components that it covers, too.
    fn register_simulation_store<S: StateStore>(&mut self) -> &mut Self;

    /// Declares that systems of a step write a component or resource on which no later step depends, or which a store
    /// covers; `_reason` is for readers of the code.
    fn ignore_simulation_state<C: Component>(&mut self, _reason: &'static str) -> &mut Self;

    /// Declares that a system of a step runs this schedule, so that [`unregistered_state`](crate::unregistered_state)
    /// examines it, too.
    fn audit_simulation_schedule(&mut self, schedule: impl ScheduleLabel) -> &mut Self;
}

impl RegisterSimulationState for App {
    fn register_simulation_state<C: Component<Mutability = Mutable> + SimulationState>(&mut self) -> &mut Self {
        self.register_simulation_store::<ComponentStore<C>>();
        self.ignore_simulation_state::<C>("its store keeps it")
    }

    fn register_simulation_resource<R: Resource<Mutability = Mutable> + SimulationState>(&mut self) -> &mut Self {
        self.register_simulation_store::<ResourceStore<R>>();
        self.ignore_simulation_state::<R>("its store keeps it")
    }

    fn register_simulation_store<S: StateStore>(&mut self) -> &mut Self {
        StateRegistry::of(self.world_mut()).stores.insert(type_name::<S>(), Entry::of::<S>());
        self
    }

    fn ignore_simulation_state<C: Component>(&mut self, _reason: &'static str) -> &mut Self {
        let component = self.world_mut().register_component::<C>();
        StateRegistry::of(self.world_mut()).known.insert(component);
        self
    }

    fn audit_simulation_schedule(&mut self, schedule: impl ScheduleLabel) -> &mut Self {
        StateRegistry::of(self.world_mut()).nested.push(schedule.intern());
        self
    }
}
