use nalgebra::Isometry3;

use crate::Interpolate;

/// Displacement of each joint in joint order: rad for revolute, m for prismatic joints.
pub type JointDisplacements = Sequence<f64>;

/// World pose of each link frame, in link index order; often of the root link only.
pub type LinkPositions = Sequence<Isometry3<f64>>;

/// How near a time must be to a frame, in frames, to be that frame. Far above the rounding of `i / rate * rate`,
/// far below anything a recording can tell apart.
pub(crate) const FRAME_TOLERANCE: f64 = 1e-6;

/// Frames at a fixed rate, each with the same number of parts (joints, links). Frame `i` is at `i / frame_rate`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence<T> {
    frame_rate: f64,
    num_parts: usize,
    /// Frame after frame, `num_parts` each.
    values: Vec<T>,
}

/// Why values do not make a [`Sequence`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SequenceError {
    /// The rate is zero, negative or not finite.
    #[error("the frame rate must be a positive number of hertz, not {0}")]
    FrameRate(f64),
    /// There are no parts.
    #[error("a frame needs at least one part")]
    NoParts,
    /// The values do not fill whole frames.
    #[error("{found} values do not make whole frames of {expected}")]
    FrameSize {
        /// Values a frame has.
        expected: usize,
        /// Values there were.
        found: usize,
    },
}

impl<T> Sequence<T> {
    /// A sequence of `values`, frame after frame with `num_parts` each, at `frame_rate` (Hz).
    ///
    /// # Errors
    /// If the rate is not positive and finite, `num_parts` is 0, or the values do not fill whole frames.
    pub fn new(frame_rate: f64, num_parts: usize, values: Vec<T>) -> Result<Self, SequenceError> {
        if !(frame_rate > 0.0 && frame_rate.is_finite()) {
            return Err(SequenceError::FrameRate(frame_rate));
        }
        if num_parts == 0 {
            return Err(SequenceError::NoParts);
        }
        if !values.len().is_multiple_of(num_parts) {
            return Err(SequenceError::FrameSize { expected: num_parts, found: values.len() });
        }
        Ok(Self { frame_rate, num_parts, values })
    }

    /// Frames per second, Hz; positive and finite.
    pub fn frame_rate(&self) -> f64 {
        self.frame_rate
    }

    /// Values a frame has (joints, links); at least 1.
    pub fn num_parts(&self) -> usize {
        self.num_parts
    }

    /// How many frames there are.
    pub fn num_frames(&self) -> usize {
        self.values.len() / self.num_parts
    }

    /// Time of the last frame, s; 0 without frames.
    pub fn duration(&self) -> f64 {
        self.num_frames().saturating_sub(1) as f64 / self.frame_rate
    }

    /// The parts of frame `index`; empty past the end.
    pub fn frame(&self, index: usize) -> &[T] {
        let Some(start) = index.checked_mul(self.num_parts) else { return &[] };
        self.values.get(start..).and_then(|rest| rest.get(..self.num_parts)).unwrap_or_default()
    }

    /// The frames in order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.values.chunks_exact(self.num_parts)
    }

    /// All values, frame after frame.
    pub fn values(&self) -> &[T] {
        &self.values
    }
}

impl<T: Copy> Sequence<T> {
    /// Appends a frame.
    ///
    /// # Errors
    /// If `frame` has not exactly [`num_parts`](Self::num_parts) values.
    pub fn push(&mut self, frame: &[T]) -> Result<(), SequenceError> {
        if frame.len() != self.num_parts {
            return Err(SequenceError::FrameSize { expected: self.num_parts, found: frame.len() });
        }
        self.values.extend_from_slice(frame);
        Ok(())
    }
}

