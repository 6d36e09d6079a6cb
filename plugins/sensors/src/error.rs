//! Sensors that cannot be simulated.

use bunraku_render::{PainterError, ViewError};
use thiserror::Error;

/// Why a sensor cannot be simulated as its model says.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SensorError {
    /// Its frame has no axes.
    #[error("its transform leaves it no axes at right angles")]
    NoFrame,
    /// Its picture is impossible.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Its picture was not drawn.
    #[error(transparent)]
    Painter(#[from] PainterError),
    /// More rays than memory should hold.
    #[error("a scan of {rays} rays is too large; at most {MAX_RAYS} are possible")]
    TooManyRays {
        /// How many it would have.
        rays: usize,
    },
    /// A range of angles that runs backwards or is no number.
    #[error(
        "the {axis} angles run from {min} to {max} rad in steps of {step} rad: the end must not be before the start, and a step not be negative"
    )]
    Angles {
        /// `yaw` or `pitch`.
        axis: &'static str,
        /// First angle.
        min: f64,
        /// Last angle.
        max: f64,
        /// From one to the next.
        step: f64,
    },
    /// Distances that leave nothing to measure.
    #[error("nothing can be measured between a min_distance of {min} m and a max_distance of {max} m")]
    Distances {
        /// Smallest measurable distance, m.
        min: f64,
        /// Largest measurable distance, m.
        max: f64,
    },
    /// A rate of samples that is not above 0.
    #[error("a rate of {0} Hz is impossible: it must be above 0")]
    Rate(f64),
    /// A share that is none.
    #[error("a detection rate of {0} is impossible: it is a share from 0 to 1")]
    DetectionRate(f64),
    /// A standard deviation that is none.
    #[error("an error deviation of {0} m is impossible: it must not be negative")]
    ErrorDeviation(f64),
}

/// Most rays of a scan.
pub const MAX_RAYS: usize = 1 << 24;

/// What spoils distances, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DistanceErrors {
    /// Share of the rays that is measured.
    detection_rate: f64,
    /// Standard deviation, m.
    deviation: f64,
}

impl DistanceErrors {
    pub fn new(detection_rate: f64, deviation: f64) -> Result<Self, SensorError> {
        if !(0.0..=1.0).contains(&detection_rate) {
            return Err(SensorError::DetectionRate(detection_rate));
        }
        if !(deviation >= 0.0 && deviation.is_finite()) {
            return Err(SensorError::ErrorDeviation(deviation));
        }
        Ok(Self { detection_rate, deviation })
    }

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.detection_rate >= 1.0 && self.deviation <= 0.0
    }

    /// A measured distance, +∞ if it is lost. Draws as many numbers for each ray whatever it meets, so that what one
    /// ray meets does not change the errors of the next.
    pub fn apply(&self, distance: f64, random: &mut crate::Random) -> f64 {
        let lost = self.detection_rate < 1.0 && random.uniform() >= self.detection_rate;
        let error = if self.deviation > 0.0 { self.deviation * random.normal() } else { 0.0 };
        if lost { f64::INFINITY } else { (distance + error).max(0.0) }
    }
}
