//! Two parts that touch, and how they move against each other.
//!
//! However many points they touch in, those move with one twist: a sweep looks up what the coordinates make of it once, and all
//! points work with its six numbers.

use nalgebra::Vector3;

use super::index::PartIndex;
use super::rows::{Rows, dot, gather};

/// A twist, the velocity of a point first and then the angular velocity, or a wrench about the same point, a force and then a torque.
pub type Six = [f64; 6];

/// Contacts next to each other in the list whose parts are the same have one pair.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub parts: [Option<PartIndex>; 2],
    /// Where twists and wrenches are told, m, in the world.
    pub center: Vector3<f64>,
    /// Rows of the twist of the first part against the second, with loops taken into account, and without.
    pub rows: Rows,
    pub own: Rows,
    /// Twist at the beginning of the step, and how much forces change it.
    pub before: Six,
    pub change: Six,
    /// What loops add to it, whatever the motion.
    pub correction: Six,
    /// The twist that a wrench makes.
    pub response: [Six; 6],
}

impl Pair {
    /// What the motion adds to the twist.
    pub fn twist(&self, indices: &[u32], values: &[Six], motion: &[f64]) -> Six {
        gather(indices, values, self.rows, motion)
    }

    /// The rows, where loops leave the twist less freedom than its six numbers have: what an impulse does is then a small difference of
    /// large numbers, and has to be found from the rows.
    pub fn freed_rows<'a>(&self, values: &'a [Six]) -> Option<&'a [Six]> {
        (self.rows.start != self.own.start).then(|| &values[self.rows.start..self.rows.start + self.rows.len])
    }

    /// Adds the twist that a force makes.
    pub fn yield_to_force(&self, force: &Vector3<f64>, twist: &mut Six) {
        for (column, size) in self.response.iter().zip(force) {
            add(twist, column, *size);
        }
    }

    /// Adds the twist that a torque makes.
    pub fn yield_to_torque(&self, torque: &Vector3<f64>, twist: &mut Six) {
        for (column, size) in self.response[3..].iter().zip(torque) {
            add(twist, column, *size);
        }
    }
}

/// Axes of contacts with one normal, which most contacts of a pair have.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    /// Index of the pair.
    pub pair: usize,
    /// Normal and tangents.
    pub axes: [Vector3<f64>; 3],
    /// The twists that forces along them make.
    pub yields: [Six; 3],
}

/// Adds a multiple.
#[inline]
pub fn add(sum: &mut Six, other: &Six, times: f64) {
    *sum = std::array::from_fn(|index| sum[index] + other[index] * times);
}

/// How much an impulse along one wrench changes the velocity along another.
pub fn response_between(rows: &[Six], one: &Six, other: &Six) -> f64 {
    rows.iter().map(|row| dot(row, one) * dot(row, other)).sum()
}

/// What rows yield to wrenches: the sum of each row's products with itself.
pub fn response(values: &[Six]) -> [Six; 6] {
    let mut response = [[0.0; 6]; 6];
    for row in values {
        for (entries, value) in response.iter_mut().zip(row) {
            add(entries, row, *value);
        }
    }
    response
}
