//! What wrenches on the parts of an island make of each other's twists: all that a sweep over few contacts needs, without the coordinates.

use super::pair::{Pair, Six, add};
use super::patch::Patch;
use super::rows::scatter;

/// How many contacts are looked at together at most: a factor takes the cube of their number.
pub const MOST: usize = 16;

/// What touches in an island.
#[derive(Clone, Copy)]
pub struct Touching<'a> {
    pub pairs: &'a [Pair],
    pub patches: &'a [Patch],
    /// Of the rows of the pairs.
    pub indices: &'a [u32],
    pub values: &'a [Six],
}

/// The pairs of an island, coupled.
#[derive(Clone, Debug, Default)]
pub struct Coupled {
    num_pairs: usize,
    /// By pair, by pair: the twist of the second that a wrench on the first makes.
    couplings: Vec<[Six; 6]>,
    /// By pair: what the motion makes of its twist, with what a sweep adds.
    pub twists: Vec<Six>,
    /// By pair: what a sweep adds to its wrench.
    wrenches: Vec<Six>,
    /// By coordinate: one more than its row in the pair that is looked at, or 0.
    row_of_coordinate: Vec<u32>,
}

impl Coupled {
    /// Finds how the pairs are coupled.
    pub fn find(&mut self, Touching { pairs, indices, values, .. }: Touching<'_>) {
        let last = indices.iter().max().map_or(0, |&last| last as usize + 1);
        if self.row_of_coordinate.len() < last {
            self.row_of_coordinate.resize(last, 0);
        }
        self.num_pairs = pairs.len();
        self.couplings.clear();
        self.couplings.resize(pairs.len() * pairs.len(), [[0.0; 6]; 6]);
        for (first, pair) in pairs.iter().enumerate() {
            self.couplings[first * pairs.len() + first] = pair.response;
            let span = pair.rows.start..pair.rows.start + pair.rows.len;
            for (row, &index) in span.clone().zip(&indices[span.clone()]) {
                // Fewer than four thousand million.
                #[allow(clippy::cast_possible_truncation)]
                {
                    self.row_of_coordinate[index as usize] = row as u32 + 1;
                }
            }
            for (second, other) in pairs.iter().enumerate().skip(first + 1) {
                let mut coupling = [[0.0; 6]; 6];
                for row in other.rows.start..other.rows.start + other.rows.len {
                    if let Some(own) = self.row_of_coordinate[indices[row] as usize].checked_sub(1) {
                        for (column, value) in coupling.iter_mut().zip(values[own as usize]) {
                            add(column, &values[row], value);
                        }
                    }
                }
                self.couplings[first * pairs.len() + second] = coupling;
                self.couplings[second * pairs.len() + first] =
                    std::array::from_fn(|column| std::array::from_fn(|row| coupling[row][column]));
            }
            for &index in &indices[span] {
                self.row_of_coordinate[index as usize] = 0;
            }
        }
    }

    /// The twist of the second that a wrench on the first makes.
    pub fn between(&self, first: usize, second: usize) -> &[Six; 6] {
        &self.couplings[first * self.num_pairs + second]
    }

    /// Begins a sweep.
    pub fn begin(&mut self, Touching { pairs, indices, values, .. }: Touching<'_>, motion: &[f64]) {
        self.twists.clear();
        self.twists.extend(pairs.iter().map(|pair| pair.twist(indices, values, motion)));
        self.wrenches.clear();
        self.wrenches.resize(pairs.len(), [0.0; 6]);
    }

    /// The wrench of a pair changes.
    pub fn push(&mut self, pair: usize, wrench: &Six) {
        if *wrench == [0.0; 6] {
            return;
        }
        add(&mut self.wrenches[pair], wrench, 1.0);
        let count = self.twists.len();
        for (twist, coupling) in self.twists.iter_mut().zip(&self.couplings[pair * count..]) {
            for (column, size) in coupling.iter().zip(wrench) {
                add(twist, column, *size);
            }
        }
    }

    /// Ends a sweep: adds to the motion what it has changed.
    pub fn end(&self, Touching { pairs, indices, values, .. }: Touching<'_>, motion: &mut [f64]) {
        for (pair, wrench) in pairs.iter().zip(&self.wrenches) {
            scatter(indices, values, pair.rows, wrench, motion);
        }
    }
}
