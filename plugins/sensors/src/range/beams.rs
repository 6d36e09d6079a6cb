//! Rays of a range sensor: directions, times and rings.

use std::f64::consts::TAU;
use std::ops::Range;
use std::sync::Arc;

use bunraku_body::{RangeSensor, ScanAngles};
use nalgebra::{Matrix3, Unit, UnitQuaternion, Vector3};

use super::pattern::{PatternBeam, ScanPattern};
use crate::error::{MAX_RAYS, SensorError};

/// Fraction of a period by which a ray may be late, because times are rounded.
const LATE: f64 = 1e-9;

/// A ray of a scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// Unit vector in the device frame.
    pub direction: Vector3<f64>,
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
    rotation: Matrix3<f64>,
    period: f64,
    /// Sine and cosine of the elevation of each row.
    elevations: Vec<(f64, f64)>,
    /// Rows ring by ring: rays of a ring are near each other, those after each other are not. Empty without rings.
    by_ring: Vec<usize>,
}

/// The rays of one scan.
#[derive(Clone, Copy, Debug)]
pub struct ScanBeams<'b> {
    beams: &'b Beams,
    /// Number of the first ray of a table since switching on.
    first: u64,
    /// Time of the start of the scan since switching on, s.
    start: f64,
    /// Numbers of columns and rows.
    pub size: (usize, usize),
}

/// Direction in the optical frame, from the sines and cosines of yaw ψ and pitch θ.
fn direction((sin_yaw, cos_yaw): (f64, f64), (sin_pitch, cos_pitch): (f64, f64)) -> Vector3<f64> {
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

    /// The rays of a scan.
    pub fn of_scan(&self, frame: u64) -> ScanBeams<'_> {
        match self {
            Self::Grid(grid) => ScanBeams { beams: self, first: 0, start: 0.0, size: (grid.columns, grid.rows) },
            Self::Table(table) => {
                let start = table.start(frame);
                ScanBeams { beams: self, first: table.before(start), start, size: (table.in_scan(frame), 1) }
            }
        }
    }

    /// Numbers of columns and rows of a scan.
    pub fn size(&self, frame: u64) -> (usize, usize) {
        self.of_scan(frame).size
    }

    /// Number of columns that are due until `time` s after the start of a scan.
    pub fn columns_until(&self, frame: u64, time: f64) -> usize {
        match self {
            Self::Grid(grid) => grid.columns_until(time),
            Self::Table(table) => table.until(frame, time),
        }
    }
}

impl ScanBeams<'_> {
    /// Indices of the rays of some columns, each with the number of its column among them; those in similar directions
    /// after each other.
    pub fn of_columns(&self, columns: Range<usize>) -> Vec<(usize, usize)> {
        let (width, height) = self.size;
        match self.beams {
            Beams::Table(table) if !table.by_ring.is_empty() => {
                let indices = table.ring_by_ring(self.first, columns.clone());
                indices.into_iter().map(|index| (index, index - columns.start)).collect()
            }
            _ => {
                let mut indices = Vec::with_capacity(height * columns.len());
                for row in 0..height {
                    let first = row * width + columns.start;
                    indices.extend((0..columns.len()).map(|number| (first + number, number)));
                }
                indices
            }
        }
    }

    /// Time of a column since the start of the scan, s.
    pub fn time(&self, column: usize) -> f64 {
        match self.beams {
            Beams::Grid(grid) => grid.time(column),
            Beams::Table(table) => {
                table.row(self.first + column as u64).map_or(0.0, |(cycle, beam)| table.time(cycle, &beam) - self.start)
            }
        }
    }

    /// Direction of a ray in the device frame.
    pub fn direction(&self, index: usize) -> Option<Vector3<f64>> {
        match self.beams {
            Beams::Grid(grid) => grid.directions.get(index).map(|direction| direction.into_inner()),
            Beams::Table(table) => table.direction(self.first + index as u64),
        }
    }

    /// A ray.
    pub fn beam(&self, index: usize) -> Option<Beam> {
        let direction = self.direction(index)?;
        let ring = match self.beams {
            Beams::Grid(grid) => u16::try_from(index / grid.columns.max(1)).unwrap_or(u16::MAX),
            Beams::Table(table) => table.row(self.first + index as u64)?.1.ring,
        };
        Some(Beam { direction, time: self.time(index % self.size.0.max(1)), ring })
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
                let ahead = direction(libm::sincos(yaw.angle(column)), libm::sincos(pitch.angle(row)));
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
}

impl Table {
    pub fn new(pattern: Arc<ScanPattern>, rotation: UnitQuaternion<f64>, period: f64) -> Self {
        let beams = pattern.beams();
        let mut by_ring = Vec::new();
        if beams.iter().any(|beam| beam.ring != beams[0].ring) {
            by_ring.extend(0..beams.len());
            by_ring.sort_by_key(|row| beams[*row].ring);
        }
        let elevations = beams.iter().map(|beam| libm::sincos(beam.elevation)).collect();
        Self { rotation: rotation.to_rotation_matrix().into_inner(), period, elevations, by_ring, pattern }
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

    /// Indices of rays of a scan whose first ray has the number `first`, ring by ring.
    fn ring_by_ring(&self, first: u64, columns: Range<usize>) -> Vec<usize> {
        let count = self.by_ring.len();
        let start = usize::try_from(first % count as u64).unwrap_or(0);
        if columns.len() < count {
            let mut indices: Vec<usize> = columns.collect();
            indices.sort_by_cached_key(|index| self.pattern.beams()[(start + index) % count].ring);
            return indices;
        }
        let mut indices = Vec::with_capacity(columns.len());
        for row in &self.by_ring {
            // The first index from the first column on that is in this row.
            let ahead = (row + 2 * count - start - columns.start % count) % count;
            indices.extend((columns.start + ahead..columns.end).step_by(count));
        }
        indices
    }

    /// Number of the repetition, and the row, of a ray since switching on.
    fn row(&self, number: u64) -> Option<(u64, PatternBeam)> {
        let beams = self.pattern.beams();
        let count = beams.len() as u64;
        Some((number / count, *beams.get(usize::try_from(number % count).ok()?)?))
    }

    /// Time of a ray since switching on, s.
    fn time(&self, cycle: u64, beam: &PatternBeam) -> f64 {
        cycle as f64 * self.pattern.period() + beam.time
    }

    /// Direction of a ray in the device frame.
    fn direction(&self, number: u64) -> Option<Vector3<f64>> {
        let (cycle, beam) = self.row(number)?;
        let elevation = *self.elevations.get(usize::try_from(number % self.elevations.len() as u64).ok()?)?;
        let turns = self.pattern.turns_per_scan() * self.time(cycle, &beam) / self.period;
        Some(self.rotation * direction(libm::sincos(beam.azimuth + TAU * turns.fract()), elevation))
    }
}
