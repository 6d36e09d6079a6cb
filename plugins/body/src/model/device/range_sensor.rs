//! Range sensors: distances along rays.

use std::f64::consts::PI;

use nalgebra::UnitQuaternion;

use super::OpticalFrame;

/// Measures distances along rays in a grid of yaw and pitch angles.
///
/// The ray at yaw ψ and pitch θ goes along (−sin ψ·cos θ, sin θ, −cos ψ·cos θ) in the optical frame: straight ahead
/// is −Z, positive yaw is to the left, positive pitch up.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeSensor {
    /// Angles about +Y.
    pub yaw: ScanAngles,
    /// Angles above the XZ plane.
    pub pitch: ScanAngles,
    /// Smallest measurable distance, m.
    pub min_distance: f64,
    /// Largest measurable distance, m.
    pub max_distance: f64,
    /// Scans a second.
    pub scan_rate: f64,
    /// Share of the rays that are measured at all, from 0 to 1.
    pub detection_rate: f64,
    /// Standard deviation of the measured distance, m.
    pub error_deviation: f64,
    /// The axes the rotation starts from.
    pub optical_frame: OpticalFrame,
    /// As in [`CameraView::optical_rotation`](super::CameraView::optical_rotation).
    pub optical_rotation: UnitQuaternion<f64>,
}

impl Default for RangeSensor {
    /// The original's defaults. The yaw step really is one radian, which makes three rays.
    fn default() -> Self {
        Self {
            yaw: ScanAngles { min: -PI / 3.0, max: PI / 3.0, step: 1.0 },
            pitch: ScanAngles { min: 0.0, max: 0.0, step: 0.0 },
            min_distance: 0.1,
            max_distance: 10.0,
            scan_rate: 10.0,
            detection_rate: 1.0,
            error_deviation: 0.0,
            optical_frame: OpticalFrame::Gl,
            optical_rotation: UnitQuaternion::identity(),
        }
    }
}

impl RangeSensor {
    /// How many rays a scan has.
    pub fn samples(&self) -> usize {
        self.yaw.samples().saturating_mul(self.pitch.samples())
    }
}

/// The angles of a scan in one direction, rad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanAngles {
    /// Where it starts.
    pub min: f64,
    /// Where it ends at the latest.
    pub max: f64,
    /// From one ray to the next; 0 for a single ray.
    pub step: f64,
}

impl ScanAngles {
    /// Angles around 0.
    pub fn centered(range: f64, step: f64) -> Self {
        Self { min: -range / 2.0, max: range / 2.0, step }
    }

    /// From start to end.
    pub fn range(&self) -> f64 {
        self.max - self.min
    }

    /// How many rays: the steps that fit in the range and one more. A full circle counts its first ray twice.
    pub fn samples(&self) -> usize {
        /// So that a range of n steps, rounded, does not miss its last ray.
        const ROUNDING: f64 = 1e-7;
        if self.step <= 0.0 {
            return 1;
        }
        // A cast of a float cuts off and saturates, which is what is wanted.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let steps = (self.range() / self.step + ROUNDING) as usize;
        steps.saturating_add(1)
    }

    /// The angle of a ray, counted from 0; a single ray without a step is in the middle.
    pub fn angle(&self, sample: usize) -> f64 {
        if self.step <= 0.0 {
            return self.min.midpoint(self.max);
        }
        #[allow(clippy::cast_precision_loss)]
        let sample = sample as f64;
        self.min + sample * self.step
    }
}
