//! Range sensors: scanners of one ray, a fan, or many rows, at an instant or one column after the other.

mod beams;
mod echo;
mod options;
mod pattern;
mod rolling;

use std::f64::consts::TAU;
use std::sync::Arc;

use bunraku_body::{RangeSensor, ScanAngles};
use bunraku_render::{Axes, Reach, Scene, Threads};
use nalgebra::{Isometry3, Unit, Vector3};

use crate::error::{DistanceErrors, MAX_RAYS, SensorError};
use crate::noise::Random;
use beams::{Beam, Beams, Grid, Table};
use echo::Optics;

pub use options::ScanOptions;
pub use pattern::{PatternBeam, ScanPattern};
pub use rolling::{Carried, RollingScan};

/// A range sensor, ready to scan, with precomputed rays.
#[derive(Clone, Debug)]
pub struct Scanner {
    /// Device frame in the link frame.
    mounting: Isometry3<f64>,
    beams: Beams,
    yaw: ScanAngles,
    pitch: ScanAngles,
    reach: Reach,
    errors: DistanceErrors,
    optics: Optics,
    is_rolling: bool,
    /// Time from scan to scan, s.
    period: f64,
}

/// Reading of a range sensor.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct Scan {
    /// Number of rays in a row.
    pub yaw_samples: usize,
    /// Number of rows; 1 for a pattern.
    pub pitch_samples: usize,
    /// Number of returns of each ray.
    pub returns: usize,
    /// Distance from the sensor origin along each ray, m; +∞ without a hit, or if the ray was lost. The ray at yaw i
    /// and pitch j has the index j · `yaw_samples` + i; both angles ascend. The strongest return of all rays comes
    /// first, then the second strongest of all rays, and so on.
    pub distances: Vec<f64>,
    /// Intensity of each distance from 0 to 1, 0 without a hit; empty if the sensor does not measure it.
    pub intensities: Vec<f32>,
    /// Number of the scan since the sensor was switched on; it selects the rays of a pattern.
    pub frame: u64,
    /// Time of the first possible ray relative to the sample, s: 0 for a scan at an instant, negative for a rolling one.
    pub start: f64,
}

/// A point of a scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanPoint {
    /// Position in the device frame at the time of the point, m.
    pub position: Vector3<f64>,
    /// Intensity from 0 to 1; 0 if it is not measured.
    pub intensity: f32,
    /// Row, or the ring of the pattern.
    pub ring: u16,
    /// Time relative to the sample, s.
    pub time: f64,
}

impl Scanner {
    /// Prepares the rays of a sensor whose device frame is at `mounting` in the link frame.
    ///
    /// # Errors
    /// If the sensor cannot be simulated with the data of its model.
    pub fn new(sensor: &RangeSensor, mounting: Isometry3<f64>) -> Result<Self, SensorError> {
        Self::with_options(sensor, mounting, &ScanOptions::default())
    }

    /// As [`new`](Self::new), with properties that model files do not have.
    ///
    /// # Errors
    /// If the sensor cannot be simulated with these data.
    pub fn with_options(
        sensor: &RangeSensor,
        mounting: Isometry3<f64>,
        options: &ScanOptions,
    ) -> Result<Self, SensorError> {
        for (axis, ScanAngles { min, max, step }) in [("yaw", sensor.yaw), ("pitch", sensor.pitch)] {
            let finite = [min, max, step].into_iter().all(f64::is_finite);
            if !finite || max < min || step < 0.0 {
                return Err(SensorError::Angles { axis, min, max, step });
            }
        }
        let (min, max) = (sensor.min_distance, sensor.max_distance);
        if !(min >= 0.0 && max > min) {
            return Err(SensorError::Distances { min, max });
        }
        options.check()?;
        if !(sensor.scan_rate > 0.0 && sensor.scan_rate.is_finite()) {
            return Err(SensorError::Rate(sensor.scan_rate));
        }
        let is_fixed = options.pattern.is_none();
        if options.rolling && is_fixed && sensor.yaw.range() > TAU * (1.0 + 1e-9) {
            let value = sensor.yaw.range().to_degrees();
            return Err(SensorError::Option { name: "yaw range", value, range: "at most a turn if it is rolling" });
        }
        let period = 1.0 / sensor.scan_rate;
        let beams = match &options.pattern {
            None => Beams::Grid(Grid::new(sensor, period)?),
            Some(pattern) => Beams::Table(Table::new(Arc::clone(pattern), sensor.optical_rotation, period)),
        };
        let rays = beams.most_in_a_scan();
        if rays > MAX_RAYS {
            return Err(SensorError::TooManyRays { rays });
        }
        Ok(Self {
            mounting,
            beams,
            yaw: sensor.yaw,
            pitch: sensor.pitch,
            reach: Reach { min, max },
            errors: DistanceErrors::new(sensor.detection_rate, sensor.error_deviation)?.growing(options.error_growth),
            optics: Optics::new(options),
            is_rolling: options.rolling,
            period,
        })
    }

    /// Ray directions in the device frame; empty for a pattern, whose rays differ from scan to scan.
    pub fn directions(&self) -> &[Unit<Vector3<f64>>] {
        match &self.beams {
            Beams::Grid(grid) => grid.directions(),
            Beams::Table(_) => &[],
        }
    }

