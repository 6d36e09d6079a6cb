//! Range sensors: distances along rays.

use std::f64::consts::PI;

use nalgebra::UnitQuaternion;

use super::OpticalFrame;

/// Maximum number of rays of a scan; the finest laser scanners have one or two million.
pub const MAX_RAYS: usize = 1 << 24;

/// Measures distances along rays in a grid of yaw and pitch angles.
///
/// The ray at yaw ψ and pitch θ has the direction (−sin ψ·cos θ, sin θ, −cos ψ·cos θ) in the optical frame: straight
/// ahead is −Z, positive yaw is to the left, positive pitch up.
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
    /// Scans per second, Hz.
    pub scan_rate: f64,
    /// Fraction of the rays that give a measurement, from 0 to 1.
    pub detection_rate: f64,
    /// Standard deviation of the measured distance, m.
    pub error_deviation: f64,
    /// Convention of the axes, to which the rotation is applied.
    pub optical_frame: OpticalFrame,
    /// As in [`CameraView::optical_rotation`](super::CameraView::optical_rotation).
    pub optical_rotation: UnitQuaternion<f64>,
}

impl Default for RangeSensor {
    /// The original's defaults. The yaw step of one radian, which gives three rays, is intentional.
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
    /// Number of rays of a scan.
    pub fn samples(&self) -> usize {
        self.yaw.samples().saturating_mul(self.pitch.samples())
    }
}

/// Angles of a scan in one direction, rad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanAngles {
    /// First angle.
    pub min: f64,
    /// Upper limit of the last angle.
    pub max: f64,
    /// Angle between adjacent rays; 0 for a single ray.
    pub step: f64,
}

impl ScanAngles {
    /// Angles symmetric about 0.
    pub fn centered(range: f64, step: f64) -> Self {
        Self { min: -range / 2.0, max: range / 2.0, step }
    }

    /// Difference of the limits.
    pub fn range(&self) -> f64 {
        self.max - self.min
    }

    /// Number of rays: the number of steps that fit into the range, plus one. On a full circle the first and the last
    /// ray coincide.
    pub fn samples(&self) -> usize {
        /// Tolerance, so that a rounded range of n steps keeps its last ray.
        const ROUNDING: f64 = 1e-7;
        if self.step <= 0.0 {
            return 1;
        }
        // A cast of a float truncates and saturates, as required.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let steps = (self.range() / self.step + ROUNDING) as usize;
        steps.saturating_add(1)
    }

    /// Angle of a ray, counted from 0. A single ray without a step is in the middle.
    pub fn angle(&self, sample: usize) -> f64 {
        if self.step <= 0.0 {
            return self.min.midpoint(self.max);
        }
        #[allow(clippy::cast_precision_loss)]
        let sample = sample as f64;
        self.min + sample * self.step
    }
}
