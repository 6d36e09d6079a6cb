//! Sampling of a motion at any time, and conversion to other rates.

use crate::sequence::{SequenceError, Timing, check_rate};
use crate::{Interpolate, Sequence};

/// Tolerance, in frames, for a time to be that of a frame. Far above the rounding of `i / rate * rate`, far below any
/// relevant difference.
pub(crate) const FRAME_TOLERANCE: f64 = 1e-6;

/// Interpolation between two frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampling {
    /// The frame before.
    Hold,
    /// The nearer frame; at the midpoint, the later one.
    Nearest,
    /// Linear interpolation, rotations along the shorter arc.
    #[default]
    Linear,
}

/// Position of a time among the frames.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Location {
    /// At the frame with this index.
    At(usize),
    /// After the frame with this index, at this fraction of the distance to the next.
    After(usize, f64),
}

/// Maximum size of a resampled sequence, bytes, unless it is a small multiple of the original size. A log with times in
/// seconds since 1970 would need more memory than any machine has.
const MAX_BYTES: usize = 1 << 29;
const MAX_GROWTH: usize = 8;

impl<T> Sequence<T> {
    /// Position of `time`; `None` without frames. Times before the first or after the last frame give that frame.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positions are from 0 to the last frame"
    )]
    fn locate(&self, time: f64) -> Option<Location> {
        let last = self.num_frames().checked_sub(1)?;
        let position = match self.timing() {
            // NaN gives the first frame.
            Timing::Rate { frame_rate, offset } => ((time - offset) * frame_rate).max(0.0).min(last as f64),
            Timing::Times { times, .. } => {
                let Some(before) = times.partition_point(|&known| known <= time).checked_sub(1) else {
                    return Some(Location::At(0));
                };
                match (times.get(before), times.get(before + 1)) {
                    (Some(from), Some(to)) => before as f64 + (time - from) / (to - from),
                    _ => last as f64,
                }
            }
        };
        let nearest = position.round();
        Some(if (position - nearest).abs() <= FRAME_TOLERANCE {
            Location::At(nearest as usize)
        } else {
            Location::After(position.floor() as usize, position - position.floor())
        })
    }
}

impl<T: Interpolate> Sequence<T> {
    /// Writes the state at `time` (s) to `out`: interpolated linearly between the two surrounding frames; outside, the
    /// first or last frame. At the time of a frame, to a millionth of a frame, the result is bit-identical to that
    /// frame.
    ///
    /// If `out` has fewer or more entries than there are parts, the common ones are written; without frames, none.
    pub fn sample(&self, time: f64, out: &mut [T]) {
        self.sample_by(Sampling::Linear, time, out);
    }

    /// As [`sample`](Self::sample), with another interpolation.
    pub fn sample_by(&self, sampling: Sampling, time: f64, out: &mut [T]) {
        let Some(location) = self.locate(time) else { return };
        let index = match (location, sampling) {
            (Location::At(index), _) | (Location::After(index, _), Sampling::Hold) => index,
            (Location::After(index, fraction), Sampling::Nearest) => index + usize::from(fraction >= 0.5),
            (Location::After(index, fraction), Sampling::Linear) => {
                for ((out, from), to) in out.iter_mut().zip(self.frame(index)).zip(self.frame(index + 1)) {
                    *out = from.interpolate(to, fraction);
                }
                return;
            }
        };
        for (out, value) in out.iter_mut().zip(self.frame(index)) {
            *out = *value;
        }
    }

    /// The sequence at another fixed rate (Hz), from its first frame to the last frame not after its end.
    ///
    /// # Errors
    /// If the rate is not positive and finite or gives too many frames.
    pub fn resample(&self, frame_rate: f64, sampling: Sampling) -> Result<Self, SequenceError> {
        let num_frames = match self.num_frames() {
            0 => 0,
            _ => self.count_frames(self.duration(), frame_rate)?,
        };
        let mut values = Vec::with_capacity(num_frames * self.num_parts());
        let mut frame = self.frame(0).to_vec();
        for index in 0..num_frames {
            self.sample_by(sampling, self.start() + index as f64 / frame_rate, &mut frame);
            values.extend_from_slice(&frame);
        }
        let resampled = Self::new(frame_rate, self.num_parts(), values)?.with_offset(self.start())?;
        Ok(resampled.with_part_labels(self.part_labels().to_vec()))
    }

