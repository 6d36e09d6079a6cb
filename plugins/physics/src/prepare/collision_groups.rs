use std::collections::{BTreeMap, BTreeSet};

use bevy::prelude::*;
use bevy_rapier3d::prelude::{CollisionGroups, Group};

/// Collision groups of bodies whose links do not collide with each other.
///
/// [`crate::world::contacts::ContactRules`] decides pair by pair. But bounding boxes of the links of a robot overlap, and rapier would
/// call the rules for each pair in every step, a tenth of a step of SR1's walk; pairs that groups separate are never created.
///
/// A body is a member of some of rapier's 32 groups and collides with all others, so that two bodies collide unless all groups of one are
/// groups of the other. The first sixteen bodies have one of the upper groups each, others eight of the lower sixteen.
#[derive(Resource, Debug, Default)]
pub(crate) struct BodiesApart(BTreeMap<Entity, Group>);

/// Number of bodies with a separate group.
const OWN: u32 = 16;

impl BodiesApart {
    /// The groups of a body that does not collide with itself. After some thirteen thousand bodies the rules decide.
    pub fn groups_of(&mut self, body: Entity) -> CollisionGroups {
        let used: BTreeSet<u32> = self.0.values().map(|group| group.bits()).collect();
        let Some(group) = choices().find(|bits| !used.contains(bits)).map(Group::from_bits_retain) else {
            return CollisionGroups::default();
        };
        self.0.insert(body, group);
        CollisionGroups::new(group, Group::all() - group)
    }

    /// Releases the groups of a body.
    pub fn forget(&mut self, body: Entity) {
        self.0.remove(&body);
    }
}

/// All available sets of groups, as bits.
fn choices() -> impl Iterator<Item = u32> {
    let own = (0..OWN).map(|number| 1 << (u32::BITS - 1 - number));
    let first = (1 << (OWN / 2)) - 1;
    let shared = std::iter::successors(Some(first), |&bits| next(bits)).take_while(|&bits| bits < 1 << OWN);
    own.chain(shared)
}

/// The next larger number with the same number of ones.
fn next(bits: u32) -> Option<u32> {
    let lowest = bits & bits.wrapping_neg();
    let carried = bits + lowest;
    Some(carried | (((bits ^ carried) / lowest) >> 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_of_bodies_touch_each_other_and_none_touches_itself() {
        let touch = |one: u32, other: u32| one & !other != 0 && other & !one != 0;
        let choices: Vec<u32> = choices().collect();
        println!("{} bodies", choices.len());
        assert_eq!(choices.len(), 16 + 12_870);
        for (index, &one) in choices.iter().enumerate().filter(|(index, _)| index % 37 == 0 || *index < 20) {
            assert!(!touch(one, one));
            assert!(choices.iter().enumerate().all(|(other, &bits)| other == index || touch(one, bits)), "{one:b}");
        }
    }

    #[test]
    fn groups_of_bodies_that_have_gone_are_used_again() {
        let mut apart = BodiesApart::default();
        let bodies: Vec<Entity> = (0..40).filter_map(Entity::from_raw_u32).collect();
        let groups: Vec<CollisionGroups> = bodies.iter().map(|&body| apart.groups_of(body)).collect();
        apart.forget(bodies[17]);
        let newcomer = Entity::from_raw_u32(1000).unwrap_or(Entity::PLACEHOLDER);
        assert_eq!(apart.groups_of(newcomer), groups[17]);
        assert!(groups.iter().all(|groups| (groups.memberships & groups.filters).is_empty()));
    }
}
