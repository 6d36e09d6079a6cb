//! Range sensors.

use bunraku_body::{RangeSensor, ScanAngles};
use bunraku_render::{Ray, Reach, Scene, Threads};
use nalgebra::{Isometry3, Unit, Vector3};

use crate::error::{DistanceErrors, MAX_RAYS, SensorError};
use crate::noise::Random;

/// A range sensor, ready to scan, with precomputed rays.
#[derive(Clone, Debug)]
pub struct Scanner {
    /// Device frame in the link frame.
    mounting: Isometry3<f64>,
    /// Ray directions in the device frame, in the order of the samples.
    directions: Vec<Unit<Vector3<f64>>>,
    yaw: ScanAngles,
    pitch: ScanAngles,
    reach: Reach,
    errors: DistanceErrors,
}

/// Reading of a range sensor.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct Scan {
    /// Number of rays in a row.
    pub yaw_samples: usize,
    /// Number of rows.
    pub pitch_samples: usize,
    /// Distance from the sensor origin along each ray, m; +∞ without a hit, or if the ray was lost. The ray at yaw i
    /// and pitch j has the index j · `yaw_samples` + i; both angles ascend.
    pub distances: Vec<f64>,
}

impl Scanner {
    /// Prepares the rays of a sensor whose device frame is at `mounting` in the link frame.
    ///
    /// # Errors
    /// If the sensor cannot be simulated with the data of its model.
    pub fn new(sensor: &RangeSensor, mounting: Isometry3<f64>) -> Result<Self, SensorError> {
        for (axis, ScanAngles { min, max, step }) in [("yaw", sensor.yaw), ("pitch", sensor.pitch)] {
            let finite = [min, max, step].into_iter().all(f64::is_finite);
            if !finite || max < min || step < 0.0 {
                return Err(SensorError::Angles { axis, min, max, step });
            }
        }
        let rays = sensor.samples();
        if rays > MAX_RAYS {
            return Err(SensorError::TooManyRays { rays });
        }
        let (min, max) = (sensor.min_distance, sensor.max_distance);
        if !(min >= 0.0 && max > min) {
            return Err(SensorError::Distances { min, max });
        }
        let errors = DistanceErrors::new(sensor.detection_rate, sensor.error_deviation)?;
        let mut directions = Vec::with_capacity(rays);
        for row in 0..sensor.pitch.samples() {
            let (sin_pitch, cos_pitch) = sensor.pitch.angle(row).sin_cos();
            for column in 0..sensor.yaw.samples() {
                let (sin_yaw, cos_yaw) = sensor.yaw.angle(column).sin_cos();
                let direction = Vector3::new(-sin_yaw * cos_pitch, sin_pitch, -cos_yaw * cos_pitch);
                directions.push(sensor.optical_rotation * Unit::new_normalize(direction));
            }
        }
        let (yaw, pitch) = (sensor.yaw, sensor.pitch);
        Ok(Self { mounting, directions, yaw, pitch, reach: Reach { min, max }, errors })
    }

    /// Ray directions in the device frame.
    pub fn directions(&self) -> &[Unit<Vector3<f64>>] {
        &self.directions
    }

    /// Angles about the +Y axis of the optical frame, rad; positive is left.
    pub fn yaw(&self) -> ScanAngles {
        self.yaw
    }

    /// Angles above the XZ plane of the optical frame, rad.
    pub fn pitch(&self) -> ScanAngles {
        self.pitch
    }

    /// Measurable distances, m.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// World pose of the device frame for a pose of the link.
    pub fn pose(&self, link: &Isometry3<f64>) -> Isometry3<f64> {
        link * self.mounting
    }

    /// Scans a scene with the link at a pose. `random` is only called if the sensor has errors.
    ///
    /// Surfaces nearer than the smallest measurable distance are ignored, such as the sensor's own cover and lens.
    pub fn scan(
        &self,
        scene: &Scene,
        link: &Isometry3<f64>,
        random: impl FnOnce() -> Random,
        threads: Threads,
    ) -> Scan {
        let pose = self.pose(link);
        let mut distances = vec![f64::INFINITY; self.directions.len()];
        let ray = |index: usize| {
            let direction = pose.rotation * self.directions.get(index)?;
            Some((Ray { origin: pose.translation.vector.into(), direction }, self.reach))
        };
        scene.fill(&mut distances, threads, ray, |_, _, hit| hit.map_or(f64::INFINITY, |hit| hit.distance));
        if !self.errors.is_none() {
            let mut random = random();
            for distance in &mut distances {
                *distance = self.errors.apply(*distance, self.reach, &mut random);
            }
        }
        Scan { yaw_samples: self.yaw.samples(), pitch_samples: self.pitch.samples(), distances }
    }

    /// Hit points of a scan, m, in the device frame, in the order of the rays; rays without a hit are left out.
    pub fn points(&self, scan: &Scan) -> Vec<Vector3<f64>> {
        let point = |(direction, &distance): (&Unit<Vector3<f64>>, &f64)| {
            distance.is_finite().then(|| direction.into_inner() * distance)
        };
        self.directions.iter().zip(&scan.distances).filter_map(point).collect()
    }
}
