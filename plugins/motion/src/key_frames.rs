//! Poses of a body at chosen times, and the smooth motion through them.

#![expect(clippy::indexing_slicing, reason = "times, values and slopes have an entry for each key frame")]

use nalgebra::{Isometry3, Translation3};

use crate::{BodyMotion, Interpolate, Sequence, SequenceError};

/// A pose at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFrame {
    /// Time, s.
    pub time: f64,
    /// Pose of the root link, world frame.
    pub root: Isometry3<f64>,
    /// Displacements of all joints, rad or m.
    pub displacements: Vec<f64>,
}

/// Key frames of a body, in order of time.
///
/// Between them each joint follows a cubic polynomial. Velocities are continuous, zero at the first and at the last key
/// frame and where a joint turns back; between two key frames no joint leaves the interval between its two
/// displacements, so that a motion between poses within the limits is within the limits (Fritsch and Butland, 1984). The
/// root's position follows the same law along each axis; its rotation follows it along the shorter arcs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyFrames(Vec<KeyFrame>);

/// Times nearer to each other than this are the same, s.
const SAME_TIME: f64 = 1e-6;
/// Largest number of frames of a motion.
const MOST_FRAMES: f64 = 1e6;

/// Reason why key frames are no motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KeyFrameError {
    /// There are no key frames, or their body has no joints.
    #[error("there is nothing to move: add key frames of a body with joints")]
    Empty,
    /// A time or a value is not finite, or a time is negative.
    #[error("the key frame at {0} s has a time or a value that is not a number from zero on")]
    NotFinite(f64),
    /// Key frames have different numbers of joints.
    #[error("the key frames have different numbers of joints: {0} and {1}")]
    Joints(usize, usize),
    /// Too many frames.
    #[error("the last key frame at {0} s is too late: a motion has a million frames at most")]
    TooLong(f64),
    /// The frame rate.
    #[error(transparent)]
    Rate(#[from] SequenceError),
}

