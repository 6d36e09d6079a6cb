//! Pseudo continuous tracks: links with a moving surface.

use bevy::prelude::*;
use bunraku_body::{
    Body, BodyModel, BodyState, Drive, JointActuation, JointIndex, JointKind, JointSlot, JointTargets, LinkIndex,
};

use crate::model::velocity_limits::limit_velocity;
use crate::world::contacts::{ContactRules, LinkOfBody};

/// The pseudo continuous tracks of a body that has some.
///
/// The velocity commanded at the joint of a track ([`JointTargets::velocities`]) is the speed of its surface, m/s, as in
/// Choreonoid. A track runs as the rim of a wheel that turns about the joint axis with the right hand: with the axis along +Y and a
/// positive speed the vehicle drives towards +X. The tracks of a body that plays a motion run as fast as the motion's joint.
#[derive(Component, Clone, Debug)]
pub(crate) struct Tracks(Vec<Track>);

#[derive(Clone, Copy, Debug)]
struct Track {
    joint: JointIndex,
    link: LinkIndex,
}

impl Tracks {
    /// `None` for a body without tracks.
    pub fn of(body: &Body) -> Option<Self> {
        let tracks = body.joints().iter().enumerate().filter_map(|(joint, slot)| match *slot {
            JointSlot::Link(link) if body.link(link).joint.kind == JointKind::PseudoContinuousTrack => {
                Some(Track { joint: JointIndex(joint), link })
            }
            _ => None,
        });
        let tracks: Vec<_> = tracks.collect();
        (!tracks.is_empty()).then_some(Self(tracks))
    }

    /// Their joints.
    pub fn joints(&self) -> impl Iterator<Item = JointIndex> {
        self.0.iter().map(|track| track.joint)
    }
}

type TrackedBody<'a> =
    (Entity, &'a BodyModel, &'a Tracks, &'a Drive, &'a BodyState, &'a JointTargets, &'a JointActuation);

/// Sets the surface speeds of tracks from the commands of this step.
pub(crate) fn run_tracks(bodies: Query<TrackedBody<'_>>, mut rules: ResMut<ContactRules>) {
    for (entity, BodyModel(body), Tracks(tracks), drive, state, targets, actuation) in &bodies {
        for track in tracks {
            let velocities = if *drive == Drive::Motion { &state.velocities } else { &targets.velocities };
            let command = velocities.get(track.joint.0).copied().unwrap_or(0.0);
            let is_played =
                *drive == Drive::Motion || actuation.0.get(track.joint.0).is_some_and(|joint| joint.is_prescribed());
            let speed = match drive {
                Drive::Static => 0.0,
                _ if is_played => command,
                _ => limit_velocity(&body.link(track.link).joint.velocity_range, command),
            };
            // The pairs of colliders that may touch do not change.
            rules.bypass_change_detection().set_track_speed(LinkOfBody { body: entity, link: track.link }, speed);
        }
    }
}
