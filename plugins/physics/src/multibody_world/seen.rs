use bevy_rapier3d::rapier::math::Pose;
use serde::{Deserialize, Serialize};

/// A part near which there was nothing when rapier last looked at it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub pose: Pose,
    /// The farthest that its points may go from there and be within the boxes that rapier's broad phase has about its colliders, m.
    pub room: f32,
    /// How many these are.
    pub colliders: usize,
}

impl Seen {
    /// The farthest that a point within `radius`, m, of the origin has gone on its way to a pose, m.
    pub fn reaches(&self, pose: &Pose, radius: f32) -> f32 {
        let turn = 2.0 * (self.pose.rotation.inverse() * pose.rotation).xyz().length();
        (pose.translation - self.pose.translation).length() + turn * radius
    }
}