impl KeyFrames {
    /// All key frames, in order of time.
    pub fn as_slice(&self) -> &[KeyFrame] {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Time of the last key frame, s; 0 without key frames.
    pub fn end(&self) -> f64 {
        self.0.last().map_or(0.0, |frame| frame.time)
    }

    /// Adds a key frame, instead of one at the same time; returns its index.
    pub fn insert(&mut self, frame: KeyFrame) -> usize {
        self.0.retain(|known| (known.time - frame.time).abs() > SAME_TIME);
        let index = self.0.partition_point(|known| known.time < frame.time);
        self.0.insert(index, frame);
        index
    }

    /// Removes a key frame; `None` if there is no such index.
    pub fn remove(&mut self, index: usize) -> Option<KeyFrame> {
        (index < self.0.len()).then(|| self.0.remove(index))
    }

    /// The pose of the root and the displacements at a time, s: before the first key frame as there, after the last as
    /// there. `None` without key frames.
    pub fn sample(&self, time: f64) -> Option<(Isometry3<f64>, Vec<f64>)> {
        let first = self.0.first()?;
        let times: Vec<f64> = self.0.iter().map(|frame| frame.time).collect();
        let curve =
            |of: &dyn Fn(&KeyFrame) -> f64| -> Curve { Curve::through(&times, self.0.iter().map(of).collect()) };
        let joints = 0..first.displacements.len();
        let displacements = joints
            .map(|joint| {
                let of = |frame: &KeyFrame| frame.displacements.get(joint).copied().unwrap_or_default();
                curve(&of).at(&times, time)
            })
            .collect();
        let position = [0, 1, 2].map(|axis| curve(&|frame| frame.root.translation.vector[axis]).at(&times, time));
        let rotation = self.rotation(&times, time);
        Some((Isometry3::from_parts(Translation3::from(position), rotation), displacements))
    }

    /// Rotation of the root: the turned angle, summed over all arcs, follows a curve like that of a joint.
    fn rotation(&self, times: &[f64], time: f64) -> nalgebra::UnitQuaternion<f64> {
        let mut turned = vec![0.0];
        for pair in self.0.windows(2) {
            turned.push(turned[turned.len() - 1] + pair[0].root.rotation.angle_to(&pair[1].root.rotation));
        }
        let angle = Curve::through(times, turned.clone()).at(times, time);
        let segment = segment(times, time).min(turned.len().saturating_sub(2));
        let Some([from, to]) = self.0.get(segment..segment + 2) else { return self.0[0].root.rotation };
        let arc = turned[segment + 1] - turned[segment];
        let fraction = if arc > 0.0 { ((angle - turned[segment]) / arc).clamp(0.0, 1.0) } else { 0.0 };
        let only = |frame: &KeyFrame| Isometry3::from_parts(Translation3::identity(), frame.root.rotation);
        only(from).interpolate(&only(to), fraction).rotation
    }

    /// Largest speed of each joint, rad/s or m/s.
    pub fn top_speeds(&self) -> Vec<f64> {
        let times: Vec<f64> = self.0.iter().map(|frame| frame.time).collect();
        let joints = 0..self.0.first().map_or(0, |frame| frame.displacements.len());
        let top = joints.map(|joint| {
            let values = self.0.iter().map(|frame| frame.displacements.get(joint).copied().unwrap_or_default());
            Curve::through(&times, values.collect()).top_speed(&times)
        });
        top.collect()
    }

    /// The motion through the key frames, from time 0 to the last one, with displacements in `ranges` (rad or m, in
    /// joint order; without one a joint is unlimited).
    ///
    /// # Errors
    /// If there are no key frames, they contradict each other, or the frame rate (Hz) is invalid.
    pub fn to_motion(&self, frame_rate: f64, ranges: &[[f64; 2]]) -> Result<BodyMotion, KeyFrameError> {
        let joints = self.0.first().map_or(0, |frame| frame.displacements.len());
        if joints == 0 {
            return Err(KeyFrameError::Empty);
        }
        for frame in &self.0 {
            let values = frame.displacements.iter().chain(frame.root.translation.vector.iter());
            if !(frame.time >= 0.0
                && frame.time.is_finite()
                && values.chain(frame.root.rotation.coords.iter()).all(|value| value.is_finite()))
            {
                return Err(KeyFrameError::NotFinite(frame.time));
            }
            if frame.displacements.len() != joints {
                return Err(KeyFrameError::Joints(joints, frame.displacements.len()));
            }
        }
        let last = (self.end() * frame_rate).ceil();
        if last > MOST_FRAMES {
            return Err(KeyFrameError::TooLong(self.end()));
        }
        let limited = self.within(ranges);
        let (mut roots, mut displacements) = (Vec::new(), Vec::new());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        for index in 0..=last.max(0.0) as u32 {
            if let Some((root, values)) = limited.sample(f64::from(index) / frame_rate) {
                roots.push(root);
                displacements.extend(values);
            }
        }
        Ok(BodyMotion {
            link_positions: Some(Sequence::new(frame_rate, 1, roots)?),
            joint_displacements: Some(Sequence::new(frame_rate, joints, displacements)?),
            ..BodyMotion::new(frame_rate)
        })
    }

    /// The same with displacements moved into ranges.
    fn within(&self, ranges: &[[f64; 2]]) -> Self {
        let mut frames = self.clone();
        for frame in &mut frames.0 {
            for (value, [low, high]) in frame.displacements.iter_mut().zip(ranges) {
                if low <= high {
                    *value = value.clamp(*low, *high);
                }
            }
        }
        frames
    }
}

/// Index of the last time at or before `time`; the first if all are later.
fn segment(times: &[f64], time: f64) -> usize {
    times.partition_point(|known| *known <= time).saturating_sub(1)
}

/// Values and slopes at the times of key frames.
struct Curve {
    values: Vec<f64>,
    slopes: Vec<f64>,
}

impl Curve {
    fn through(times: &[f64], values: Vec<f64>) -> Self {
        let mut slopes = vec![0.0; values.len()];
        for index in 1..values.len().saturating_sub(1) {
            let [before, after] = [times[index] - times[index - 1], times[index + 1] - times[index]];
            let [first, second] =
                [(values[index] - values[index - 1]) / before, (values[index + 1] - values[index]) / after];
            // The weighted harmonic mean; zero where the joint turns back.
            if first * second > 0.0 {
                let (a, b) = (2.0 * after + before, after + 2.0 * before);
                slopes[index] = (a + b) / (a / first + b / second);
            }
        }
        Self { values, slopes }
    }

    fn at(&self, times: &[f64], time: f64) -> f64 {
        let index = segment(times, time);
        let (Some([from, to]), Some([start, end])) = (self.values.get(index..index + 2), times.get(index..index + 2))
        else {
            return self.values[index];
        };
        if time <= *start {
            return *from;
        }
        let (length, fraction) = (end - start, (time - start) / (end - start));
        let (a, b) = (length * self.slopes[index], length * self.slopes[index + 1]);
        let value = from
            + fraction * (a + fraction * (3.0 * (to - from) - 2.0 * a - b + fraction * (a + b - 2.0 * (to - from))));
        // Rounding may leave the interval in the last digit.
        value.clamp(from.min(*to), from.max(*to))
    }

