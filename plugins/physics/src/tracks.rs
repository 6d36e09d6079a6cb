//! Pseudo continuous tracks: links whose surface moves although they do not.

use bevy::prelude::*;
use bunraku_body::{BodyModel, JointKind, JointSlot};

use crate::contacts::{ContactRules, LinkOfBody};

/// Commanded speeds of the surfaces of a body's pseudo continuous tracks, m/s, by place in the joint vector; missing ones
/// and places of other joints count for nothing.
///
/// A track runs as the rim of a wheel that turns about the joint axis with the right hand: with the axis along +Y and a
/// positive speed the vehicle drives towards +X.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub struct TrackSpeeds(pub Vec<f64>);

/// Passes the commands on to the contacts.
pub(crate) fn run_tracks(
    bodies: Query<(Entity, &BodyModel, &TrackSpeeds), Changed<TrackSpeeds>>,
    mut rules: ResMut<ContactRules>,
) {
    for (entity, BodyModel(body), speeds) in &bodies {
        for (slot, speed) in body.joints().iter().zip(&speeds.0) {
            let JointSlot::Link(link) = *slot else { continue };
            if body.link(link).joint.kind == JointKind::PseudoContinuousTrack {
                #[allow(clippy::cast_possible_truncation)]
                rules.set_track_speed(LinkOfBody { body: entity, link }, *speed as f32);
            }
        }
    }
}
