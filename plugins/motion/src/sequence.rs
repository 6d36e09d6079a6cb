use std::ops::RangeInclusive;

use nalgebra::Isometry3;

/// Displacement of each joint in joint order: rad for revolute, m for prismatic joints.
pub type JointDisplacements = Sequence<f64>;

/// World pose of each link frame, in link index order; often of the root link only.
pub type LinkPositions = Sequence<Isometry3<f64>>;

/// Default rate for the import of timed frames, Hz: that of the original.
pub(crate) const DEFAULT_RATE: f64 = 100.0;

/// A sequence of frames, each with the same number of parts (joints, links).
///
/// Frames are either at a fixed rate, frame `i` at `offset + i / frame_rate`, or have individual times.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence<T> {
    timing: Timing,
    num_parts: usize,
    /// Frame after frame, `num_parts` values each.
    values: Vec<T>,
    part_labels: Vec<String>,
}

/// Times of the frames of a [`Sequence`].
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// At a fixed rate.
    Rate {
        /// Frames per second, Hz; positive and finite.
        frame_rate: f64,
        /// Time of the first frame, s; finite.
        offset: f64,
    },
    /// At individual times.
    Times {
        /// Time of each frame, s; finite, strictly increasing.
        times: Vec<f64>,
        /// Rate for their import, Hz; positive and finite.
        frame_rate: f64,
    },
}

/// Reason why values do not form a [`Sequence`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SequenceError {
    /// The frame rate is invalid: zero, negative, not finite, or so small or large that times have no meaning.
    #[error("the frame rate must be positive, from 1e-9 to 1e12 Hz, not {0:?}")]
    FrameRate(f64),
    /// The time of the first frame is not finite.
    #[error("the time of the first frame must be a number of seconds, not {0}")]
    Offset(f64),
    /// The number of parts is 0.
    #[error("a frame needs at least one part")]
    NoParts,
    /// The number of values is not a multiple of the frame size.
    #[error("{found} values do not make whole frames of {expected}")]
    FrameSize {
        /// Number of values in a frame.
        expected: usize,
        /// Number of values given.
        found: usize,
    },
    /// The number of times differs from the number of frames.
    #[error("{times} times do not fit {frames} frames")]
    TimeCount {
        /// Number of times.
        times: usize,
        /// Number of frames.
        frames: usize,
    },
    /// A time is not finite or not later than the one before.
    #[error("the time of frame {frame}, {time} s, is not later than that of the frame before")]
    TimeOrder {
        /// Index of the frame.
        frame: usize,
        /// Its time, s.
        time: f64,
    },
    /// The number of frames at this rate would exceed the memory of any machine.
    #[error("{duration} s at {frame_rate} frames a second are too many frames")]
    TooManyFrames {
        /// Time from 0 or the first frame to the last, s.
        duration: f64,
        /// Frame rate, Hz.
        frame_rate: f64,
    },
}

impl<T> Sequence<T> {
    /// A sequence of `values`, frame after frame with `num_parts` each, at `frame_rate` (Hz) from 0 s on.
    ///
    /// # Errors
    /// If the rate is not positive and finite, `num_parts` is 0, or the values do not fill whole frames.
    pub fn new(frame_rate: f64, num_parts: usize, values: Vec<T>) -> Result<Self, SequenceError> {
        check_rate(frame_rate)?;
        check_parts(num_parts, values.len())?;
        let timing = Timing::Rate { frame_rate, offset: 0.0 };
        Ok(Self { timing, num_parts, values, part_labels: Vec::new() })
    }

    /// A sequence of frames with individual times (s). Its rate for an import is 100 Hz, as in the original; see
    /// [`with_frame_rate`](Self::with_frame_rate).
    ///
    /// # Errors
    /// If `num_parts` is 0, the number of values is not a multiple of the frame size, the number of times differs from
    /// that of frames, or the times are not finite and strictly increasing.
    pub fn timed(times: Vec<f64>, num_parts: usize, values: Vec<T>) -> Result<Self, SequenceError> {
        check_parts(num_parts, values.len())?;
        let frames = values.len() / num_parts;
        if times.len() != frames {
            return Err(SequenceError::TimeCount { times: times.len(), frames });
        }
        let mut before = None;
        for (frame, &time) in times.iter().enumerate() {
            check_time(frame, time, before)?;
            before = Some(time);
        }
        let timing = Timing::Times { times, frame_rate: DEFAULT_RATE };
        Ok(Self { timing, num_parts, values, part_labels: Vec::new() })
    }

