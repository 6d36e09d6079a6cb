//! Messages of bevy_rapier about colliders that touch: [`CollisionEvent`] and [`ContactForceEvent`], with either solver.
//!
//! As with bevy_rapier's own step, a pair of colliders has events if one of them has the flag of [`ActiveEvents`]. Two solid colliders touch if
//! a contact between them has a force or a penetration; a sensor touches a collider that it intersects.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_rapier3d::prelude::{
    ActiveEvents, CollidingEntities, CollisionEvent, ContactForceEvent, RapierContextColliders, RapierContextSimulation,
};
use bevy_rapier3d::rapier::geometry::{Collider, ColliderHandle, ColliderSet, CollisionEventFlags};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::detection::reported_contact::ReportedContacts;
use crate::world::convert::to_vec3;

/// Handles of two colliders as bits, the smaller one first, so that pairs have an order.
type Pair = [(u32, u32); 2];

/// Pairs of colliders with events that touched in the last step, sorted.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TouchingColliders(Vec<(Pair, Touching)>);

impl TouchingColliders {
    fn contains(&self, pair: &Pair) -> bool {
        self.0.binary_search_by_key(pair, |(known, _)| *known).is_ok()
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Touching {
    /// Entities of the colliders as bits: a collider may be removed while it touches.
    entities: [u64; 2],
    is_sensor: bool,
}

/// Sum of the contact forces of a pair.
#[derive(Clone, Copy, Default)]
struct Load {
    /// Normal force on the second collider, N, world axes.
    total: Vector3<f64>,
    sum: f64,
    largest: f64,
    direction: Vector3<f64>,
}

/// Whether any collider has events, or had when it last touched.
pub(crate) fn are_wanted(colliders: Query<(), With<ActiveEvents>>, touching: Res<TouchingColliders>) -> bool {
    !colliders.is_empty() || !touching.0.is_empty()
}

/// Writes the messages of the last step.
pub(crate) fn write(
    reported: Res<ReportedContacts>,
    contexts: Query<(&RapierContextSimulation, &RapierContextColliders)>,
    mut touching: ResMut<TouchingColliders>,
    mut collisions: MessageWriter<CollisionEvent>,
    mut forces: MessageWriter<ContactForceEvent>,
) -> Result {
    let (simulation, colliders) = contexts.single()?;
    let colliders = &colliders.colliders;
    let mut now = BTreeMap::new();
    let mut loads: BTreeMap<Pair, ([ColliderHandle; 2], Load)> = BTreeMap::new();
    for contact in reported.0.iter().filter(|contact| contact.force != Vector3::zeros() || contact.gap < 0.0) {
        let Some([first, second]) = both(contact.colliders, colliders) else { continue };
        let events = first.active_events() | second.active_events();
        if events.contains(ActiveEvents::COLLISION_EVENTS.into()) {
            now.entry(pair(contact.colliders)).or_insert_with(|| Touching::of([first, second], false));
        }
        if events.contains(ActiveEvents::CONTACT_FORCE_EVENTS.into()) {
            let (_, load) = loads.entry(pair(contact.colliders)).or_insert((contact.colliders, Load::default()));
            load.add(&contact.force, &contact.normal);
        }
    }
    for (first, second, _) in simulation.narrow_phase.intersection_pairs().filter(|(.., intersect)| *intersect) {
        let Some(both) = both([first, second], colliders) else { continue };
        if both.iter().any(|collider| collider.active_events().contains(ActiveEvents::COLLISION_EVENTS.into())) {
            now.insert(pair([first, second]), Touching::of(both, true));
        }
    }
    let before = std::mem::replace(&mut *touching, TouchingColliders(now.into_iter().collect()));
    for (pair, was) in before.0.iter().filter(|(pair, _)| !touching.contains(pair)) {
        let is_removed = pair
            .iter()
            .any(|&(index, generation)| !colliders.contains(ColliderHandle::from_raw_parts(index, generation)));
        let [first, second] = was.entities.map(Entity::from_bits);
        collisions.write(CollisionEvent::Stopped(first, second, was.flags(is_removed)));
    }
    for (_, is) in touching.0.iter().filter(|(pair, _)| !before.contains(pair)) {
        let [first, second] = is.entities.map(Entity::from_bits);
        collisions.write(CollisionEvent::Started(first, second, is.flags(false)));
    }
    for (handles, load) in loads.into_values() {
        let Some(both) = both(handles, colliders) else { continue };
        let with_events =
            both.iter().filter(|collider| collider.active_events().contains(ActiveEvents::CONTACT_FORCE_EVENTS.into()));
        let threshold = with_events.map(|collider| collider.contact_force_event_threshold()).fold(f32::MAX, f32::min);
        if load.sum > f64::from(threshold) {
            forces.write(load.event(both));
        }
    }
    Ok(())
}

/// Keeps [`CollidingEntities`] up to date.
pub(crate) fn update_colliding_entities(app: &mut App) {
    app.add_systems(
        PreUpdate,
        bevy_rapier3d::plugin::systems::update_colliding_entities.run_if(any_with_component::<CollidingEntities>),
    );
}

fn both(handles: [ColliderHandle; 2], set: &ColliderSet) -> Option<[&Collider; 2]> {
    Some([set.get(handles[0])?, set.get(handles[1])?])
}

fn pair(handles: [ColliderHandle; 2]) -> Pair {
    let [first, second] = handles.map(ColliderHandle::into_raw_parts);
    [first.min(second), first.max(second)]
}

impl Touching {
    fn of(colliders: [&Collider; 2], is_sensor: bool) -> Self {
        #[allow(clippy::cast_possible_truncation)] // bevy_rapier stores the 64 bits of an entity.
        Self { entities: colliders.map(|collider| collider.user_data as u64), is_sensor }
    }

    fn flags(self, is_removed: bool) -> CollisionEventFlags {
        let mut flags = CollisionEventFlags::empty();
        flags.set(CollisionEventFlags::SENSOR, self.is_sensor);
        flags.set(CollisionEventFlags::REMOVED, is_removed);
        flags
    }
}

impl Load {
    /// Adds a force on the first collider with the normal into it.
    fn add(&mut self, force: &Vector3<f64>, normal: &Vector3<f64>) {
        let size = force.dot(normal).max(0.0);
        self.total -= normal * size;
        self.sum += size;
        if size > self.largest {
            (self.largest, self.direction) = (size, -normal);
        }
    }

    #[allow(clippy::cast_possible_truncation)]
    fn event(&self, colliders: [&Collider; 2]) -> ContactForceEvent {
        let [collider1, collider2] = Touching::of(colliders, false).entities.map(Entity::from_bits);
        ContactForceEvent {
            collider1,
            collider2,
            total_force: to_vec3(&self.total),
            total_force_magnitude: self.sum as f32,
            max_force_direction: to_vec3(&self.direction),
            max_force_magnitude: self.largest as f32,
        }
    }
}