impl<T: Interpolate> Sequence<T> {
    /// The state at `time` (s) into `out`: interpolated between the two frames around it, the first or last frame
    /// outside. At the time of a frame, give or take a millionth of a frame, it is that frame bit for bit.
    ///
    /// With fewer or more places in `out` than parts, the common ones are written; without frames, nothing is.
    pub fn sample(&self, time: f64, out: &mut [T]) {
        let Some(last) = self.num_frames().checked_sub(1) else { return };
        // A time that is not a number becomes 0.
        let position = (time * self.frame_rate).max(0.0).min(last as f64);
        let nearest = position.round();
        if (position - nearest).abs() <= FRAME_TOLERANCE {
            for (out, value) in out.iter_mut().zip(self.frame(nearest as usize)) {
                *out = *value;
            }
            return;
        }
        let before = position.floor();
        let (index, fraction) = (before as usize, position - before);
        for ((out, from), to) in out.iter_mut().zip(self.frame(index)).zip(self.frame(index + 1)) {
            *out = from.interpolate(to, fraction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joints() -> JointDisplacements {
        Sequence::new(10.0, 2, vec![0.1, 1.0, 0.3, 3.0, 0.7, -1.0]).unwrap()
    }

    fn sample(time: f64) -> [f64; 2] {
        let mut out = [f64::NAN; 2];
        joints().sample(time, &mut out);
        out
    }

    #[test]
    fn a_frame_is_met_bit_for_bit() {
        assert_eq!(sample(0.0), [0.1, 1.0]);
        assert_eq!(sample(0.1), [0.3, 3.0]);
        assert_eq!(sample(0.1 + 0.9e-7), [0.3, 3.0]);
        assert_eq!(sample(0.1 - 0.9e-7), [0.3, 3.0]);
        assert_ne!(sample(0.1 + 2e-7), [0.3, 3.0]);
        // Every frame of a long sequence is met by i / rate, although the product rounds.
        let values: Vec<f64> = (0..200_000).map(|i| f64::from(i) * 0.1).collect();
        let long = Sequence::new(333.0, 1, values.clone()).unwrap();
        for (i, value) in values.iter().enumerate() {
            let mut out = [0.0];
            long.sample(i as f64 / 333.0, &mut out);
            assert_eq!(out[0].to_bits(), value.to_bits());
        }
    }

    #[test]
    fn between_frames_it_is_linear() {
        let [a, b] = sample(0.15);
        assert!((a - 0.5).abs() < 1e-12 && (b - 1.0).abs() < 1e-12);
    }

    #[test]
    fn outside_it_holds_the_ends() {
        for time in [-1.0, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(sample(time), [0.1, 1.0]);
        }
        for time in [0.2, 5.0, f64::INFINITY] {
            assert_eq!(sample(time), [0.7, -1.0]);
        }
    }

    #[test]
    fn the_common_parts_are_written() {
        let mut out = [9.0; 3];
        joints().sample(0.1, &mut out);
        assert_eq!(out, [0.3, 3.0, 9.0]);
        let mut out = [9.0; 1];
        joints().sample(0.15, &mut out);
        assert!((out[0] - 0.5).abs() < 1e-12);
        let mut out = [9.0; 1];
        JointDisplacements::new(1.0, 1, Vec::new()).unwrap().sample(0.0, &mut out);
        assert_eq!(out, [9.0]);
    }

    #[test]
    fn frames_have_one_size() {
        assert_eq!(Sequence::new(0.0, 1, vec![1.0]), Err(SequenceError::FrameRate(0.0)));
        assert!(Sequence::new(f64::NAN, 1, vec![1.0]).is_err());
        assert_eq!(Sequence::new(1.0, 0, vec![1.0]), Err(SequenceError::NoParts));
        assert_eq!(Sequence::new(1.0, 2, vec![1.0]), Err(SequenceError::FrameSize { expected: 2, found: 1 }));
        let mut joints = joints();
        assert!(joints.push(&[1.0]).is_err());
        joints.push(&[1.0, 2.0]).unwrap();
        assert_eq!(joints.num_frames(), 4);
        assert_eq!(joints.frame(3), [1.0, 2.0]);
        assert!(joints.frame(4).is_empty() && joints.frame(usize::MAX).is_empty());
        assert!((joints.duration() - 0.3).abs() < 1e-12);
    }
}