    /// Angles about the +Y axis of the optical frame, rad; positive is left. Not used with a pattern.
    pub fn yaw(&self) -> ScanAngles {
        self.yaw
    }

    /// Angles above the XZ plane of the optical frame, rad. Not used with a pattern.
    pub fn pitch(&self) -> ScanAngles {
        self.pitch
    }

    /// Measurable distances, m.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Whether its rays follow a table instead of a grid of angles.
    pub fn has_pattern(&self) -> bool {
        matches!(self.beams, Beams::Table(_))
    }

    /// Whether each column is measured at its own time; see [`RollingScan`].
    pub fn is_rolling(&self) -> bool {
        self.is_rolling
    }

    /// Whether its points have more data than their positions.
    pub fn has_cloud(&self) -> bool {
        self.is_rolling || self.has_pattern() || self.optics.has_intensity() || self.optics.returns() > 1
    }

    /// Whether it measures intensities.
    pub fn has_intensity(&self) -> bool {
        self.optics.has_intensity()
    }

    /// World pose of the device frame for a pose of the link.
    pub fn pose(&self, link: &Isometry3<f64>) -> Isometry3<f64> {
        link * self.mounting
    }

    /// The first scan of a scene, with the link at a pose and all rays at the same instant. `random` is only called if
    /// the sensor has errors.
    ///
    /// Surfaces nearer than the smallest measurable distance are ignored, such as the sensor's own cover and lens.
    pub fn scan(
        &self,
        scene: &Scene,
        link: &Isometry3<f64>,
        random: impl FnOnce() -> Random,
        threads: Threads,
    ) -> Scan {
        self.scan_frame(0, scene, link, random, threads)
    }

    /// As [`scan`](Self::scan), for another number of the scan since the sensor was switched on.
    pub fn scan_frame(
        &self,
        frame: u64,
        scene: &Scene,
        link: &Isometry3<f64>,
        random: impl FnOnce() -> Random,
        threads: Threads,
    ) -> Scan {
        let device = Axes::new(link).carrying(&Axes::new(&self.mounting));
        let mut scan = self.empty(frame);
        let beams = self.beams.of_scan(frame);
        let rays = beams.of_columns(0..beams.size.0);
        let ray = |number: usize| Some(device.ray(&beams.direction(rays.get(number)?.0)?));
        self.optics.measure(scene, self.reach, rays.len(), ray, threads, |number, returns| {
            if let Some((index, _)) = rays.get(number) {
                scan.put(*index, returns);
            }
        });
        self.disturb(&mut scan, random);
        scan
    }

    /// A scan without hits.
    fn empty(&self, frame: u64) -> Scan {
        let (yaw_samples, pitch_samples) = self.beams.size(frame);
        let (returns, rays) = (self.optics.returns(), yaw_samples * pitch_samples);
        let intensities = if self.optics.has_intensity() { vec![0.0; rays * returns] } else { Vec::new() };
        let distances = vec![f64::INFINITY; rays * returns];
        Scan { yaw_samples, pitch_samples, returns, distances, intensities, frame, start: 0.0 }
    }

    /// Adds the errors of a sample.
    fn disturb(&self, scan: &mut Scan, random: impl FnOnce() -> Random) {
        if self.errors.is_none() {
            return;
        }
        let mut random = random();
        for (index, distance) in scan.distances.iter_mut().enumerate() {
            *distance = self.errors.apply(*distance, self.reach, &mut random);
            if distance.is_infinite()
                && let Some(intensity) = scan.intensities.get_mut(index)
            {
                *intensity = 0.0;
            }
        }
    }

    /// Hit points of a scan, m, in the device frame, in the order of the rays; rays without a hit are left out.
    pub fn points(&self, scan: &Scan) -> Vec<Vector3<f64>> {
        self.cloud(scan).into_iter().map(|point| point.position).collect()
    }

    /// Hit points of a scan with their data, in the order of the distances; rays without a hit are left out.
    pub fn cloud(&self, scan: &Scan) -> Vec<ScanPoint> {
        let rays = scan.yaw_samples * scan.pitch_samples;
        let beams = self.beams.of_scan(scan.frame);
        let point = |(index, &distance): (usize, &f64)| {
            let Beam { direction, time, ring } =
                Some(index % rays.max(1)).filter(|_| distance.is_finite()).and_then(|index| beams.beam(index))?;
            Some(ScanPoint {
                position: direction * distance,
                intensity: scan.intensities.get(index).copied().unwrap_or(0.0),
                ring,
                time: if self.is_rolling { scan.start + time } else { 0.0 },
            })
        };
        scan.distances.iter().enumerate().filter_map(point).collect()
    }
}

impl Scan {
    /// Sets the returns of a ray, the strongest first.
    fn put(&mut self, ray: usize, returns: &[echo::Echo]) {
        let rays = self.yaw_samples * self.pitch_samples;
        for (number, echo) in returns.iter().enumerate() {
            let index = number * rays + ray;
            if let Some(distance) = self.distances.get_mut(index) {
                *distance = echo.distance;
            }
            if let Some(intensity) = self.intensities.get_mut(index) {
                *intensity = echo.intensity;
            }
        }
    }
}
