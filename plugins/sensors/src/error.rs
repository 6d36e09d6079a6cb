//! Errors of sensors that cannot be simulated.

use bunraku_render::{PainterError, Reach, ViewError};
use thiserror::Error;

/// Reason why a sensor cannot be simulated with the data of its model.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SensorError {
    /// Its frame is degenerate.
    #[error("its transform is degenerate: it has no orthogonal axes")]
    NoFrame,
    /// Its view is invalid.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Its image could not be rendered.
    #[error(transparent)]
    Painter(#[from] PainterError),
    /// The number of rays exceeds the limit.
    #[error("a scan of {rays} rays is too large; at most {MAX_RAYS} are possible")]
    TooManyRays {
        /// Number of rays.
        rays: usize,
    },
    /// A range of angles is decreasing or not finite.
    #[error(
        "the {axis} angles run from {min} to {max} rad in steps of {step} rad: the end must not be below the start, and the step must not be negative"
    )]
    Angles {
        /// `yaw` or `pitch`.
        axis: &'static str,
        /// First angle.
        min: f64,
        /// Last angle.
        max: f64,
        /// Step.
        step: f64,
    },
    /// The range of distances is empty.
    #[error("the range from a min_distance of {min} m to a max_distance of {max} m is empty")]
    Distances {
        /// Smallest measurable distance, m.
        min: f64,
        /// Largest measurable distance, m.
        max: f64,
    },
    /// The sample rate is not positive, or infinite.
    #[error("a rate of {0} Hz is impossible: it must be above 0 and finite")]
    Rate(f64),
    /// The detection rate is invalid.
    #[error("a detection rate of {0} is impossible: it is a fraction from 0 to 1")]
    DetectionRate(f64),
    /// The standard deviation is invalid.
    #[error("an error deviation of {0} m is impossible: it must not be negative")]
    ErrorDeviation(f64),
    /// A property of a scene is out of range.
    #[error("`{name}` is {value}, but must be {range}")]
    Option {
        /// Key of the scene.
        name: &'static str,
        /// Value.
        value: f64,
        /// Allowed values.
        range: &'static str,
    },
}

pub use bunraku_body::MAX_RAYS;

/// Validated error parameters of distance measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DistanceErrors {
    /// Fraction of the rays that give a measurement.
    detection_rate: f64,
    /// Standard deviation at distance 0, m.
    deviation: f64,
    /// Increase of the standard deviation with the distance, m/m.
    growth: f64,
}

impl DistanceErrors {
    pub fn new(detection_rate: f64, deviation: f64) -> Result<Self, SensorError> {
        if !(0.0..=1.0).contains(&detection_rate) {
            return Err(SensorError::DetectionRate(detection_rate));
        }
        if !(deviation >= 0.0 && deviation.is_finite()) {
            return Err(SensorError::ErrorDeviation(deviation));
        }
        Ok(Self { detection_rate, deviation, growth: 0.0 })
    }

    /// The same errors with a standard deviation that increases by `growth` m in each metre.
    pub fn growing(self, growth: f64) -> Self {
        Self { growth, ..self }
    }

    /// Whether there are no errors.
    pub fn is_none(&self) -> bool {
        self.detection_rate >= 1.0 && self.deviation <= 0.0 && self.growth <= 0.0
    }

    /// A measured distance, +∞ if it is lost or, with its error, outside the measurable distances. Draws the same number
    /// of random numbers for each ray, so that a hit of one ray does not change the errors of the next.
    pub fn apply(&self, distance: f64, measurable: Reach, random: &mut crate::Random) -> f64 {
        let lost = self.detection_rate < 1.0 && random.uniform() >= self.detection_rate;
        let has_error = self.deviation > 0.0 || self.growth > 0.0;
        let error = if has_error { (self.deviation + self.growth * distance) * random.normal() } else { 0.0 };
        let measured = distance + error;
        let is_measured = !lost && (measurable.min..=measurable.max).contains(&measured);
        if is_measured { measured } else { f64::INFINITY }
    }
}
