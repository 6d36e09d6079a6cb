//! Errors of sensors that measure vectors.
//!
//! The model of inertial sensors by the parameters of their Allan deviation (IEEE Std 952-1997, annex C): white noise of
//! density N, bias instability B, and random walk K, with the Allan variance
//! σ²(τ) = N²/τ + (2·ln 2/π)·B² + K²·τ/3.

use nalgebra::{Rotation3, Vector3};

use crate::noise::Random;

/// Errors of a measured vector, in the sensor frame and the unit of the measurement; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VectorError {
    /// Constant error.
    pub bias: Vector3<f64>,
    /// Standard deviation of the error of each sample, along each axis.
    pub deviation: Vector3<f64>,
    /// Density N of white noise, unit/√Hz: a sample has the standard deviation N·√rate.
    pub density: Vector3<f64>,
    /// Bias instability B: noise with a spectrum of B²/(2πf).
    pub instability: Vector3<f64>,
    /// Random walk K of the bias, unit·√Hz: it changes by K·√t in t s.
    pub walk: Vector3<f64>,
    /// Relative errors of the scale of each axis.
    pub scale: Vector3<f64>,
    /// Rotation vector of the axes of the sensor in their nominal frame, rad.
    pub misalignment: Vector3<f64>,
    /// Step between measurable values; 0 for continuous ones.
    pub quantization: Vector3<f64>,
}

/// Errors that a sensor remembers from sample to sample.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct ErrorState {
    walk: Vector3<f64>,
    /// Parts of the bias instability, one for each time constant; empty before the first sample.
    flicker: Vec<Vector3<f64>>,
}

/// Time constants of the parts of the bias instability, s: two in each decade, so that the sum of their spectra is that
/// of 1/f noise within 1 % from 10⁻² s to 10⁴ s.
const TIME_CONSTANTS: [f64; 15] = {
    const ROOT: f64 = 3.162_277_660_168_379_5;
    let mut constants = [0.001; 15];
    let mut index = 1;
    while index < constants.len() {
        constants[index] = constants[index - 1] * ROOT;
        index += 1;
    }
    constants
};

/// Number of updates of a part within its time constant; slow parts need no update in each sample.
const UPDATES: f64 = 32.0;

impl VectorError {
    /// Whether the error is zero.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether samples depend on earlier ones.
    pub fn has_state(&self) -> bool {
        self.walk != Vector3::zeros() || self.instability != Vector3::zeros()
    }

    /// The vector with the errors of sample `number`, which is `interval` s after the one before.
    pub fn add_to(
        &self,
        vector: Vector3<f64>,
        (number, interval): (u64, f64),
        state: &mut ErrorState,
        random: &mut Random,
    ) -> Vector3<f64> {
        let mut white = |deviation: &Vector3<f64>| match *deviation == Vector3::zeros() {
            true => Vector3::zeros(),
            false => deviation.map(|deviation| deviation * random.normal()),
        };
        let mut value = self.distorted(vector) + self.bias + white(&self.deviation);
        value += white(&(self.density / interval.sqrt()));
        state.walk += white(&(self.walk * interval.sqrt()));
        value += state.walk;
        if self.instability != Vector3::zeros() {
            value += self.flicker(number, interval, &mut state.flicker, random);
        }
        value.zip_map(&self.quantization, |value, step| if step > 0.0 { (value / step).round() * step } else { value })
    }

    /// The vector along the axes of the sensor, scaled.
    fn distorted(&self, vector: Vector3<f64>) -> Vector3<f64> {
        let turned = match self.misalignment == Vector3::zeros() {
            true => vector,
            false => Rotation3::from_scaled_axis(self.misalignment).inverse() * vector,
        };
        turned + self.scale.component_mul(&turned)
    }

    /// Bias instability as the sum of first-order Gauss–Markov processes (M. Keshner, *1/f noise*, Proc. IEEE 1982).
    ///
    /// With a ratio r of neighbouring time constants and a variance v of each, the two-sided spectrum of the sum is
    /// v / (2·ln r·f), so v = ln r·B²/π.
    fn flicker(&self, number: u64, interval: f64, parts: &mut Vec<Vector3<f64>>, random: &mut Random) -> Vector3<f64> {
        /// ln √10.
        const LN_RATIO: f64 = std::f64::consts::LN_10 / 2.0;
        let deviation = self.instability * (LN_RATIO / std::f64::consts::PI).sqrt();
        let is_first = parts.is_empty();
        if is_first {
            parts.resize(TIME_CONSTANTS.len(), Vector3::zeros());
        }
        for (part, constant) in parts.iter_mut().zip(TIME_CONSTANTS) {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let every = ((constant / (UPDATES * interval)) as u64).max(1);
            if is_first {
                *part = deviation.map(|deviation| deviation * random.normal());
            } else if number.is_multiple_of(every) {
                let kept = libm::exp(-(every as f64) * interval / constant);
                let new = (1.0 - kept * kept).sqrt();
                *part = *part * kept + deviation.map(|deviation| deviation * new * random.normal());
            }
        }
        parts.iter().sum()
    }
}
