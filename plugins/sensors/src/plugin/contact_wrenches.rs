//! Contact wrenches on the links of bodies with sensors that need them.

use bevy::prelude::*;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{BodyModel, BodyState, Drive, LinkIndex};
use bunraku_physics::{Contacts, PhysicsParameters};

use super::moving::is_measured_by_physics;
use crate::{Sensor, SensorKind};

/// Contact wrenches of the last step on the links of a body.
#[derive(Component, Clone, Debug, Default)]
pub(super) struct ContactWrenches {
    /// About the link origin, world axes, link order; empty if nothing needs them.
    wrenches: Vec<Wrench>,
    /// Links with contact sensors.
    touching: Vec<LinkIndex>,
    /// Whether there are force sensors. Unless physics provides their loads, these depend on the contacts of all links.
    has_loads: bool,
}

/// Exists once there has been a sensor that needs contacts, so that other worlds do not look for one in every step.
#[derive(Resource)]
pub(super) struct FeltContacts;

impl ContactWrenches {
    /// `None` if none of the sensors of a body needs them.
    pub fn for_sensors(sensors: &[Sensor]) -> Option<Self> {
        let touching = sensors.iter().filter(|sensor| matches!(sensor.kind, SensorKind::Touch { .. }));
        let mut touching: Vec<LinkIndex> = touching.map(|sensor| sensor.link).collect();
        touching.sort_unstable();
        touching.dedup();
        let has_loads = sensors.iter().any(|sensor| matches!(sensor.kind, SensorKind::Force { .. }));
        (has_loads || !touching.is_empty()).then(|| Self { wrenches: Vec::new(), touching, has_loads })
    }

    /// The wrenches, in the order of the links; missing ones are zero.
    pub fn of_links(&self) -> &[Wrench] {
        &self.wrenches
    }
}

/// Adds up the contacts of the last step.
pub(super) fn add_up(
    mut bodies: Query<(Entity, &BodyModel, &Drive, &BodyState, &mut ContactWrenches)>,
    contacts: Option<Contacts>,
    parameters: Option<Res<PhysicsParameters>>,
) {
    let (Some(contacts), Some(parameters)) = (contacts, parameters) else { return };
    for (entity, BodyModel(body), drive, state, mut found) in &mut bodies {
        let ContactWrenches { wrenches, touching, has_loads } = &mut *found;
        wrenches.clear();
        let is_by_forces = *drive == Drive::Physics && is_measured_by_physics(body, parameters.joints);
        let links = state.link_poses.len();
        if *has_loads && !is_by_forces {
            wrenches.extend((0..links).map(|link| contacts.wrench(entity, LinkIndex(link))));
        } else {
            wrenches.resize(links, Wrench::ZERO);
            for &link in touching.iter().filter(|link| link.0 < links) {
                wrenches[link.0] = contacts.wrench(entity, link);
            }
        }
    }
}