    fn top_speed(&self, times: &[f64]) -> f64 {
        let mut top = 0.0_f64;
        for index in 1..self.values.len() {
            let length = times[index] - times[index - 1];
            let slope = (self.values[index] - self.values[index - 1]) / length;
            let (a, b) = (self.slopes[index - 1], self.slopes[index]);
            // The velocity is the quadratic a + 2·c·s + 3·d·s² of s from 0 to 1, with its vertex at −c / 3d.
            let (c, d) = (3.0 * slope - 2.0 * a - b, a + b - 2.0 * slope);
            let vertex = if d == 0.0 { 0.0 } else { (-c / (3.0 * d)).clamp(0.0, 1.0) };
            let speed = |at: f64| (a + at * (2.0 * c + 3.0 * d * at)).abs();
            top = top.max(speed(0.0)).max(speed(vertex)).max(speed(1.0));
        }
        top
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    fn keys(of: &[(f64, f64, [f64; 2])]) -> KeyFrames {
        let mut keys = KeyFrames::default();
        // In the order in which they are added, the last first.
        for (time, angle, displacements) in of.iter().rev() {
            let root = Isometry3::new(Vector3::new(*angle, 0.0, 0.5), Vector3::z() * *angle);
            keys.insert(KeyFrame { time: *time, root, displacements: displacements.to_vec() });
        }
        keys
    }

    fn uneven() -> KeyFrames {
        keys(&[(0.0, 0.0, [0.0, 1.0]), (0.4, 1.0, [0.5, 0.2]), (2.0, 3.0, [0.6, 0.9]), (2.5, 3.5, [1.5, 0.9])])
    }

    fn joints(keys: &KeyFrames, time: f64) -> Vec<f64> {
        keys.sample(time).unwrap().1
    }

    #[test]
    fn key_frames_are_met_and_kept_in_order() {
        let mut keys = uneven();
        for frame in keys.as_slice() {
            let (root, displacements) = keys.sample(frame.time).unwrap();
            assert_eq!(displacements, frame.displacements);
            assert!((root.translation.vector - frame.root.translation.vector).norm() < 1e-12);
            assert!(root.rotation.angle_to(&frame.root.rotation) < 1e-7, "{}", frame.time);
        }
        assert_eq!(joints(&keys, -1.0), [0.0, 1.0]);
        assert_eq!(joints(&keys, 9.0), [1.5, 0.9]);
        // One at the same time replaces the other.
        keys.insert(KeyFrame { displacements: vec![0.1, 0.1], ..keys.as_slice()[1].clone() });
        assert_eq!((keys.as_slice().len(), joints(&keys, 0.4)), (4, vec![0.1, 0.1]));
        assert!(keys.remove(7).is_none() && keys.remove(1).is_some());
        assert_eq!(keys.as_slice().len(), 3);
        assert_eq!(KeyFrames::default().sample(0.0), None);
    }

    #[test]
    fn velocities_are_continuous_and_zero_at_the_ends() {
        let keys = uneven();
        let step = 1e-6;
        let velocity = |time: f64, joint: usize| {
            (joints(&keys, time + step)[joint] - joints(&keys, time - step)[joint]) / (2.0 * step)
        };
        for joint in [0, 1] {
            for (time, side) in [(0.0, 2.0 * step), (2.5, -2.0 * step)] {
                assert!(velocity(time + side, joint).abs() < 1e-4, "{time}");
            }
            for time in [0.4, 2.0] {
                let (before, after) = (velocity(time - 2.0 * step, joint), velocity(time + 2.0 * step, joint));
                assert!((before - after).abs() < 1e-4, "{time}: {before} and {after}");
            }
        }
        // The first joint does not stop at the key frames between, the second turns back at the first of them.
        assert!(velocity(0.4, 0) > 0.05 && velocity(0.4, 1).abs() < 1e-4);
        let fastest = (1..2500).map(|step| velocity(f64::from(step) * 1e-3, 0).abs()).fold(0.0, f64::max);
        assert!((keys.top_speeds()[0] - fastest).abs() < 1e-3 * fastest, "{fastest} {:?}", keys.top_speeds());
    }

    #[test]
    fn no_joint_leaves_the_interval_between_two_key_frames() {
        let keys = uneven();
        for pair in keys.as_slice().windows(2) {
            for share in 0..=100 {
                let time = pair[0].time + f64::from(share) / 100.0 * (pair[1].time - pair[0].time);
                for (joint, value) in joints(&keys, time).into_iter().enumerate() {
                    let [a, b] = [0, 1].map(|index: usize| pair[index].displacements[joint]);
                    assert!((a.min(b)..=a.max(b)).contains(&value), "{time}: {value} between {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn a_motion_is_within_the_limits_and_ends_at_the_last_key_frame() {
        let motion = uneven().to_motion(50.0, &[[0.1, 1.2], [f64::NEG_INFINITY, f64::INFINITY]]).unwrap();
        let (Some(moved), Some(roots)) = (&motion.joint_displacements, &motion.link_positions) else { panic!() };
        assert_eq!((moved.num_frames(), moved.num_parts(), roots.num_parts()), (126, 2, 1));
        assert_eq!((moved.frame(0), moved.frame(125)), (&[0.1, 1.0][..], &[1.2, 0.9][..]));
        assert!(moved.frames().all(|frame| (0.1..=1.2).contains(&frame[0])));
        assert!(roots.frame(125)[0].rotation.angle() > 2.7, "3.5 rad are 2.78 rad the other way round");
        for (keys, rate) in [(KeyFrames::default(), 50.0), (uneven(), 0.0), (uneven(), f64::NAN), (uneven(), 1e9)] {
            assert!(keys.to_motion(rate, &[]).is_err(), "{rate}");
        }
        let late = keys(&[(0.0, 0.0, [0.0; 2]), (f64::INFINITY, 0.0, [0.0; 2])]);
        assert!(matches!(late.to_motion(50.0, &[]), Err(KeyFrameError::NotFinite(_))));
    }
}
