use bevy::prelude::*;
use bunraku_body::Range;

/// Effect of the velocity ranges of a body's joints; a component of the body entity. The default is [`Self::Commands`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component)]
pub enum VelocityLimits {
    /// Limits commands: commanded velocities stay within the range, and the reference of a servo or a controller of efforts moves no
    /// faster. A joint that efforts or gravity move, or that overshoots its reference, may be faster.
    #[default]
    Commands,
    /// Limits the joints too: a joint that would be faster is braked, within its effort range. With
    /// [`JointSolver::Impulse`](crate::JointSolver::Impulse) commands only.
    Hard,
}

/// Whether a range is limited. One whose ends are crossed is not.
pub fn is_limiting(range: &Range) -> bool {
    range.lower <= range.upper && (range.lower > f64::NEG_INFINITY || range.upper < f64::INFINITY)
}

/// A velocity clamped to its range, if that is limited.
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
    // A change within the range is not rounded.
    if (allowed - change).abs() <= f64::EPSILON * (change.abs() + before.abs()) { wanted } else { before + allowed }
}
