//! Properties of range sensors that model files do not have.

use std::f64::consts::PI;
use std::sync::Arc;

use super::echo::MOST_RETURNS;
use super::pattern::ScanPattern;
use crate::error::SensorError;

/// Maximum number of rays of a beam.
const MOST_BEAM_RAYS: usize = 64;

/// Properties of a range sensor that model files do not have. By default all rays are at the same instant, thin, and end
/// at the first surface.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanOptions {
    /// Each column is measured at its own time; see [`RollingScan`](super::RollingScan).
    pub rolling: bool,
    /// Rays of a table instead of the grid of the model.
    pub pattern: Option<Arc<ScanPattern>>,
    /// Whether intensities are measured.
    pub intensity: bool,
    /// Maximum number of returns of each ray.
    pub returns: usize,
    /// Surfaces along a ray that are closer to each other than this are one return, m.
    pub return_separation: f64,
    /// Full angle of the cone of a beam, rad.
    pub beam_divergence: f64,
    /// Number of rays that represent a beam.
    pub beam_rays: usize,
    /// Whether rays pass transparent surfaces.
    pub transmission: bool,
    /// Returns of a lower intensity are lost.
    pub min_intensity: f64,
    /// Increase of the standard deviation with the distance, m/m.
    pub error_growth: f64,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            rolling: false,
            pattern: None,
            intensity: false,
            returns: 1,
            return_separation: 0.5,
            beam_divergence: 0.0,
            beam_rays: 7,
            transmission: false,
            min_intensity: 0.0,
            error_growth: 0.0,
        }
    }
}

impl ScanOptions {
    /// Checks the values.
    ///
    /// # Errors
    /// If one is out of range, with the key of scenes.
    pub fn check(&self) -> Result<(), SensorError> {
        let option = |name, value, range| Err(SensorError::Option { name, value, range });
        if !(1..=MOST_RETURNS).contains(&self.returns) {
            return option("returns", self.returns as f64, "from 1 to 4");
        }
        if !(1..=MOST_BEAM_RAYS).contains(&self.beam_rays) {
            return option("beam_rays", self.beam_rays as f64, "from 1 to 64");
        }
        if !(self.return_separation >= 0.0 && self.return_separation.is_finite()) {
            return option("return_separation", self.return_separation, "not negative, m");
        }
        if !(0.0..PI / 2.0).contains(&self.beam_divergence) {
            return option("beam_divergence", self.beam_divergence, "from 0 to a quarter turn");
        }
        if !(self.error_growth >= 0.0 && self.error_growth.is_finite()) {
            return option("error_growth", self.error_growth, "not negative");
        }
        if !(0.0..=1.0).contains(&self.min_intensity) {
            return option("min_intensity", self.min_intensity, "from 0 to 1");
        }
        Ok(())
    }
}
