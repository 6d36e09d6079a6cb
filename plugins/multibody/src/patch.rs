//! Contacts of the same two parts: their normal impulses are found together.
//!
//! Rigid bodies do not determine how four points of a sole share a load, but what friction can hold depends on it. One after the
//! other, the first point would carry everything that it can, and a gripper would hold its load by a corner, about which the
//! load turns. Together the points share as those of equal stiffness do: of all solutions that with the least sum of squares. Where
//! patches press against each other through a body, as those of two fingers do, their shares depend on each other; surfaces that have
//! just met are therefore first solved with points that yield a little more the more they carry, and each step begins with shares
//! that are a little more [even](super::even_out). What is solved in the end is rigid. It takes fewer sweeps, too.

use super::contact_block::{ContactBlock, LANES};
use super::rows::{Rows, gather, scatter};

/// The most contacts of a patch; rapier's manifolds have no more.
const MOST: usize = 4;
/// Rows of so many contacts.
const WIDTH: usize = 3 * MOST;
/// Share of a contact's compliance by which it yields more than its neighbours if it carries more, while shares are found.
const YIELDING: f64 = 0.005;
/// The same whatever the others carry: only to divide by.
const REGULARISATION: f64 = 1e-8;
/// Times that contacts are let go or taken back in one solve.
const MAX_CHANGES: usize = 12;
/// What is left of what was wrong with a patch when the next one has its turn, if not [`Passes::most`] end before.
const PASS_SHARE: f64 = 0.1;

/// Contacts next to each other in the list whose parts are the same.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub start: usize,
    pub len: usize,
    /// Whether the parts are those of the patch before it.
    pub goes_on: bool,
    /// What an impulse along one row does to another: the normal and two tangents, contact by contact.
    response: [[f64; WIDTH]; WIDTH],
    /// How much faster one yields than its neighbours for each N·s that it carries more, m/s.
    softness: f64,
    /// The normals' share of the response.
    normals: Square,
    /// Their factor for [`Stage::Settle`], if all contacts act and none is let go.
    factor: Factor,
}

/// Contacts by contacts.
type Square = [[f64; MOST]; MOST];

/// Cholesky's, with the reciprocals of its diagonal. Points on one surface are nearly dependent on each other: their inverse would
/// not bring them to rest as exactly.
type Factor = Square;

/// What a solve is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// How contacts that are new share what they carry: those that carry more than their neighbours yield.
    Share,
    /// How fast everything is. Nothing yields.
    Settle,
}

/// What a sweep spends on a patch.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    /// The most passes before the next patch has its turn.
    pub most: usize,
    /// m/s or rad/s; what is wrong by far less is not worth another pass.
    pub tolerance: f64,
}

impl Passes {
    /// All that a patch is worth by itself.
    pub fn whole(tolerance: f64) -> Self {
        Self { most: 4, tolerance }
    }

    /// Where many patches depend on each other, it is not worth while to solve one to the end before its neighbours have moved.
    pub fn in_passing(tolerance: f64) -> Self {
        Self { most: 1, tolerance }
    }
}

impl Patch {
    /// Of one contact.
    pub fn new(start: usize, goes_on: bool) -> Self {
        let none = [[0.0; MOST]; MOST];
        Self { start, len: 1, goes_on, response: [[0.0; WIDTH]; WIDTH], softness: 0.0, normals: none, factor: none }
    }

    /// Whether another contact finds room.
    pub fn has_room(&self) -> bool {
        self.len < MOST
    }

    /// Finds the responses once all contacts are there.
    pub fn build(&mut self, contacts: &[ContactBlock], values: &[[f64; LANES]]) {
        if self.len == 1 {
            return;
        }
        let blocks = &contacts[self.start..self.start + self.len];
        for index in 0..blocks[0].rows.len {
            let mut row = [0.0; WIDTH];
            for (block, lanes) in blocks.iter().zip(row.as_chunks_mut::<3>().0) {
                lanes.copy_from_slice(&values[block.rows.start + index][..3]);
            }
            for (entries, value) in self.response.iter_mut().zip(row).take(3 * self.len) {
                *entries = std::array::from_fn(|column| entries[column] + value * row[column]);
            }
        }
        let response = &self.response;
        self.normals = std::array::from_fn(|row| std::array::from_fn(|column| response[3 * row][3 * column]));
        let sum: f64 = (0..self.len).map(|index| self.normals[index][index]).sum();
        self.softness = YIELDING * sum / self.len as f64;
        self.factor = self.factor_of(Stage::Settle, [true; MOST], [true; MOST]);
    }

