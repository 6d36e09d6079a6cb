//! Stores of components and resources.

use std::marker::PhantomData;

use bevy::ecs::component::Mutable;
use bevy::prelude::*;

use super::registry::{SnapshotEntities, StateStore};
use super::{SimulationState, SnapshotError};

/// A component of all entities that have it.
pub(super) struct ComponentStore<C>(PhantomData<C>);

impl<C: Component<Mutability = Mutable> + SimulationState> StateStore for ComponentStore<C> {
    /// By the bits of the entity.
    type Saved = Vec<(u64, C::Saved)>;

    fn take(world: &mut World) -> Result<Self::Saved, SnapshotError> {
        let mut components = world.query::<(Entity, &C)>();
        Ok(components.iter(world).map(|(entity, component)| (entity.to_bits(), component.save())).collect())
    }

    fn entities(saved: &Self::Saved) -> Vec<Entity> {
        saved.iter().filter_map(|(bits, _)| Entity::try_from_bits(*bits)).collect()
    }

    fn check(saved: &Self::Saved, entities: &SnapshotEntities, world: &mut World) -> Result<(), SnapshotError> {
        for entity in Self::entities(saved) {
            let now = entities.now(entity)?;
            if world.get::<C>(now).is_none() {
                return Err(SnapshotError::NoComponent {
                    entity: now,
                    component: std::any::type_name::<C>().to_owned(),
                });
            }
        }
        Ok(())
    }

    fn restore(saved: &Self::Saved, entities: &SnapshotEntities, world: &mut World) {
        for (bits, saved) in saved {
            let entity = Entity::try_from_bits(*bits).and_then(|entity| entities.now(entity).ok());
            if let Some(mut component) = entity.and_then(|entity| world.get_mut::<C>(entity)) {
                component.restore(saved);
            }
        }
    }
}

/// A resource, if it exists.
pub(super) struct ResourceStore<R>(PhantomData<R>);

impl<R: Resource<Mutability = Mutable> + SimulationState> StateStore for ResourceStore<R> {
    type Saved = Option<R::Saved>;

    fn take(world: &mut World) -> Result<Self::Saved, SnapshotError> {
        Ok(world.get_resource::<R>().map(SimulationState::save))
    }

    fn check(saved: &Self::Saved, _: &SnapshotEntities, world: &mut World) -> Result<(), SnapshotError> {
        if saved.is_some() && !world.contains_resource::<R>() {
            return Err(SnapshotError::NoResource(std::any::type_name::<R>().to_owned()));
        }
        Ok(())
    }

    fn restore(saved: &Self::Saved, _: &SnapshotEntities, world: &mut World) {
        if let (Some(saved), Some(mut resource)) = (saved, world.get_resource_mut::<R>()) {
            resource.restore(saved);
        }
    }
}
