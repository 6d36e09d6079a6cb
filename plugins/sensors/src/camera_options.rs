//! Properties of cameras that model files do not have.

use bunraku_render::{Exposure, Lens, Motion};
use nalgebra::Isometry3;

use crate::error::SensorError;
use crate::noise::Random;
use crate::truth::TruthKinds;

/// Properties of a camera that model files do not have. By default a picture has one ray a pixel, at one instant, without
/// noise.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraOptions {
    /// Lens by the parameters of a calibration, instead of that of the model.
    pub lens: Option<Lens>,
    /// Number of rays of a pixel along each side.
    pub samples: u32,
    /// Duration of the exposure of a row, s: what moves is blurred.
    pub exposure_time: f64,
    /// Time from the first row to the end of the last, s: a rolling shutter.
    pub readout_time: f64,
    /// Factor of the light in powers of two.
    pub exposure_value: f64,
    /// Standard deviation of the noise of each colour, of 255.
    pub noise: f64,
    /// Variance of the noise of each colour per value of the colour: shot noise, of 255.
    pub shot_noise: f64,
    /// Ground truth that is delivered, too.
    pub truth: TruthKinds,
}

impl Default for CameraOptions {
    fn default() -> Self {
        Self {
            lens: None,
            samples: 1,
            exposure_time: 0.0,
            readout_time: 0.0,
            exposure_value: 0.0,
            noise: 0.0,
            shot_noise: 0.0,
            truth: TruthKinds::default(),
        }
    }
}

impl CameraOptions {
    /// Checks the values.
    ///
    /// # Errors
    /// If one is out of range, with the key of scenes.
    pub fn check(&self) -> Result<(), SensorError> {
        let option = |name, value, range| Err(SensorError::Option { name, value, range });
        if !(1..=Exposure::MOST_SAMPLES).contains(&self.samples) {
            return option("samples", f64::from(self.samples), "from 1 to 16");
        }
        for (name, value) in [
            ("exposure_time", self.exposure_time),
            ("readout_time", self.readout_time),
            ("image_noise", self.noise),
            ("shot_noise", self.shot_noise),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return option(name, value, "not negative");
            }
        }
        if !self.exposure_value.is_finite() {
            return option("exposure_value", self.exposure_value, "finite");
        }
        Ok(())
    }

    /// Whether a picture is more than one ray for each pixel at the same instant.
    pub fn is_exposed(&self) -> bool {
        self.samples > 1 || self.exposure_value != 0.0 || self.duration() > 0.0
    }

    /// Whether the motions of everything visible are needed.
    pub fn needs_motions(&self) -> bool {
        self.duration() > 0.0 || self.truth.flow
    }

    /// Time from the start of the exposure of the first row to the end of that of the last, s.
    pub fn duration(&self) -> f64 {
        self.exposure_time + self.readout_time
    }

    /// Exposure that ends with the motion of the carrier of a camera, which lasts as long as it.
    pub(crate) fn exposure(&self, carrier: Motion, mounting: Isometry3<f64>, rows: u32) -> Exposure {
        let duration = self.duration();
        let share = |time: f64| if duration > 0.0 { time / duration } else { 0.0 };
        let row = share(self.readout_time) / f64::from(rows.max(1));
        // The last row begins one row before the end of the readout.
        let first_row = 1.0 - share(self.exposure_time) / 2.0 - row * f64::from(rows.saturating_sub(1));
        let gain = libm::exp2(self.exposure_value) as f32;
        let exposure = share(self.exposure_time);
        Exposure { samples: self.samples, carrier, mounting, first_row, row, duration: exposure, gain }
    }

    /// Adds noise to colours.
    pub(crate) fn disturb(&self, colors: &mut [[u8; 3]], random: &mut Random) {
        for value in colors.as_flattened_mut() {
            let deviation = (self.noise * self.noise + self.shot_noise * f64::from(*value)).sqrt();
            let noisy = f64::from(*value) + deviation * random.normal();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let byte = noisy.round().clamp(0.0, 255.0) as u8;
            *value = byte;
        }
    }

    pub(crate) fn has_noise(&self) -> bool {
        self.noise > 0.0 || self.shot_noise > 0.0
    }
}
