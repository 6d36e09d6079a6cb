//! Contacts and their forces, for controllers and sensors.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bunraku_body::dynamics::Wrench;
use bunraku_body::{BodyState, LinkIndex};
use nalgebra::{Point3, Vector3};

use crate::detection::reported_contact::ReportedContacts;
use crate::world::contacts::{ContactRules, LinkOfBody};

/// A contact point of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The link.
    pub link: LinkIndex,
    /// Body entity and link on the other side; `None` for a collider of a user.
    pub other: Option<(Entity, LinkIndex)>,
    /// Position, m, world frame.
    pub point: Point3<f64>,
    /// Unit normal into the link, world axes.
    pub normal: Vector3<f64>,
    /// Force on the link, N, world axes: mean of normal force and friction over the last step.
    pub force: Vector3<f64>,
    /// Penetration depth at the beginning of the step, m; negative for a gap.
    pub depth: f64,
}

/// Contacts of bodies in the last step.
///
/// A system parameter for systems in [`SimulationSystems::Sense`](bunraku_simulation::SimulationSystems::Sense) and
/// [`Control`](bunraku_simulation::SimulationSystems::Control).
///
/// Forces are means over the last step: times its length they are the impulses of the contacts. Links of one rigid part have no contacts
/// with each other. A contact of a rigid part is listed with the link whose shape touches. Points without force or penetration are left
/// out.
#[derive(SystemParam)]
pub struct Contacts<'w, 's> {
    rules: Res<'w, ContactRules>,
    reported: Res<'w, ReportedContacts>,
    states: Query<'w, 's, &'static BodyState>,
}

impl Contacts<'_, '_> {
    /// Contact points of a link, in the same order in every run.
    pub fn of_link(&self, body: Entity, link: LinkIndex) -> Vec<Contact> {
        let mut contacts = Vec::new();
        self.collect(LinkOfBody { body, link }, &mut contacts);
        contacts
    }

    /// Contact points of a body, link by link. Contacts between two of its links are listed for each.
    pub fn of_body(&self, body: Entity) -> Vec<Contact> {
        let links = self.states.get(body).map_or(0, |state| state.link_poses.len());
        let mut contacts = Vec::new();
        for link in (0..links).map(LinkIndex) {
            self.collect(LinkOfBody { body, link }, &mut contacts);
        }
        contacts
    }

    /// Sum of the contact forces on a link: force, N, and torque about the link origin, N·m, world axes.
    pub fn wrench(&self, body: Entity, link: LinkIndex) -> Wrench {
        let Some(origin) = self.states.get(body).ok().and_then(|state| state.link_poses.get(link.0)) else {
            return Wrench::ZERO;
        };
        let origin = Point3::from(origin.translation.vector);
        self.of_link(body, link).iter().fold(Wrench::ZERO, |sum, contact| {
            let part = Wrench::from_force_at(contact.force, &(contact.point - origin));
            Wrench { force: sum.force + part.force, torque: sum.torque + part.torque }
        })
    }

    fn collect(&self, link: LinkOfBody, contacts: &mut Vec<Contact>) {
        let start = contacts.len();
        for contact in &self.reported.0 {
            let owners = contact.colliders.map(|collider| self.rules.owner(collider));
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                if owners[side] == Some(link) && (contact.force != Vector3::zeros() || contact.gap < 0.0) {
                    contacts.push(Contact {
                        link: link.link,
                        other: owners[1 - side].map(|other| (other.body, other.link)),
                        point: Point3::from(contact.point),
                        normal: contact.normal * sign,
                        force: contact.force * sign,
                        depth: -contact.gap,
                    });
                }
            }
        }
        contacts[start..].sort_by_key(|contact| contact.other);
    }
}
