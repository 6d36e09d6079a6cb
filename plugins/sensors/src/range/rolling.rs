//! Scans whose columns are measured one after the other.

use bunraku_render::{Axes, Motion, Ray, Scene, Sweep, Threads};
use serde::{Deserialize, Serialize};

use super::{Scan, Scanner};
use crate::noise::Random;

/// The scan in progress of a rolling sensor: each column is measured at its own time and at the pose that the sensor, and
/// everything in the scene, has at that time.
///
/// Scan k begins k periods after the sensor was switched on, whatever the time steps are. It contains the whole state, so
/// a copy continues exactly like the original.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollingScan {
    /// Time at which the sensor was switched on, s.
    since: f64,
    frame: u64,
    /// Number of measured columns.
    columns: usize,
    /// As in [`Scan`]; empty before the first column.
    distances: Vec<f64>,
    intensities: Vec<f32>,
}

/// Motion of the link of a sensor in a time step. The motions of the scene are those of the same step.
#[derive(Clone, Copy, Debug)]
pub struct Carried<'m> {
    /// Start of the step, s.
    pub from: f64,
    /// End of the step, s; may be equal to the start.
    pub to: f64,
    /// Motion of the link.
    pub link: &'m Motion,
}

impl RollingScan {
    /// The first scan of a sensor that is switched on at a time, s.
    pub fn new(since: f64) -> Self {
        Self { since, frame: 0, columns: 0, distances: Vec::new(), intensities: Vec::new() }
    }

    /// Measures the columns that are due until the end of a step. Call it for each step.
    ///
    /// Returns the scan that was completed in the step, without errors of the sensor, and the number of scans that are
    /// left out because the step is longer than a scan.
    pub fn advance(
        &mut self,
        scanner: &Scanner,
        scene: &Scene,
        step: &Carried<'_>,
        threads: Threads,
    ) -> Option<(Scan, u64)> {
        let mut done = None;
        let mut missed = 0;
        loop {
            let start = self.since + self.frame as f64 * scanner.period;
            let total = scanner.beams.size(self.frame).0;
            let due = scanner.beams.columns_until(self.frame, step.to - start);
            if due > self.columns {
                self.measure(scanner, scene, step, start, due, threads);
            }
            if total > 0 && self.columns < total {
                return done.map(|scan| (scan, missed));
            }
            let is_over = start + scanner.period <= step.to;
            if total > 0 {
                let scan = self.take(scanner, start - step.to);
                if done.replace(scan).is_some() {
                    missed += 1;
                }
            } else if !is_over {
                return done.map(|scan| (scan, missed));
            }
            (self.frame, self.columns) = (self.frame + 1, 0);
            self.skip(scanner, step.to, &mut missed);
        }
    }

    /// Leaves out scans that end within a step and are not the last one.
    fn skip(&mut self, scanner: &Scanner, until: f64, missed: &mut u64) {
        let begun = ((until - self.since) / scanner.period).floor();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let begun = begun.max(0.0) as u64;
        // The scan before the one that has begun is complete, or nearly so.
        if let Some(left_out) = begun.checked_sub(self.frame + 1) {
            self.frame += left_out;
            *missed += left_out;
        }
    }

    fn measure(
        &mut self,
        scanner: &Scanner,
        scene: &Scene,
        step: &Carried<'_>,
        start: f64,
        due: usize,
        threads: Threads,
    ) {
        let mut scan = self.take(scanner, 0.0);
        let beams = scanner.beams.of_scan(self.frame);
        let rays = beams.of_columns(self.columns..due);
        let duration = step.to - step.from;
        let share = |time: f64| if duration > 0.0 { (start + time - step.from) / duration } else { 1.0 };
        // Rays of a column have the same time and the same pose.
        let device = Sweep::carried(*step.link, &Axes::new(&scanner.mounting));
        let at = |column: usize| {
            let time = share(beams.time(column)).clamp(0.0, 1.0);
            (time, device.at(if step.link.is_still() { 1.0 } else { time }))
        };
        let columns: Vec<(f64, Axes)> = (self.columns..due).map(at).collect();
        let ray = |number: usize| {
            let (index, column) = rays.get(number)?;
            let (time, device) = columns.get(*column)?;
            Some(Ray { time: *time, ..device.ray(&beams.direction(*index)?) })
        };
        scanner.optics.measure(scene, scanner.reach, rays.len(), ray, threads, |number, returns| {
            if let Some((index, _)) = rays.get(number) {
                scan.put(*index, returns);
            }
        });
        (self.distances, self.intensities) = (scan.distances, scan.intensities);
        self.columns = due;
    }

    /// The measured data, for a scan that starts `start` s after its sample.
    fn take(&mut self, scanner: &Scanner, start: f64) -> Scan {
        if self.distances.is_empty() {
            return Scan { start, ..scanner.empty(self.frame) };
        }
        let (yaw_samples, pitch_samples) = scanner.beams.size(self.frame);
        Scan {
            yaw_samples,
            pitch_samples,
            returns: scanner.optics.returns(),
            distances: std::mem::take(&mut self.distances),
            intensities: std::mem::take(&mut self.intensities),
            frame: self.frame,
            start,
        }
    }
}

impl Scanner {
    /// Adds the errors of a sample to a scan of [`RollingScan`]. `random` is only called if the sensor has errors.
    pub fn with_errors(&self, mut scan: Scan, random: impl FnOnce() -> Random) -> Scan {
        self.disturb(&mut scan, random);
        scan
    }
}
