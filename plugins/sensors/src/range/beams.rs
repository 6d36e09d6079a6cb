//! Rays of a range sensor: directions, times and rings.

use std::f64::consts::TAU;
use std::ops::Range;
use std::sync::Arc;

use bunraku_body::{RangeSensor, ScanAngles};
use nalgebra::{Unit, UnitQuaternion, Vector3};

use super::pattern::{PatternBeam, ScanPattern};
use crate::error::{MAX_RAYS, SensorError};

/// Fraction of a period by which a ray may be late, because times are rounded.
const LATE: f64 = 1e-9;

/// A ray of a scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// Direction in the device frame.
    pub direction: Unit<Vector3<f64>>,
    /// Time since the start of the scan, s.
    pub time: f64,
    /// Row, or ring of a pattern.
    pub ring: u16,
}

/// Rays of all scans.
#[derive(Clone, Debug)]
pub enum Beams {
    /// The same rays in each scan.
    Grid(Grid),
    /// The rays of a table, as they come.
    Table(Table),
}

/// Rays in a grid of yaw and pitch angles. The head turns once a scan, with ascending yaw.
#[derive(Clone, Debug)]
pub struct Grid {
    /// In the device frame, row by row.
    directions: Vec<Unit<Vector3<f64>>>,
    yaw: ScanAngles,
    columns: usize,
    rows: usize,
    period: f64,
}

/// Rays of a pattern. Scan k contains those due in [k · period, (k + 1) · period).
#[derive(Clone, Debug)]
pub struct Table {
    pattern: Arc<ScanPattern>,
    rotation: UnitQuaternion<f64>,
    period: f64,
}

/// Direction at yaw ψ and pitch θ in the optical frame.
fn direction(yaw: f64, pitch: f64) -> Vector3<f64> {
    let ((sin_yaw, cos_yaw), (sin_pitch, cos_pitch)) = (yaw.sin_cos(), pitch.sin_cos());
    Vector3::new(-sin_yaw * cos_pitch, sin_pitch, -cos_yaw * cos_pitch)
}

impl Beams {
    /// Upper bound for the number of rays of a scan.
    pub fn most_in_a_scan(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.directions.len(),
            Self::Table(table) => table.most_in_a_scan(),
        }
    }

    /// Number of rays of a scan.
    pub fn in_scan(&self, frame: u64) -> usize {
        let (width, height) = self.size(frame);
        width * height
    }

    /// Numbers of columns and rows of a scan.
    pub fn size(&self, frame: u64) -> (usize, usize) {
        match self {
            Self::Grid(grid) => (grid.columns, grid.rows),
            Self::Table(table) => (table.in_scan(frame), 1),
        }
    }

    /// Number of columns that are due until `time` s after the start of a scan.
    pub fn columns_until(&self, frame: u64, time: f64) -> usize {
        match self {
            Self::Grid(grid) => grid.columns_until(time),
            Self::Table(table) => table.until(frame, time),
        }
    }

    /// Rays of some columns, in the order of their indices.
    pub fn of_columns(&self, frame: u64, columns: Range<usize>) -> Vec<usize> {
        let (width, height) = self.size(frame);
        (0..height).flat_map(|row| columns.clone().map(move |column| row * width + column)).collect()
    }

    /// A ray of a scan.
    pub fn beam(&self, frame: u64, index: usize) -> Option<Beam> {
        match self {
            Self::Grid(grid) => grid.beam(index),
            Self::Table(table) => table.beam(frame, index),
        }
    }
}

impl Grid {
    pub fn new(sensor: &RangeSensor, period: f64) -> Result<Self, SensorError> {
        let RangeSensor { yaw, pitch, optical_rotation, .. } = *sensor;
        let rays = sensor.samples();
        if rays > MAX_RAYS {
            return Err(SensorError::TooManyRays { rays });
        }
        let (columns, rows) = (yaw.samples(), pitch.samples());
        let mut directions = Vec::with_capacity(rays);
        for row in 0..rows {
            for column in 0..columns {
                let ahead = direction(yaw.angle(column), pitch.angle(row));
                directions.push(optical_rotation * Unit::new_normalize(ahead));
            }
        }
        Ok(Self { directions, yaw, columns, rows, period })
    }

    pub fn directions(&self) -> &[Unit<Vector3<f64>>] {
        &self.directions
    }

    /// Time of a column since the start of the scan, s.
    fn time(&self, column: usize) -> f64 {
        (self.yaw.angle(column) - self.yaw.angle(0)) / TAU * self.period
    }

    fn columns_until(&self, time: f64) -> usize {
        let time = time + LATE * self.period;
        if time < 0.0 {
            return 0;
        }
        let step = self.yaw.step / TAU * self.period;
        // A cast of a float truncates and saturates, as required.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let columns = if step > 0.0 { (time / step) as usize } else { self.columns };
        columns.saturating_add(1).min(self.columns)
    }

    fn beam(&self, index: usize) -> Option<Beam> {
        let direction = *self.directions.get(index)?;
        let (row, column) = (index / self.columns, index % self.columns);
        Some(Beam { direction, time: self.time(column), ring: u16::try_from(row).unwrap_or(u16::MAX) })
    }
}

impl Table {
    pub fn new(pattern: Arc<ScanPattern>, rotation: UnitQuaternion<f64>, period: f64) -> Self {
        Self { pattern, rotation, period }
    }

    fn most_in_a_scan(&self) -> usize {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let cycles = (self.period / self.pattern.period()) as usize;
        cycles.saturating_add(2).saturating_mul(self.pattern.beams().len())
    }

    /// Number of rays since switching on that are due before `time`, s.
    fn before(&self, time: f64) -> u64 {
        let cycle = self.pattern.period();
        let time = time - LATE * cycle;
        if time <= 0.0 {
            return 0;
        }
        let cycles = (time / cycle).floor();
        let within = self.pattern.beams().partition_point(|beam| beam.time < time - cycles * cycle) as u64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let cycles = cycles as u64;
        cycles * self.pattern.beams().len() as u64 + within
    }

    fn start(&self, frame: u64) -> f64 {
        frame as f64 * self.period
    }

    fn in_scan(&self, frame: u64) -> usize {
        let rays = self.before(self.start(frame + 1)) - self.before(self.start(frame));
        usize::try_from(rays).unwrap_or(0)
    }

    fn until(&self, frame: u64, time: f64) -> usize {
        let cycle = self.pattern.period();
        // `before` excludes rays at that time, which are due.
        let due = self.before(self.start(frame) + time + 2.0 * LATE * cycle);
        let due = due.saturating_sub(self.before(self.start(frame)));
        usize::try_from(due).unwrap_or(usize::MAX).min(self.in_scan(frame))
    }

    fn beam(&self, frame: u64, index: usize) -> Option<Beam> {
        let beams = self.pattern.beams();
        let number = self.before(self.start(frame)) + index as u64;
        let (cycle, row) = (number / beams.len() as u64, usize::try_from(number % beams.len() as u64).ok()?);
        let PatternBeam { azimuth, elevation, time, ring } = *beams.get(row)?;
        let at = cycle as f64 * self.pattern.period() + time;
        let turned = azimuth + TAU * (self.pattern.turns_per_scan() * at / self.period).fract();
        let direction = self.rotation * Unit::new_normalize(direction(turned, elevation));
        Some(Beam { direction, time: at - self.start(frame), ring })
    }
}
