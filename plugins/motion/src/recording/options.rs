use std::time::Duration;

use super::RecordError;

/// Frames of a recording that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Recording {
    /// All frames.
    #[default]
    Full,
    /// The last frames, so that a recording of several days fits on the disk.
    Tail {
        /// Time from the first kept frame to the last, s, both included: `round(duration · rate) + 1` frames. Positive
        /// and finite.
        duration: f64,
    },
}

/// Options of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordOptions {
    /// Frames that are kept.
    pub recording: Recording,
    /// Maximum time that frames wait in memory while others come; they are lost if the process dies.
    pub flush_interval: Duration,
}

impl Default for RecordOptions {
    /// All frames are kept, and written within a second.
    fn default() -> Self {
        Self { recording: Recording::Full, flush_interval: Duration::from_secs(1) }
    }
}

impl Recording {
    /// Number of kept frames at `frame_rate` (Hz, positive and finite); at least 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast of a positive duration saturates"
    )]
    pub(super) fn num_kept(self, frame_rate: f64) -> Result<usize, RecordError> {
        match self {
            Self::Full => Ok(usize::MAX),
            Self::Tail { duration } if duration > 0.0 && duration.is_finite() => {
                Ok(((duration * frame_rate).round() as usize).saturating_add(1))
            }
            Self::Tail { duration } => Err(RecordError::Duration(duration)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_has_the_frame_at_its_beginning_too() {
        for (duration, rate, kept) in
            [(2.0, 10.0, 21), (0.3, 10.0, 4), (0.04, 10.0, 1), (0.06, 10.0, 2), (1e300, 1e300, usize::MAX)]
        {
            assert_eq!(Recording::Tail { duration }.num_kept(rate).unwrap(), kept, "{duration} s at {rate} Hz");
        }
    }

    #[test]
    fn a_tail_of_zero_duration_is_refused() {
        for duration in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Recording::Tail { duration }.num_kept(10.0), Err(RecordError::Duration(_))));
        }
    }
}
