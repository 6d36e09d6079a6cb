//! Path of a vector from its exact value to the measured one.

use nalgebra::Vector3;

use crate::noise::Random;
use crate::vector_error::{ErrorState, VectorError};

/// Filter, errors and limits of a sensor that measures a vector; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Channel {
    /// Largest absolute reading along each axis of the sensor frame; `None` is unlimited.
    pub limit: Option<Vector3<f64>>,
    /// Errors.
    pub error: VectorError,
    /// Cut-off frequency of a low-pass filter of first order, Hz; `None` without a filter.
    pub cut_off: Option<f64>,
}

/// State of a channel; all of it, so that a copy continues exactly like the original.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct ChannelState {
    filtered: Option<Vector3<f64>>,
    error: ErrorState,
}

impl Channel {
    /// A channel without errors.
    pub fn limited(limit: Option<Vector3<f64>>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Whether each step counts, also one without a sample.
    pub fn has_filter(&self) -> bool {
        self.cut_off.is_some()
    }

    /// The filtered value for a true value that is constant for `step` s; call it in each step. The filter begins with
    /// the first value.
    pub fn filter(&self, value: Vector3<f64>, step: f64, state: &mut ChannelState) -> Vector3<f64> {
        let Some(cut_off) = self.cut_off else { return value };
        let before = *state.filtered.get_or_insert(value);
        let kept = libm::exp(-std::f64::consts::TAU * cut_off * step);
        let filtered = value + (before - value) * kept;
        state.filtered = Some(filtered);
        filtered
    }

    /// The measured value for a filtered one: errors are added, then the sum is clamped to the limit. `sample` is the
    /// number of the sample and the time between samples, s.
    pub fn measure(
        &self,
        value: Vector3<f64>,
        sample: (u64, f64),
        state: &mut ChannelState,
        random: &mut impl FnMut() -> Random,
    ) -> Vector3<f64> {
        let value = match self.error.is_none() {
            true => value,
            false => self.error.add_to(value, sample, &mut state.error, &mut random()),
        };
        self.clamp(value)
    }

    /// A value clamped to the limit, like the reading of a saturating amplifier.
    pub fn clamp(&self, value: Vector3<f64>) -> Vector3<f64> {
        match self.limit {
            None => value,
            // `abs`: limits are absolute values. A NaN limit does not limit.
            Some(limit) => value.zip_map(&limit, |value, limit| value.min(limit.abs()).max(-limit.abs())),
        }
    }
}
