use std::time::Duration;

use super::RecordError;

/// Which frames of a recording are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Recording {
    /// All of them.
    #[default]
    Full,
    /// The last ones only, so that a recording that goes on for days fits on the disk.
    Tail {
        /// Seconds from the first frame kept to the last, both included: `round(duration · rate) + 1` frames. Positive
        /// and finite.
        duration: f64,
    },
}

/// How a recording is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordOptions {
    /// Which frames are kept.
    pub recording: Recording,
    /// How long frames may wait in memory, and be lost with the process, while others come.
    pub flush_interval: Duration,
}

impl Default for RecordOptions {
    /// All frames, each on its way to the disk within a second.
    fn default() -> Self {
        Self { recording: Recording::Full, flush_interval: Duration::from_secs(1) }
    }
}

impl Recording {
    /// How many frames are kept at `frame_rate` (Hz, positive and finite); at least 1.
    pub(super) fn num_kept(self, frame_rate: f64) -> Result<usize, RecordError> {
        match self {
            Self::Full => Ok(usize::MAX),
            // A time without end, as far as this machine goes, ends at the largest number.
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
    fn a_tail_of_no_time_is_refused() {
        for duration in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Recording::Tail { duration }.num_kept(10.0), Err(RecordError::Duration(_))));
        }
    }
}
