//! Smooth curves through the frames of a motion, with continuous velocity and acceleration.
//!
//! Each frame has a polynomial of the fourth degree through it and its two neighbours on either side. Between two frames
//! the curve changes from the polynomial of one to that of the other, with a weight whose first and second derivatives
//! are zero at both frames. So the curve meets all frames, is twice continuously differentiable, depends on six frames
//! only, and differs from a smooth motion by the fifth power of the distance between frames.

#![expect(clippy::indexing_slicing, reason = "nodes are counted in one place, and there are at most `NODES`")]

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::sampling::FRAME_TOLERANCE;
use crate::sequence::Timing;
use crate::{Interpolate, Sequence};

/// Number of frames that determine a polynomial.
const NODES: usize = 5;

/// A type of frame data on a polynomial.
pub trait Polynomial: Interpolate {
    /// Weighted sum of `values`, whose weights add up to 1, in a chart around the value at `center`.
    #[must_use]
    fn combine(values: &[Self], weights: &[f64], center: usize) -> Self;
}

impl Polynomial for f64 {
    fn combine(values: &[Self], weights: &[f64], center: usize) -> Self {
        // Relative to the centre, so that a constant motion is exactly constant.
        let base = values[center];
        base + values.iter().zip(weights).map(|(value, weight)| (value - base) * weight).sum::<f64>()
    }
}

/// Rotations are combined as rotation vectors relative to that at the centre.
impl Polynomial for Isometry3<f64> {
    fn combine(values: &[Self], weights: &[f64], center: usize) -> Self {
        let base = &values[center];
        let origin = base.translation.vector;
        let turns = turns_from(values, center);
        let sum = |of: &dyn Fn(usize) -> Vector3<f64>| -> Vector3<f64> {
            weights.iter().enumerate().map(|(node, weight)| of(node) * *weight).sum()
        };
        let translation = origin + sum(&|node| values[node].translation.vector - origin);
        let rotation = UnitQuaternion::from_scaled_axis(sum(&|node| turns[node])) * base.rotation;
        Self::from_parts(Translation3::from(translation), rotation)
    }
}

/// Rotation vectors from the rotation at the centre to the others, world axes, rad; longer than half a turn where the
/// frames between turn that far.
fn turns_from(values: &[Isometry3<f64>], center: usize) -> [Vector3<f64>; NODES] {
    let mut turns = [Vector3::zeros(); NODES];
    let into_base = values[center].rotation.inverse();
    let mut extend = |nodes: &mut dyn Iterator<Item = usize>| {
        let (mut last, mut step) = (Vector3::zeros(), Vector3::zeros());
        for node in nodes {
            let turn = continued((values[node].rotation * into_base).scaled_axis(), &(last + step));
            (step, last) = (turn - last, turn);
            turns[node] = turn;
        }
    };
    extend(&mut (center + 1..values.len()));
    extend(&mut (0..center).rev());
    turns
}

/// Of the rotation vectors of the same rotation that nearest to another one.
fn continued(turn: Vector3<f64>, near: &Vector3<f64>) -> Vector3<f64> {
    let angle = turn.norm();
    let axis = if angle > 0.0 { turn / angle } else { near.try_normalize(0.0).unwrap_or_else(Vector3::z) };
    let whole_turns = ((axis.dot(near) - angle) / std::f64::consts::TAU).round();
    if whole_turns == 0.0 { turn } else { axis * (angle + whole_turns * std::f64::consts::TAU) }
}

impl<T: Polynomial> Sequence<T> {
    /// Writes the state at `time` (s) on the smooth curve through the frames to `out`; outside, the first or last frame.
    /// At the time of a frame, to a millionth of a frame, the result is bit-identical to that frame.
    ///
    /// Frames with individual times are interpolated linearly, because a polynomial through uneven distances swings
    /// out. If `out` has fewer or more entries than there are parts, the common ones are written; without frames, none.
    pub fn sample_smooth(&self, time: f64, out: &mut [T]) {
        let Timing::Rate { frame_rate, offset } = *self.timing() else { return self.sample(time, out) };
        let last = self.num_frames().saturating_sub(1) as f64;
        // NaN gives the first frame.
        self.on_curve(((time - offset) * frame_rate).max(0.0).min(last), out);
    }