    /// Response of a normal to another of so many, with what evens them out.
    fn soft(&self, stage: Stage, row: usize, column: usize, count: usize) -> f64 {
        if stage == Stage::Settle {
            return self.normals[row][column];
        }
        let own = if row == column { 1.0 } else { 0.0 };
        self.normals[row][column] + self.softness * (own - 1.0 / count as f64)
    }

    /// Factor of the normals that are in a set; others stand alone.
    fn factor_of(&self, stage: Stage, acts: [bool; MOST], set: [bool; MOST]) -> Factor {
        let count = (0..self.len).filter(|&index| acts[index]).count();
        let mut factor = [[0.0; MOST]; MOST];
        for column in 0..self.len {
            for row in column..self.len {
                let known: f64 = (0..column).map(|index| factor[row][index] * factor[column][index]).sum();
                factor[row][column] = match (row == column, set[row] && set[column]) {
                    (true, true) => (self.soft(stage, row, row, count) + REGULARISATION * self.normals[row][row]
                        - known)
                        .max(f64::MIN_POSITIVE)
                        .sqrt()
                        .recip(),
                    (true, false) => 1.0,
                    (false, true) => (self.soft(stage, row, column, count) - known) * factor[column][column],
                    (false, false) => 0.0,
                };
            }
        }
        factor
    }

    /// Normal impulses that bring what acts to its targets, or more where the impulse is none. `wanted` is what they change.
    fn normals(&self, stage: Stage, acts: [bool; MOST], wanted: &[f64; MOST]) -> [f64; MOST] {
        let count = (0..self.len).filter(|&index| acts[index]).count();
        let mut set = acts;
        let mut impulses = [0.0; MOST];
        for _ in 0..MAX_CHANGES {
            if stage == Stage::Settle && set == [true; MOST] {
                impulses = *wanted;
                solve(self.len, &self.factor, &mut impulses);
                if impulses.iter().all(|impulse| *impulse >= 0.0) {
                    return impulses;
                }
            } else {
                impulses = std::array::from_fn(|index| if set[index] { wanted[index] } else { 0.0 });
                solve(self.len, &self.factor_of(stage, acts, set), &mut impulses);
            }
            let pulls = (0..self.len).filter(|&index| set[index] && impulses[index] < 0.0);
            if let Some(worst) = pulls.min_by(|&one, &other| impulses[one].total_cmp(&impulses[other])) {
                set[worst] = false;
                continue;
            }
            let missing = |index: usize| {
                let reached: f64 =
                    (0..self.len).map(|other| self.soft(stage, index, other, count) * impulses[other]).sum();
                wanted[index] - reached
            };
            let lets_go = (0..self.len).filter(|&index| acts[index] && !set[index]);
            let short = lets_go.map(|index| (index, missing(index)));
            // Of a point that the others hold exactly nothing but rounding is left.
            let short = short.filter(|&(index, missing)| missing > 1e-9 * wanted[index].abs());
            match short.max_by(|one, other| one.1.total_cmp(&other.1)) {
                Some((worst, _)) => set[worst] = true,
                None => break,
            }
        }
        impulses.map(|impulse| impulse.max(0.0))
    }

    /// Better impulses of all contacts. Gives how fast the worst one was wrong, m/s or rad/s.
    pub fn improve(
        &self,
        stage: Stage,
        passes: Passes,
        contacts: &mut [ContactBlock],
        indices: &[u32],
        values: &[[f64; LANES]],
        motion: &mut [f64],
    ) -> f64 {
        let blocks = &mut contacts[self.start..self.start + self.len];
        if let [block] = blocks {
            if !block.acts {
                return 0.0;
            }
            let change = gather(indices, values, block.rows, motion);
            let (step, off) = block.improve(&change);
            if step != [0.0; LANES] {
                scatter(indices, values, block.rows, &step, motion);
            }
            return off;
        }
        if blocks.iter().all(|block| !block.acts) {
            return 0.0;
        }
        let mut velocity = [0.0; WIDTH];
        // All have the rows of the same parts; what is missing to four is one of them once more.
        let rows: [&[[f64; LANES]]; MOST] = std::array::from_fn(|index| {
            let Rows { start, len } = blocks[index.min(self.len - 1)].rows;
            &values[start..start + len]
        });
        let indices = &indices[blocks[0].rows.start..][..rows[0].len()];
        let mut changes = [[0.0; LANES]; MOST];
        for (row, &index) in indices.iter().enumerate() {
            let moved = motion[index as usize];
            changes = std::array::from_fn(|block| {
                let value = &rows[block][row];
                std::array::from_fn(|lane| changes[block][lane] + value[lane] * moved)
            });
        }
        for ((block, change), into) in blocks.iter().zip(&changes).zip(velocity.as_chunks_mut::<3>().0) {
            *into = std::array::from_fn(|lane| block.start[lane] + change[lane]);
        }
        let mut steps = [[0.0; LANES]; MOST];
        let mut first = 0.0;
        for pass in 0..passes.most {
            let off = self.pass(stage, blocks, &mut velocity, &mut steps);
            if pass == 0 {
                first = off;
            }
            if off <= PASS_SHARE * first.max(passes.tolerance) {
                break;
            }
        }
        if steps != [[0.0; LANES]; MOST] {
            for (row, &index) in indices.iter().enumerate() {
                let moved = &mut motion[index as usize];
                for (rows, step) in rows.iter().zip(&steps).take(self.len) {
                    let [normal, one, two, _] = rows[row];
                    *moved += normal * step[0] + one * step[1] + two * step[2];
                }
            }
        }
        first
    }

