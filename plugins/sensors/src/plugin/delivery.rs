//! Path of samples from their measurement to readings and messages.

use bevy::prelude::*;
use bunraku_body::Body;
use bunraku_simulation::SimulationWarnings;

use super::body_sensors::{DeviceSwitches, SensorModel, SensorState};
use super::reading::{Measured, Sample, SensorReading};

/// Maximum number of waiting messages. A run of many steps without an update of the app drops the older half of them.
const MOST_MESSAGES: usize = 1 << 16;

/// Delivery of the samples of one sensor in a step.
pub(super) struct Delivery<'a, 'w> {
    pub sensor: Entity,
    /// Time of the step, s.
    pub time: f64,
    pub reading: &'a mut Mut<'w, SensorReading>,
    pub messages: &'a mut Messages<Measured>,
}

impl Delivery<'_, '_> {
    /// Switches the sensor, and delivers the samples whose latency has passed; whether it is on.
    pub fn begin(&mut self, model: &SensorModel, timing: &mut SensorState, switches: &DeviceSwitches) -> bool {
        let on = switches.0.get(model.sensor().device).copied().unwrap_or(true);
        timing.switch(on, self.time);
        if !on {
            // A reading that does not change is not marked as changed.
            if self.reading.0.is_some() {
                self.reading.0 = None;
            }
            return false;
        }
        while let Some(sample) = timing.deliver(self.time, model.sensor().latency) {
            self.give(sample);
        }
        true
    }

    /// Delivers a sample of this step: now, or after the latency of the sensor.
    pub fn end(&mut self, model: &SensorModel, timing: &mut SensorState, sample: Sample) {
        if model.sensor().latency > 0.0 {
            timing.pending.push_back(sample);
        } else {
            self.give(sample);
        }
    }

    fn give(&mut self, sample: Sample) {
        self.messages.write(Measured { sensor: self.sensor, sample: sample.clone() });
        self.reading.0 = Some(sample);
    }
}

/// Drops the older half of the messages if there are too many.
pub(super) fn limit(messages: &mut Messages<Measured>) {
    if messages.len() > MOST_MESSAGES {
        messages.update();
    }
}

/// Warns of a sensor that has missed samples.
pub(super) fn warn_of_rate(warnings: &mut SimulationWarnings, entity: Entity, (model, body): (&SensorModel, &Body)) {
    warnings.add(entity, "SensorModel", || {
        let (name, body) = (model.label(), &body.name);
        format!("`{name}` of `{body}` measures once a step only: its rate is higher than that of the steps")
    });
}

/// Bodies in the order in which they measure, which is that of their entities. Memory may have another order after bodies
/// are removed, and messages must not depend on it.
#[derive(Default)]
pub(super) struct Order(Vec<Entity>);

impl Order {
    /// The entities of a query, sorted; they are sorted again only if the query has other entities than before.
    pub fn of(&mut self, all: impl ExactSizeIterator<Item = Entity>, contains: impl Fn(Entity) -> bool) -> &[Entity] {
        if all.len() != self.0.len() || !self.0.iter().all(|&known| contains(known)) {
            self.0.clear();
            self.0.extend(all);
            self.0.sort_unstable();
        }
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Component)]
    struct Sensing;

    /// The order of the entities with [`Sensing`].
    fn order(world: &mut World, order: &mut Order) -> Vec<Entity> {
        let mut bodies = world.query_filtered::<Entity, With<Sensing>>();
        let bodies = bodies.query(world);
        order.of(bodies.iter(), |body| bodies.contains(body)).to_vec()
    }

    #[test]
    fn bodies_measure_in_the_order_of_their_entities_after_some_are_removed_and_added() {
        let (mut world, mut known) = (World::new(), Order::default());
        let [first, second, third] = [(); 3].map(|()| world.spawn(Sensing).id());
        let sorted = |mut bodies: Vec<Entity>| {
            bodies.sort_unstable();
            bodies
        };
        assert_eq!(order(&mut world, &mut known), sorted(vec![first, second, third]));
        world.despawn(first);
        assert_eq!(order(&mut world, &mut known), sorted(vec![second, third]));
        // As many as before, but others.
        world.entity_mut(second).remove::<Sensing>();
        let fourth = world.spawn(Sensing).id();
        assert_eq!(order(&mut world, &mut known), sorted(vec![third, fourth]));
    }
}