    /// Sets the frame rate (Hz): frames at a fixed rate become faster or slower, timed ones are imported at it.
    ///
    /// # Errors
    /// If the rate is not positive and finite.
    pub fn with_frame_rate(mut self, rate: f64) -> Result<Self, SequenceError> {
        check_rate(rate)?;
        match &mut self.timing {
            Timing::Rate { frame_rate, .. } | Timing::Times { frame_rate, .. } => *frame_rate = rate,
        }
        Ok(self)
    }

    /// Sets the time of the first frame (s). Timed frames keep their times.
    ///
    /// # Errors
    /// If the time is not finite.
    pub fn with_offset(mut self, time: f64) -> Result<Self, SequenceError> {
        if !time.is_finite() {
            return Err(SequenceError::Offset(time));
        }
        if let Timing::Rate { offset, .. } = &mut self.timing {
            *offset = time;
        }
        Ok(self)
    }

    /// Sets the names of the parts.
    #[must_use]
    pub fn with_part_labels(mut self, labels: Vec<String>) -> Self {
        self.part_labels = labels;
        self
    }

    /// Times of the frames.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Frame rate, Hz; for timed frames the rate for their import. Positive and finite.
    pub fn frame_rate(&self) -> f64 {
        match self.timing {
            Timing::Rate { frame_rate, .. } | Timing::Times { frame_rate, .. } => frame_rate,
        }
    }

    /// The times of timed frames, s; `None` for frames at a fixed rate.
    pub fn times(&self) -> Option<&[f64]> {
        match &self.timing {
            Timing::Rate { .. } => None,
            Timing::Times { times, .. } => Some(times),
        }
    }

    /// Time of frame `index`, s; past the last timed frame, that of the last.
    pub fn time(&self, index: usize) -> f64 {
        match &self.timing {
            // A quotient instead of a product: frame 3 at 10 Hz is at 0.3 s.
            Timing::Rate { frame_rate, offset } => offset + index as f64 / frame_rate,
            Timing::Times { times, .. } => times.get(index).or(times.last()).copied().unwrap_or(0.0),
        }
    }

    /// Time of the first frame, s; 0 without frames.
    pub fn start(&self) -> f64 {
        if self.values.is_empty() { 0.0 } else { self.time(0) }
    }

    /// Time of the last frame, s; 0 without frames.
    pub fn end(&self) -> f64 {
        self.num_frames().checked_sub(1).map_or(0.0, |last| self.time(last))
    }

    /// Time from the first frame to the last, s; 0 without frames.
    pub fn duration(&self) -> f64 {
        match &self.timing {
            Timing::Rate { frame_rate, .. } => self.num_frames().saturating_sub(1) as f64 / frame_rate,
            Timing::Times { .. } => self.end() - self.start(),
        }
    }

    /// Names of the parts, if given; there may be fewer or more than parts.
    pub fn part_labels(&self) -> &[String] {
        &self.part_labels
    }

    /// Number of values in a frame (joints, links); at least 1.
    pub fn num_parts(&self) -> usize {
        self.num_parts
    }