    /// Adds what impulses along some rows do.
    fn push<const N: usize>(&self, rows: [usize; N], impulses: &[f64; N], velocity: &mut [f64; WIDTH]) {
        let rows = rows.map(|row| &self.response[row]);
        *velocity = std::array::from_fn(|column| {
            rows.iter().zip(impulses).fold(velocity[column], |sum, (row, impulse)| sum + row[column] * impulse)
        });
    }

    /// One pass over the normals, all at once, and the friction of one contact after the other. Gives how fast the worst was wrong.
    fn pass(
        &self,
        stage: Stage,
        blocks: &mut [ContactBlock],
        velocity: &mut [f64; WIDTH],
        steps: &mut [[f64; LANES]; MOST],
    ) -> f64 {
        let acts = std::array::from_fn(|index| blocks.get(index).is_none_or(|block| block.acts));
        let held = std::array::from_fn(|index| {
            blocks.get(index).filter(|block| block.acts).map_or(0.0, |block| block.impulse[0])
        });
        let mut wanted = product(&self.normals, &held);
        for (index, block) in blocks.iter().enumerate() {
            wanted[index] -= velocity[3 * index] - block.target;
        }
        let normals = self.normals(stage, acts, &wanted);
        let mut worst = 0.0_f64;
        let mut changes = [0.0; MOST];
        for (index, block) in blocks.iter_mut().enumerate().filter(|(_, block)| block.acts) {
            changes[index] = normals[index] - block.impulse[0];
            block.impulse[0] = normals[index];
            steps[index][0] += changes[index];
            worst = worst.max(changes[index].abs() * self.normals[index][index]);
        }
        self.push([0, 3, 6, 9], &changes, velocity);
        for (index, block) in blocks.iter_mut().enumerate().filter(|(_, block)| block.acts) {
            let rows = [3 * index + 1, 3 * index + 2];
            let old = [block.impulse[1], block.impulse[2]];
            let bound = block.friction * block.impulse[0];
            let [one, two] = block.tangents.slide(&rows.map(|row| velocity[row]), &old, bound);
            let changes = [one - old[0], two - old[1]];
            if changes == [0.0; 2] {
                continue;
            }
            (block.impulse[1], block.impulse[2]) = (one, two);
            for (lane, change) in changes.into_iter().enumerate() {
                steps[index][lane + 1] += change;
                worst = worst.max(change.abs() * block.tangents.own()[lane]);
            }
            self.push(rows, &changes, velocity);
        }
        worst
    }
}

/// A symmetric matrix times a vector.
fn product(matrix: &Square, vector: &[f64; MOST]) -> [f64; MOST] {
    let mut sum = [0.0; MOST];
    for (column, value) in matrix.iter().zip(vector) {
        sum = std::array::from_fn(|row| sum[row] + column[row] * value);
    }
    sum
}

/// Solves for the first `len` values by a factor.
fn solve(len: usize, factor: &Factor, values: &mut [f64; MOST]) {
    for row in 0..len {
        let known: f64 = (0..row).map(|index| factor[row][index] * values[index]).sum();
        values[row] = (values[row] - known) * factor[row][row];
    }
    for row in (0..len).rev() {
        let known: f64 = (row + 1..len).map(|index| factor[index][row] * values[index]).sum();
        values[row] = (values[row] - known) * factor[row][row];
    }
}