    /// As [`sample_smooth`](Self::sample_smooth), but the curve continues before the first and after the last frame. It
    /// is meant for differences across the ends: a few steps beyond them it may be far from any frame.
    pub fn sample_beyond(&self, time: f64, out: &mut [T]) {
        let Timing::Rate { frame_rate, offset } = *self.timing() else { return self.sample(time, out) };
        let position = (time - offset) * frame_rate;
        self.on_curve(if position.is_finite() { position } else { 0.0 }, out);
    }

    /// The state at a position in frames.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "frames from 0 to the last are cast")]
    fn on_curve(&self, position: f64, out: &mut [T]) {
        let Some(last) = self.num_frames().checked_sub(1) else { return };
        let nearest = position.round();
        if (position - nearest).abs() <= FRAME_TOLERANCE && (0.0..=last as f64).contains(&nearest) {
            for (out, value) in out.iter_mut().zip(self.frame(nearest as usize)) {
                *out = *value;
            }
            return;
        }
        if last == 0 {
            return self.on_curve(0.0, out);
        }
        let before = (position.max(0.0) as usize).min(last - 1);
        let fraction = (position - before as f64).clamp(0.0, 1.0);
        let blend = fraction.powi(3) * (10.0 + fraction * (6.0 * fraction - 15.0));
        let polynomials = [before, before + 1].map(|frame| Window::around(frame, last, position));
        for (part, out) in out.iter_mut().enumerate().take(self.num_parts()) {
            let [first, second] = polynomials.each_ref().map(|window| window.value(self, part));
            *out = first.interpolate(&second, blend);
        }
    }
}

/// The frames around one of them, with their weights for a position.
struct Window {
    first: usize,
    count: usize,
    center: usize,
    weights: [f64; NODES],
}

impl Window {
    fn around(frame: usize, last: usize, position: f64) -> Self {
        let count = NODES.min(last + 1);
        let first = frame.saturating_sub(NODES / 2).min(last + 1 - count);
        let at = position - first as f64;
        let mut weights = [0.0; NODES];
        for (node, weight) in weights.iter_mut().enumerate().take(count) {
            // Lagrange's polynomials over the nodes 0, 1, 2, …
            let others = (0..count).filter(|other| *other != node);
            *weight = others.map(|other| (at - other as f64) / (node as f64 - other as f64)).product();
        }
        Self { first, count, center: frame - first, weights }
    }

