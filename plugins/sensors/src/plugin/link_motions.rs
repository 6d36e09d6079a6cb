//! Motions of the links of a body, for all motion sources.

use bevy::prelude::*;
use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::{Body, BodyState, JointKind, LinkIndex};
use bunraku_motion::{MotionPlayer, PlaybackState, state_beyond};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::LinkMotion;

/// Link poses of a body at the last two times, for bodies moved in ways that give no velocities.
#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PastMotion {
    /// Link poses, the latest first.
    poses: [Vec<Isometry3<f64>>; 2],
}

impl PastMotion {
    /// Records the current link poses.
    pub fn push(&mut self, poses: &[Isometry3<f64>]) {
        self.poses.swap(0, 1);
        poses.clone_into(&mut self.poses[0]);
    }

    /// Motions of the links at the end of a step of `step` s that moved them to `now`, by differences of the last
    /// steps.
    pub fn of_states(&self, now: &[Isometry3<f64>], step: f64) -> Vec<LinkMotion> {
        let [before, earlier] = &self.poses;
        let motion = |(link, now): (usize, &Isometry3<f64>)| {
            let before = before.get(link).unwrap_or(now);
            let earlier = earlier.get(link).unwrap_or(before);
            let (last, first) = (velocity(before, now, step), velocity(earlier, before, step));
            LinkMotion { pose: *now, twist: last, acceleration: rate(&first, &last, step) }
        };
        now.iter().enumerate().map(motion).collect()
    }
}

/// Motions of the links of a body that plays a motion, in which it is at `state`: central differences over one step of
/// the smooth curves through the frames. A body that is at rest has neither velocity nor acceleration.
pub(super) fn of_player(body: &Body, player: &MotionPlayer, state: &BodyState, step: f64) -> Vec<LinkMotion> {
    let (motion, playback) = (player.motion(), player.playback());
    if playback.state() != PlaybackState::Playing || playback.speed() == 0.0 {
        let still = |pose: &Isometry3<f64>| LinkMotion { pose: *pose, twist: Twist::ZERO, acceleration: Twist::ZERO };
        return state.link_poses.iter().map(still).collect();
    }
    let apart = step * playback.speed().abs();
    let at = |time: f64| {
        let mut state = state.clone();
        state_beyond(body, motion, time, &mut state);
        state.link_poses
    };
    let (before, after) = (at(playback.position() - apart), at(playback.position() + apart));
    // In reverse, the later frame comes first.
    let (before, after) = if playback.speed() < 0.0 { (after, before) } else { (before, after) };
    let poses = before.iter().zip(&state.link_poses).zip(&after);
    let motion = |((before, now), after): ((&Isometry3<f64>, &Isometry3<f64>), &Isometry3<f64>)| {
        let (first, last) = (velocity(before, now, step), velocity(now, after, step));
        let twist = Twist { linear: (first.linear + last.linear) / 2.0, angular: (first.angular + last.angular) / 2.0 };
        LinkMotion { pose: *now, twist, acceleration: rate(&first, &last, step) }
    };
    poses.map(motion).collect()
}

/// The twist of a uniform motion from one pose to another in `time` s.
fn velocity(from: &Isometry3<f64>, to: &Isometry3<f64>, time: f64) -> Twist {
    let turn = to.rotation * from.rotation.inverse();
    Twist { linear: (to.translation.vector - from.translation.vector) / time, angular: turn.scaled_axis() / time }
}

fn rate(first: &Twist, last: &Twist, time: f64) -> Twist {
    Twist { linear: (last.linear - first.linear) / time, angular: (last.angular - first.angular) / time }
}

/// Motion of a link in the middle of a step, given its `pose` and `twist` at the end; `acceleration` is the mean over
/// the step. At that instant acceleration, velocity and pose are consistent.
pub(super) fn amid_step(pose: &Isometry3<f64>, twist: &Twist, acceleration: &Twist, step: f64) -> LinkMotion {
    let half = step / 2.0;
    let angular = twist.angular - acceleration.angular * half;
    let linear = twist.linear - acceleration.linear * half;
    // Mean angular velocity over the second half of the step.
    let turn = UnitQuaternion::from_scaled_axis((angular + twist.angular) / 2.0 * half);
    let translation = pose.translation.vector - (linear + twist.linear) / 2.0 * half;
    LinkMotion {
        pose: Isometry3::from_parts(translation.into(), turn.inverse() * pose.rotation),
        twist: Twist { linear, angular },
        acceleration: *acceleration,
    }
}

/// Wrench of the parent on a link, about the link origin, in world axes, for a body that is not dynamic. It follows
/// from the Newton–Euler equations of the link's subtree. `outside` are the contact wrenches on each link, about its
/// origin.
pub(super) fn reaction(
    body: &Body,
    motions: &[LinkMotion],
    link: LinkIndex,
    gravity: &Vector3<f64>,
    outside: impl Fn(LinkIndex) -> Wrench,
) -> Wrench {
    let mut sum = Wrench::ZERO;
    let mut belongs = vec![false; motions.len()];
    let Some(origin) = motions.get(link.0).map(|motion| motion.pose.translation.vector) else { return sum };
    for (index, part) in body.indexed_links() {
        // Parents precede their children.
        let hangs = part.parent.is_some_and(|parent| belongs[parent.0]) && part.joint.kind != JointKind::Free;
        let Some(motion) = motions.get(index.0).filter(|_| index == link || hangs) else { continue };
        belongs[index.0] = true;
        let rotation = motion.pose.rotation.to_rotation_matrix();
        let center = rotation * part.mass.center_of_mass.coords;
        let (spin, rate) = (motion.twist.angular, motion.acceleration);
        let acceleration = rate.velocity_at(&center) + spin.cross(&spin.cross(&center)) - gravity;
        let force = acceleration * part.mass.mass;
        let inertia = (part.mass.inertia + part.mass.inertia.transpose()) * 0.5;
        let inertia = rotation.matrix() * inertia * rotation.matrix().transpose();
        let torque = inertia * rate.angular + spin.cross(&(inertia * spin)) + center.cross(&force);
        let outside = outside(index);
        let (force, torque) = (force - outside.force, torque - outside.torque);
        let offset = motion.pose.translation.vector - origin;
        sum.force += force;
        sum.torque += torque + offset.cross(&force);
    }
    sum
}