    /// Number of frames.
    pub fn num_frames(&self) -> usize {
        self.values.len() / self.num_parts
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
    /// The same frames with every part converted by `change`, which gets the time of the frame, s.
    pub fn map<U>(&self, mut change: impl FnMut(f64, &T) -> U) -> Sequence<U> {
        let time_of = |index: usize| self.time(index / self.num_parts);
        let values = self.values.iter().enumerate().map(|(index, value)| change(time_of(index), value)).collect();
        let (timing, part_labels) = (self.timing.clone(), self.part_labels.clone());
        Sequence { timing, num_parts: self.num_parts, values, part_labels }
    }

    /// Appends a frame. If frames are timed, its time is one period of the frame rate after the last.
    ///
    /// # Errors
    /// If `frame` has not exactly [`num_parts`](Self::num_parts) values.
    pub fn push(&mut self, frame: &[T]) -> Result<(), SequenceError> {
        if frame.len() != self.num_parts {
            return Err(SequenceError::FrameSize { expected: self.num_parts, found: frame.len() });
        }
        let num_frames = self.num_frames();
        if let Timing::Times { times, frame_rate } = &mut self.timing {
            let before = times.last().copied();
            let time = before.map_or(0.0, |before| before + 1.0 / *frame_rate);
            check_time(num_frames, time, before)?;
            times.push(time);
        }
        self.values.extend_from_slice(frame);
        Ok(())
    }
}

/// Valid frame rates, Hz: from one frame in thirty years, below which times of many frames overflow, to one in a
/// picosecond.
const RATES: RangeInclusive<f64> = 1e-9..=1e12;

/// Whether a frame rate (Hz) is valid.
pub(crate) fn is_rate(rate: f64) -> bool {
    RATES.contains(&rate)
}

pub(crate) fn check_rate(rate: f64) -> Result<(), SequenceError> {
    if is_rate(rate) { Ok(()) } else { Err(SequenceError::FrameRate(rate)) }
}

fn check_parts(num_parts: usize, num_values: usize) -> Result<(), SequenceError> {
    if num_parts == 0 {
        return Err(SequenceError::NoParts);
    }
    if !num_values.is_multiple_of(num_parts) {
        return Err(SequenceError::FrameSize { expected: num_parts, found: num_values });
    }
    Ok(())
}

fn check_time(frame: usize, time: f64, before: Option<f64>) -> Result<(), SequenceError> {
    let is_later = time.is_finite() && before.is_none_or(|before| time > before);
    if is_later { Ok(()) } else { Err(SequenceError::TimeOrder { frame, time }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joints() -> JointDisplacements {
        Sequence::new(10.0, 2, vec![0.1, 1.0, 0.3, 3.0, 0.7, -1.0]).unwrap()
    }

    #[test]
    fn times_are_those_of_the_rate_or_their_own() {
        let fixed = joints().with_offset(1.0).unwrap();
        assert_eq!((fixed.start(), fixed.time(1), fixed.end(), fixed.duration()), (1.0, 1.1, 1.2, 0.2));
        assert_eq!(fixed.times(), None);
        let timed = Sequence::timed(vec![0.5, 0.75, 2.0], 1, vec![1.0, 2.0, 3.0]).unwrap();
        assert_eq!((timed.start(), timed.time(1), timed.end(), timed.duration()), (0.5, 0.75, 2.0, 1.5));
        assert_eq!((timed.frame_rate(), timed.times()), (100.0, Some(&[0.5, 0.75, 2.0][..])));
        assert_eq!(timed.clone().with_offset(9.0).unwrap(), timed);
        assert_eq!(timed.with_frame_rate(4.0).unwrap().frame_rate(), 4.0);
        assert!(joints().with_offset(f64::INFINITY).is_err() && joints().with_frame_rate(-1.0).is_err());
    }

    #[test]
    fn times_go_forward() {
        let timed = |times: &[f64]| Sequence::timed(times.to_vec(), 1, vec![0.0; 2]);
        assert_eq!(timed(&[0.0]), Err(SequenceError::TimeCount { times: 1, frames: 2 }));
        for second in [0.5, 0.4, f64::NAN, f64::INFINITY] {
            assert!(matches!(timed(&[0.5, second]), Err(SequenceError::TimeOrder { frame: 1, .. })), "{second}");
        }
        let mut timed = timed(&[0.5, 0.75]).unwrap().with_frame_rate(4.0).unwrap();
        timed.push(&[1.0]).unwrap();
        assert_eq!(timed.times(), Some(&[0.5, 0.75, 1.0][..]));
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
