//! Messages when links of bodies begin and cease to touch.

use bevy::prelude::*;
use bunraku_body::LinkIndex;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::detection::reported_contact::ReportedContacts;
use crate::world::contacts::{ContactRules, LinkOfBody};

/// On a body entity: contacts of the body's links begin and end with the messages [`ContactBegan`] and [`ContactEnded`].
///
/// Two links touch if a contact between them has a force or a penetration. Contacts with colliders of users have the messages of
/// bevy_rapier, `CollisionEvent`.
#[derive(Component, Clone, Copy, Debug, Default, Reflect)]
#[reflect(Component)]
pub struct ReportContacts;

/// Two links of bodies, at least one of which has [`ReportContacts`], touch since the last step.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactBegan {
    /// Body entities and links, in the same order in every run.
    pub links: [(Entity, LinkIndex); 2],
}

/// Two links of bodies, at least one of which has [`ReportContacts`], touch no longer since the last step, or one has been removed.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactEnded {
    /// Body entities and links, in the same order in every run.
    pub links: [(Entity, LinkIndex); 2],
}

/// Pairs that touched in the last step, sorted; entities as bits, links as numbers.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TouchingLinks(Vec<[(u64, usize); 2]>);

/// Whether any body reports contacts, or did when it last touched.
pub(crate) fn are_wanted(bodies: Query<(), With<ReportContacts>>, touching: Res<TouchingLinks>) -> bool {
    !bodies.is_empty() || !touching.0.is_empty()
}

/// Writes the messages of the last step.
pub(crate) fn write(
    reported: Res<ReportedContacts>,
    rules: Res<ContactRules>,
    bodies: Query<(), With<ReportContacts>>,
    mut touching: ResMut<TouchingLinks>,
    mut began: MessageWriter<ContactBegan>,
    mut ended: MessageWriter<ContactEnded>,
) {
    let mut now = Vec::new();
    for contact in reported.0.iter().filter(|contact| contact.force != Vector3::zeros() || contact.gap < 0.0) {
        let [Some(first), Some(second)] = contact.colliders.map(|collider| rules.owner(collider)) else { continue };
        if bodies.contains(first.body) || bodies.contains(second.body) {
            let mut pair = [first, second].map(|LinkOfBody { body, link }| (body.to_bits(), link.0));
            pair.sort_unstable();
            now.push(pair);
        }
    }
    now.sort_unstable();
    now.dedup();
    let links = |pair: &[(u64, usize); 2]| pair.map(|(body, link)| (Entity::from_bits(body), LinkIndex(link)));
    let is_in = |pair: &[(u64, usize); 2], list: &[_]| list.binary_search(pair).is_ok();
    ended.write_batch(
        touching.0.iter().filter(|pair| !is_in(pair, &now)).map(|pair| ContactEnded { links: links(pair) }),
    );
    began.write_batch(
        now.iter().filter(|pair| !is_in(pair, &touching.0)).map(|pair| ContactBegan { links: links(pair) }),
    );
    if touching.0 != now {
        touching.0 = now;
    }
}
