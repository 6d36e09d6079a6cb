use bevy::prelude::*;
use bunraku_body::Range;

/// What the velocity ranges of a body's joints bound. Put it on a body entity; without it, commands.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub enum VelocityLimits {
    /// What controllers command: velocities that are commanded stay within the range, and the reference of a servo or a
    /// controller of efforts moves no faster. What a joint then does is up to the forces on it: one that is moved by
    /// efforts, or falls, may be faster, as may one that overshoots its reference.
    #[default]
    Commands,
    /// The joints too: what would be faster is braked, with as much effort as the effort range of the joint allows. With
    /// [`JointSolver::Impulse`](crate::JointSolver::Impulse) commands only.
    Hard,
}

/// Whether a range bounds anything. One whose ends are crossed bounds nothing.
pub fn is_limiting(range: &Range) -> bool {
    range.lower <= range.upper && (range.lower > f64::NEG_INFINITY || range.upper < f64::INFINITY)
}

/// A velocity within its range, if that bounds anything.
pub fn limit_velocity(range: &Range, velocity: f64) -> f64 {
    if is_limiting(range) { range.clamp(velocity) } else { velocity }
}

/// The reference at the end of a step of `time_step` seconds, before which it was `before`, if it is to go to `wanted` no faster
/// than the range allows. Of a range that bounds nothing it is `wanted`, bit for bit.
pub fn limited_approach(range: &Range, before: f64, wanted: f64, time_step: f64) -> f64 {
    if !is_limiting(range) {
        return wanted;
    }
    let change = wanted - before;
    let allowed = limit_velocity(range, change / time_step) * time_step;
    // What is within the range is not rounded.
    if (allowed - change).abs() <= f64::EPSILON * (change.abs() + before.abs()) { wanted } else { before + allowed }
}