    /// Converts timed frames to a fixed rate, that of the sequence, from 0 s on.
    ///
    /// With [`Sampling::Hold`], as in the manual: a frame is assigned to the first frame of the new sequence at or
    /// after its time, and is held until the next one. Otherwise the new frames are samples with the given
    /// interpolation; the last one is the first at or after the end. Times before the first frame get the first frame.
    /// A sequence at a fixed rate is unchanged.
    ///
    /// # Errors
    /// If there would be too many frames.
    pub fn import(&self, sampling: Sampling) -> Result<Self, SequenceError> {
        let Timing::Times { times, frame_rate } = self.timing() else { return Ok(self.clone()) };
        let slot = |time: f64| (time * frame_rate - FRAME_TOLERANCE).ceil();
        // If frames are before 0 s, the new sequence begins before 0 s, too.
        let first = times.first().map_or(0.0, |&time| slot(time).min(0.0));
        let last = times.last().map_or(-1.0, |&time| slot(time));
        let num_frames = match self.num_frames() {
            0 => 0,
            _ => self.count_frames((last - first) / frame_rate, *frame_rate)?,
        };
        let mut values: Vec<T> = Vec::with_capacity(num_frames * self.num_parts());
        let mut frame = self.frame(0).to_vec();
        let mut next = 0;
        for index in 0..num_frames {
            let at = first + index as f64;
            if sampling == Sampling::Hold {
                while times.get(next).is_some_and(|&time| slot(time) <= at) {
                    frame.copy_from_slice(self.frame(next));
                    next += 1;
                }
            } else {
                self.sample_by(sampling, at / frame_rate, &mut frame);
            }
            values.extend_from_slice(&frame);
        }
        let imported = Self::new(*frame_rate, self.num_parts(), values)?.with_offset(first / frame_rate)?;
        Ok(imported.with_part_labels(self.part_labels().to_vec()))
    }

    /// The same frames, each with an individual time.
    pub fn with_times(&self) -> Self {
        let times = (0..self.num_frames()).map(|index| self.time(index)).collect();
        Self::timed(times, self.num_parts(), self.values().to_vec())
            .and_then(|timed| timed.with_frame_rate(self.frame_rate()))
            .map_or_else(|_| self.clone(), |timed| timed.with_part_labels(self.part_labels().to_vec()))
    }

