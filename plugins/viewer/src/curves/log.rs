use std::collections::BTreeMap;

use bevy::prelude::*;
use bunraku_motion::without_jumps;

use super::channel::Channel;
use crate::timeline::History;

/// Number of rows kept for a body or a sensor; in a longer run their interval is larger.
const CAPACITY: usize = 20_000;

/// Logged quantities of bodies and sensors.
#[derive(Resource, Debug, Default)]
pub struct CurveLog {
    rows: BTreeMap<Entity, History<Box<[f64]>>>,
}

impl CurveLog {
    /// Adds the row of a step. `make` is called if the row is kept.
    pub fn push(&mut self, of: Entity, step: u64, make: impl FnOnce() -> Box<[f64]>) {
        let rows = self.rows.entry(of).or_insert_with(|| History::new(CAPACITY));
        if rows.wants(step) {
            rows.push(step, make());
        }
    }

    /// Discards rows after a step.
    pub fn forget_after(&mut self, step: u64) {
        for rows in self.rows.values_mut() {
            rows.forget_from(step.saturating_add(1));
        }
    }

    /// Times, s, and values of a channel of a body with this number of joints, at most `most` points.
    ///
    /// If there are more rows, the minimum and the maximum of each interval are returned, so that no peak is lost.
    pub fn points(&self, channel: Channel, num_joints: usize, time_step: f64, most: usize) -> Vec<[f64; 2]> {
        let Some(rows) = self.rows.get(&channel.of) else { return Vec::new() };
        let index = channel.quantity.index(num_joints);
        #[allow(clippy::cast_precision_loss)]
        let point = |(step, row): (u64, &[f64])| row.get(index).map(|value| [step as f64 * time_step, *value]);
        let rows = rows.iter().map(|(step, row)| (step, &row[..]));
        let mut all: Vec<[f64; 2]> = rows.filter_map(point).filter(|[_, value]| value.is_finite()).collect();
        if channel.quantity.is_orientation() {
            let mut angles: Vec<_> = all.iter().map(|[time, value]| (*time, *value)).collect();
            without_jumps(&mut angles);
            all = angles.into_iter().map(|(time, value)| [time, value]).collect();
        }
        thinned(&all, most)
    }

    /// Values of a channel at evenly spaced rows up to a step, at most the given number.
    pub fn every(&self, channel: Channel, num_joints: usize, until: u64, most: usize) -> Vec<f64> {
        let Some(rows) = self.rows.get(&channel.of) else { return Vec::new() };
        let index = channel.quantity.index(num_joints);
        let step_by = rows.len().div_ceil(most.max(2)).max(1);
        let rows = rows.iter().take_while(|(step, _)| *step <= until).step_by(step_by);
        rows.filter_map(|(_, row)| row.get(index).copied()).collect()
    }
}

/// At most `most` points (at least 4), including the extremes.
pub fn thinned(points: &[[f64; 2]], most: usize) -> Vec<[f64; 2]> {
    let most = most.max(4);
    if points.len() <= most {
        return points.to_vec();
    }
    let length = points.len().div_ceil(most / 2);
    let mut thin = Vec::with_capacity(most);
    for stretch in points.chunks(length) {
        let lowest = stretch.iter().enumerate().min_by(|a, b| a.1[1].total_cmp(&b.1[1])).map_or(0, |(index, _)| index);
        let highest = stretch.iter().enumerate().max_by(|a, b| a.1[1].total_cmp(&b.1[1])).map_or(0, |(index, _)| index);
        thin.push(stretch[lowest.min(highest)]);
        if lowest != highest {
            thin.push(stretch[lowest.max(highest)]);
        }
    }
    thin
}

#[cfg(test)]
mod tests {
    use bunraku_body::JointIndex;

    use super::super::channel::Quantity;
    use super::*;

    #[test]
    fn a_curve_goes_back_with_the_simulation() {
        let (mut log, of) = (CurveLog::default(), Entity::from_bits(1));
        for step in 0..100_u32 {
            log.push(of, step.into(), || Box::new([f64::from(step), 0.0, 7.0, 0.25, 0.0, 0.0, 0.5, 3.0, 0.0, -3.0]));
        }
        log.forget_after(49);
        let channel = |quantity| Channel { of, quantity };
        let points = log.points(channel(Quantity::Displacement(JointIndex(0))), 1, 0.5, 1000);
        assert_eq!((points.len(), points[49]), (50, [24.5, 49.0]));
        assert_eq!(log.points(channel(Quantity::Effort(JointIndex(0))), 1, 0.5, 1000)[3][1], 7.0);
        assert_eq!(log.points(channel(Quantity::Target(JointIndex(0))), 1, 0.5, 1000)[3][1], 0.25);
        assert_eq!(log.points(channel(Quantity::Root(2)), 1, 0.5, 1000)[3][1], 0.5);
        assert_eq!(log.points(channel(Quantity::Root(5)), 1, 0.5, 1000)[3][1], -3.0);
        assert!(log.points(channel(Quantity::Sensor(99)), 1, 0.5, 1000).is_empty());
    }

    #[test]
    fn thinning_keeps_peaks() {
        let mut points: Vec<_> = (0..10_000_u32).map(|index| [f64::from(index), 0.0]).collect();
        points[4321][1] = 5.0;
        points[8765][1] = -3.0;
        let thin = thinned(&points, 100);
        assert!(thin.len() <= 100);
        assert!(thin.contains(&[4321.0, 5.0]) && thin.contains(&[8765.0, -3.0]));
        assert!(thin.windows(2).all(|pair| pair[0][0] < pair[1][0]));
    }
}
