//! Starting points of the iteration.

use bunraku_body::Range;

use super::Chain;

/// Starting points that cover the joint ranges evenly, the same in every run. They are the additive recurrence of
/// Roberts' R sequence: start k of joint j is at the fraction of 1/2 + k·φ⁻ʲ, where φ is the positive root of φⁿ⁺¹ = φ
/// + 1.
#[derive(Clone, Debug)]
pub(crate) struct Starts {
    /// For each joint: the stride as a fraction of its range, the lower end, the width.
    joints: Vec<(f64, f64, f64)>,
    next: u32,
}

impl Starts {
    pub(crate) fn new(chain: &Chain) -> Self {
        let count = chain.joints().len();
        let dimensions = i32::try_from(count).unwrap_or(i32::MAX).saturating_add(1);
        let mut root = 2.0_f64;
        for _ in 0..64 {
            root = libm::pow(1.0 + root, f64::from(dimensions).recip());
        }
        let joint = |(index, joint): (usize, &super::ChainJoint)| {
            let power = i32::try_from(index).unwrap_or(i32::MAX).saturating_add(1);
            let (lower, upper) = finite(&joint.range);
            (root.powi(-power), lower, upper - lower)
        };
        Self { joints: chain.joints().iter().enumerate().map(joint).collect(), next: 0 }
    }

    /// Restarts the sequence.
    pub(crate) fn rewind(&mut self) {
        self.next = 0;
    }

    /// Writes the next starting point.
    pub(crate) fn next(&mut self, displacements: &mut [f64]) {
        self.next = self.next.wrapping_add(1);
        for (slot, (stride, lower, width)) in displacements.iter_mut().zip(&self.joints) {
            *slot = lower + (0.5 + f64::from(self.next) * stride).fract() * width;
        }
    }
}

/// A finite range for starting points: at most ±π (or ±0.5 m), where the range is unlimited or wider.
fn finite(range: &Range) -> (f64, f64) {
    use std::f64::consts::PI;
    let lower = if range.lower.is_finite() { range.lower } else { (range.upper - PI).clamp(-PI, PI) };
    let upper = if range.upper.is_finite() { range.upper } else { (range.lower + PI).clamp(-PI, PI) };
    let (lower, upper) = if lower <= upper { (lower, upper) } else { (-PI, PI) };
    if upper - lower <= 2.0 * PI {
        return (lower, upper);
    }
    let middle = 0.0_f64.clamp(lower + PI, upper - PI);
    (middle - PI, middle + PI)
}
