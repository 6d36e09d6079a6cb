//! Plausibility of a body after a step.
//!
//! There is no check of energy, because it would find no more than the checks of speed. Gains that are too high, the usual cause, add
//! their energy by efforts: an arm of 0.27 kg·m² with `kp` = 3·10⁵, 10⁶, 10⁸ and 10¹⁴ N·m/rad at 1 kHz is stopped by its speed in its
//! 73rd, 28th, 3rd and 1st step, before its kinetic energy grows by twice the work of effort and gravity. And sound scenes gain energy:
//! shapes that overlap at the start are pushed apart, and a motion that jumps throws what it hits.

use bunraku_body::LinkIndex;

/// Links faster than this, m/s, have diverged: it is about the speed of sound.
pub(crate) const FASTEST: f64 = 1e3;
/// Links that turn by more than this in a step, rad, are undersampled.
pub(crate) const LARGEST_TURN: f64 = std::f64::consts::PI;
/// Joints with a larger gap, m, are torn apart.
pub(crate) const WIDEST_GAP: f64 = 0.1;

/// An implausible state of a body after a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trouble {
    pub link: LinkIndex,
    /// Description that continues the name of the link or its joint.
    pub what: String,
}