    /// Number of frames in a time span, including both ends.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number of frames is checked")]
    fn count_frames(&self, duration: f64, frame_rate: f64) -> Result<usize, SequenceError> {
        check_rate(frame_rate)?;
        let frames = (duration * frame_rate + FRAME_TOLERANCE).floor() + 1.0;
        let frame_bytes = (self.num_parts() * size_of::<T>()).max(1);
        let most = (MAX_BYTES / frame_bytes).max(self.num_frames().saturating_mul(MAX_GROWTH));
        if frames <= most as f64 {
            Ok(frames as usize)
        } else {
            Err(SequenceError::TooManyFrames { duration, frame_rate })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JointDisplacements;

    fn joints() -> JointDisplacements {
        Sequence::new(10.0, 2, vec![0.1, 1.0, 0.3, 3.0, 0.7, -1.0]).unwrap()
    }

    fn sample(time: f64) -> [f64; 2] {
        let mut out = [f64::NAN; 2];
        joints().sample(time, &mut out);
        out
    }

    #[test]
    fn a_frame_is_sampled_bit_for_bit() {
        assert_eq!(sample(0.0), [0.1, 1.0]);
        assert_eq!(sample(0.1), [0.3, 3.0]);
        assert_eq!(sample(0.1 + 0.9e-7), [0.3, 3.0]);
        assert_eq!(sample(0.1 - 0.9e-7), [0.3, 3.0]);
        assert_ne!(sample(0.1 + 2e-7), [0.3, 3.0]);
        // Every frame of a long sequence is found at i / rate, although the product rounds.
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
    fn the_rules_between_frames() {
        let by = |sampling, time| {
            let mut out = [f64::NAN; 2];
            joints().sample_by(sampling, time, &mut out);
            out[1]
        };
        for (time, hold, nearest) in
            [(0.0, 1.0, 1.0), (0.04, 1.0, 1.0), (0.05, 1.0, 3.0), (0.06, 1.0, 3.0), (0.1, 3.0, 3.0)]
        {
            assert_eq!((by(Sampling::Hold, time), by(Sampling::Nearest, time)), (hold, nearest), "{time}");
        }
    }

    fn timed() -> JointDisplacements {
        Sequence::timed(vec![0.0, 0.11, 0.29], 1, vec![1.0, 2.0, 3.0]).unwrap().with_frame_rate(10.0).unwrap()
    }

    #[test]
    fn timed_frames_are_sampled_and_interpolated() {
        let by = |sampling, time| {
            let mut out = [f64::NAN];
            timed().sample_by(sampling, time, &mut out);
            out[0]
        };
        assert_eq!((by(Sampling::Linear, 0.11), by(Sampling::Linear, 0.29)), (2.0, 3.0));
        assert!((by(Sampling::Linear, 0.2) - 2.5).abs() < 1e-12);
        assert_eq!((by(Sampling::Hold, 0.28), by(Sampling::Nearest, 0.21)), (2.0, 3.0));
        assert_eq!(
            (by(Sampling::Linear, -1.0), by(Sampling::Linear, f64::NAN), by(Sampling::Linear, 9.0)),
            (1.0, 1.0, 3.0)
        );
    }

    #[test]
    fn a_timed_frame_goes_to_the_first_frame_at_or_after_it() {
        assert_eq!(timed().import(Sampling::Hold).unwrap().values(), [1.0, 1.0, 2.0, 3.0]);
        // 0.29 · 100 is 28.999…, and 0.07 · 100 is 7.000…1.
        let rounded = Sequence::timed(vec![0.0, 0.07, 0.29], 1, vec![1.0, 2.0, 3.0]).unwrap();
        let imported = rounded.import(Sampling::Hold).unwrap();
        assert_eq!(imported.num_frames(), 30);
        assert_eq!((imported.frame(6), imported.frame(7), imported.frame(28)), (&[1.0][..], &[2.0][..], &[2.0][..]));
        // Of two on the same frame the later one is used.
        let close = Sequence::timed(vec![0.0, 0.001, 0.002], 1, vec![1.0, 2.0, 3.0]).unwrap();
        assert_eq!(close.import(Sampling::Hold).unwrap().values(), [1.0, 3.0]);
        // Before the first frame there is only the first frame to hold.
        let late = Sequence::timed(vec![0.02, 0.03], 1, vec![1.0, 2.0]).unwrap();
        assert_eq!(late.import(Sampling::Hold).unwrap().values(), [1.0, 1.0, 1.0, 2.0]);
        let early = Sequence::timed(vec![-0.02, 0.01], 1, vec![1.0, 2.0]).unwrap().import(Sampling::Hold).unwrap();
        assert_eq!((early.values(), early.start()), (&[1.0, 1.0, 1.0, 2.0][..], -0.02));
    }

    #[test]
    fn an_interpolated_import_lies_on_the_lines() {
        let imported = timed().import(Sampling::Linear).unwrap();
        let expected = [1.0, 1.0 + 1.0 / 1.1, 2.5, 3.0];
        assert_eq!(imported.num_frames(), 4);
        for (value, expected) in imported.values().iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        }
    }

    #[test]
    fn a_sequence_survives_resampling_and_back() {
        let twice = joints().resample(20.0, Sampling::Linear).unwrap();
        assert_eq!((twice.num_frames(), twice.frame_rate()), (5, 20.0));
        assert_eq!(twice.resample(10.0, Sampling::Linear).unwrap(), joints());
        let shifted = joints().with_offset(3.0).unwrap().resample(20.0, Sampling::Hold).unwrap();
        assert_eq!((shifted.start(), shifted.frame(1)), (3.0, &[0.1, 1.0][..]));
        let with_times = joints().with_times();
        assert_eq!(with_times.times(), Some(&[0.0, 0.1, 0.2][..]));
        assert_eq!(with_times.import(Sampling::Hold).unwrap(), joints());
    }

    #[test]
    fn more_frames_than_a_machine_holds_are_an_error() {
        let log = Sequence::timed(vec![0.0, 1.7e9], 1, vec![0.0; 2]).unwrap();
        assert!(matches!(log.import(Sampling::Hold), Err(SequenceError::TooManyFrames { .. })));
        assert!(matches!(log.resample(1e9, Sampling::Hold), Err(SequenceError::TooManyFrames { .. })));
        assert!(
            joints().resample(0.0, Sampling::Hold).is_err() && joints().resample(f64::NAN, Sampling::Hold).is_err()
        );
    }
}
