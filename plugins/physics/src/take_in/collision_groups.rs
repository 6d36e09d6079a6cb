use std::collections::BTreeMap;

use bevy::prelude::*;
use bevy_rapier3d::prelude::{CollisionGroups, Group};

/// Collision groups of bodies whose links do not touch each other.
///
/// What a body may touch is decided pair by pair in [`crate::world::contacts::ContactRules`]. But the boxes around links of a robot
/// overlap, and rapier would ask about each pair in every step, a tenth of a step of SR1's walk; pairs that their groups keep apart are
/// never made.
#[derive(Resource, Debug, Default)]
pub(crate) struct BodiesApart(BTreeMap<Entity, u32>);

impl BodiesApart {
    /// A group for a body that does not touch itself. Rapier has 32: the last is for all bodies that find no other, whose pairs
    /// are asked about.
    pub fn group_of(&mut self, body: Entity) -> CollisionGroups {
        let last = Group::all().bits().count_ones() - 1;
        let is_free = |number: &u32| self.0.values().all(|used| used != number);
        let number = (0..last).find(is_free).unwrap_or(last);
        if number < last {
            self.0.insert(body, number);
        }
        let group = Group::from_bits_retain(1 << number);
        CollisionGroups::new(group, if number < last { Group::all() - group } else { Group::all() })
    }

    /// Its group is free again.
    pub fn forget(&mut self, body: Entity) {
        self.0.remove(&body);
    }
}
