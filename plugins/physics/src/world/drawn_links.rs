//! Transforms of links after rapier's write-back.

use bevy::prelude::*;
use bevy_rapier3d::prelude::RigidBody;
use bunraku_body::{BodyState, LinkNumber, LinkOf, ToBevy};

type Link<'a> = (&'a LinkOf, &'a LinkNumber, &'a mut Transform);

/// Gives links whose transforms rapier's write-back has changed those of their body's state.
///
/// Rapier knows the poses of the last step. A body that was moved since, for example by a slider of a window, would be
/// drawn at its old pose.
pub(crate) fn restore(mut links: Query<Link<'_>, (With<RigidBody>, Changed<Transform>)>, bodies: Query<&BodyState>) {
    for (LinkOf(body), LinkNumber(link), mut transform) in &mut links {
        if let Some(pose) = bodies.get(*body).ok().and_then(|state| state.link_poses.get(link.0)) {
            let drawn = pose.to_bevy().with_scale(transform.scale);
            transform.set_if_neq(drawn);
        }
    }
}