    fn value<T: Polynomial>(&self, sequence: &Sequence<T>, part: usize) -> T {
        let mut values = [sequence.frame(self.first)[part]; NODES];
        for (node, value) in values.iter_mut().enumerate().take(self.count) {
            *value = sequence.frame(self.first + node)[part];
        }
        T::combine(&values[..self.count], &self.weights[..self.count], self.center)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 50.0;
    const STEP: f64 = 1e-3;

    /// Pose of a wobbling, moving body.
    fn wobble(time: f64) -> Isometry3<f64> {
        let turn =
            UnitQuaternion::from_scaled_axis(Vector3::new(0.8 * (5.0 * time).sin(), 0.3 * (4.0 * time).cos(), 0.0));
        let place = Vector3::new((6.0 * time).sin(), 0.2 * time, (5.0 * time).cos());
        Isometry3::from_parts(place.into(), turn * UnitQuaternion::from_scaled_axis(Vector3::z() * 2.0 * time))
    }

    fn poses(rate: f64, of: impl Fn(f64) -> Isometry3<f64>) -> Sequence<Isometry3<f64>> {
        Sequence::new(rate, 1, (0..=100).map(|frame| of(f64::from(frame) / rate)).collect()).unwrap()
    }

    fn at(motion: &Sequence<Isometry3<f64>>, time: f64) -> Isometry3<f64> {
        let mut pose = [Isometry3::identity()];
        motion.sample_beyond(time, &mut pose);
        pose[0]
    }

    /// Linear and angular acceleration by second differences.
    fn accelerations(at: impl Fn(f64) -> Isometry3<f64>, time: f64) -> [Vector3<f64>; 2] {
        let [before, now, after] = [-STEP, 0.0, STEP].map(|offset| at(time + offset));
        let linear =
            (before.translation.vector + after.translation.vector - 2.0 * now.translation.vector) / STEP.powi(2);
        let turn = |from: &Isometry3<f64>, to: &Isometry3<f64>| (to.rotation * from.rotation.inverse()).scaled_axis();
        [linear, (turn(&now, &after) - turn(&before, &now)) / STEP.powi(2)]
    }

    #[test]
    fn accelerations_do_not_jump_at_frames() {
        let motion = poses(RATE, wobble);
        let mut worst = [0.0_f64; 2];
        // From the first frame to the last, 20 steps a frame.
        for step in 0..=2000 {
            let time = f64::from(step) * STEP;
            let (found, expected) = (accelerations(|time| at(&motion, time), time), accelerations(wobble, time));
            for (worst, (found, expected)) in worst.iter_mut().zip(found.iter().zip(expected)) {
                *worst = worst.max((found - expected).norm());
            }
        }
        // Accelerations of up to 40 m/s² and 20 rad/s²; linear interpolation jumps by 700 m/s².
        assert!(worst[0] < 0.3 && worst[1] < 0.3, "{worst:?}");
    }

    #[test]
    fn frames_are_met_bit_for_bit_and_ends_are_held() {
        let motion = poses(RATE, wobble);
        for frame in 0..=100 {
            let mut pose = [Isometry3::identity()];
            motion.sample_smooth(f64::from(frame) / RATE, &mut pose);
            assert_eq!(pose[0], motion.frame(frame as usize)[0]);
        }
        for (time, frame) in [(-1.0, 0), (f64::NAN, 0), (7.0, 100), (f64::INFINITY, 100)] {
            let mut pose = [Isometry3::identity()];
            motion.sample_smooth(time, &mut pose);
            assert_eq!(pose[0], motion.frame(frame)[0], "{time}");
        }
    }

    #[test]
    fn uniform_motions_are_exact_even_in_large_turns() {
        let spin = |time: f64| Isometry3::new(Vector3::x() * (3.0 * time), Vector3::z() * (130.0 * time));
        let motion = poses(RATE, spin);
        for step in 0..400 {
            let time = f64::from(step) * 5.1e-3 - 0.01;
            let (found, expected) = (at(&motion, time), spin(time));
            assert!((found.translation.vector - expected.translation.vector).norm() < 1e-9, "{time}");
            assert!(found.rotation.angle_to(&expected.rotation) < 1e-9, "{time}");
        }
    }

    #[test]
    fn short_and_resting_motions_need_no_neighbours() {
        for frames in 1..6_u32 {
            let rising = Sequence::new(1.0, 1, (0..frames).map(f64::from).collect()).unwrap();
            let still = Sequence::new(1.0, 1, vec![0.3; frames as usize]).unwrap();
            for step in 0..50 {
                let time = f64::from(step) * 0.1;
                let (mut rose, mut stayed) = ([9.0], [9.0]);
                rising.sample_smooth(time, &mut rose);
                still.sample_beyond(time, &mut stayed);
                assert!((rose[0] - time.min(f64::from(frames - 1))).abs() < 1e-12);
                assert_eq!(stayed, [0.3]);
            }
        }
        let mut untouched = [9.0];
        Sequence::<f64>::new(1.0, 1, Vec::new()).unwrap().sample_smooth(0.0, &mut untouched);
        assert_eq!(untouched, [9.0]);
    }
}
