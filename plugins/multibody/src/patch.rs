//! Contacts of the same two parts: their normal impulses are found together.
//!
//! Rigid bodies do not determine how four points of a sole share a load, but what friction can hold depends on it. One after the
//! other, the first point would carry everything that it can, and a gripper would hold its load by a corner, about which the
//! load turns. Together the points share as those of equal stiffness do: of all solutions that with the least sum of squares. Where
//! patches press against each other through a body, as those of two fingers do, their shares depend on each other; surfaces that have
//! just met are therefore first solved with points that yield a little more the more they carry, and each step begins with shares
//! that are a little more alike. What is solved in the end is rigid. It takes fewer sweeps, too.

use super::contact_block::{ContactBlock, LANES, slide};
use super::rows::{gather, scatter};

/// The most contacts of a patch; rapier's manifolds have no more.
const MOST: usize = 4;
/// Rows of so many contacts.
const WIDTH: usize = 3 * MOST;
/// Share of a contact's compliance by which it yields more than its neighbours if it carries more, while shares are found.
const YIELDING: f64 = 0.005;
/// How much of what a contact carries more than others of the same parts is given to them from one step to the next, if nothing
/// speaks against it.
const EVENING: f64 = 0.02;
/// The same whatever the others carry: only to divide by.
const REGULARISATION: f64 = 1e-8;
/// Times that contacts are let go or taken back in one solve.
const MAX_CHANGES: usize = 12;
/// The most passes over a patch before the next one has its turn, and what is left when that is enough.
const MAX_PASSES: usize = 4;
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
    /// Cholesky's factor of the normals for [`Stage::Settle`].
    factor: Factor,
}

type Factor = [[f64; MOST]; MOST];

/// Begins with impulses that are a little more alike than before among contacts of the same parts. Gives whether any parts touch
/// that did not.
pub fn even_out(patches: &[Patch], contacts: &mut [ContactBlock]) -> bool {
    let mut is_new = false;
    for touching in patches.chunk_by(|_, next| next.goes_on) {
        let [Patch { start, .. }, ..] = touching else { continue };
        let blocks = &mut contacts[*start..][..touching.iter().map(|patch| patch.len).sum()];
        let mean = blocks.iter().map(|block| block.impulse[0]).sum::<f64>() / blocks.len() as f64;
        is_new |= mean == 0.0 && blocks.len() > 1;
        for block in blocks {
            block.impulse[0] += EVENING * (mean - block.impulse[0]);
        }
    }
    is_new
}

/// What a solve is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// How contacts that are new share what they carry: those that carry more than their neighbours yield.
    Share,
    /// How fast everything is. Nothing yields.
    Settle,
}

impl Patch {
    /// Of one contact.
    pub fn new(start: usize, goes_on: bool) -> Self {
        Self { start, len: 1, goes_on, response: [[0.0; WIDTH]; WIDTH], softness: 0.0, factor: [[0.0; MOST]; MOST] }
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
        let sum: f64 = (0..self.len).map(|index| self.normal(index, index)).sum();
        self.softness = YIELDING * sum / self.len as f64;
        self.factor = self.factor_of(Stage::Settle, [true; MOST], [true; MOST]);
    }

    /// Response of a normal to another of so many, with what evens them out.
    fn soft(&self, stage: Stage, row: usize, column: usize, count: usize) -> f64 {
        if stage == Stage::Settle {
            return self.normal(row, column);
        }
        let own = if row == column { 1.0 } else { 0.0 };
        self.normal(row, column) + self.softness * (own - 1.0 / count as f64)
    }

    fn normal(&self, row: usize, column: usize) -> f64 {
        self.response[3 * row][3 * column]
    }

    /// Factor of the normals that are in a set; others stand alone.
    fn factor_of(&self, stage: Stage, acts: [bool; MOST], set: [bool; MOST]) -> Factor {
        let count = (0..self.len).filter(|&index| acts[index]).count();
        let mut factor = [[0.0; MOST]; MOST];
        for column in 0..self.len {
            for row in column..self.len {
                let known: f64 = (0..column).map(|index| factor[row][index] * factor[column][index]).sum();
                factor[row][column] = match (row == column, set[row] && set[column]) {
                    (true, true) => (self.soft(stage, row, row, count) + REGULARISATION * self.normal(row, row)
                        - known)
                        .max(f64::MIN_POSITIVE)
                        .sqrt(),
                    (true, false) => 1.0,
                    (false, true) => (self.soft(stage, row, column, count) - known) / factor[column][column],
                    (false, false) => 0.0,
                };
            }
        }
        factor
    }

    fn solve(&self, factor: &Factor, values: &mut [f64; MOST]) {
        for row in 0..self.len {
            let known: f64 = (0..row).map(|index| factor[row][index] * values[index]).sum();
            values[row] = (values[row] - known) / factor[row][row];
        }
        for row in (0..self.len).rev() {
            let known: f64 = (row + 1..self.len).map(|index| factor[index][row] * values[index]).sum();
            values[row] = (values[row] - known) / factor[row][row];
        }
    }

    /// Normal impulses that bring what acts to its targets, or more where the impulse is none. `wanted` is what they change.
    fn normals(&self, stage: Stage, acts: [bool; MOST], wanted: &[f64; MOST]) -> [f64; MOST] {
        let count = (0..self.len).filter(|&index| acts[index]).count();
        let mut set = acts;
        let mut impulses = [0.0; MOST];
        for _ in 0..MAX_CHANGES {
            impulses = std::array::from_fn(|index| if set[index] { wanted[index] } else { 0.0 });
            if stage == Stage::Settle && set == [true; MOST] {
                self.solve(&self.factor, &mut impulses);
            } else {
                self.solve(&self.factor_of(stage, acts, set), &mut impulses);
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
        for (index, block) in blocks.iter().enumerate() {
            let change = gather(indices, values, block.rows, motion);
            (0..3).for_each(|lane| velocity[3 * index + lane] = block.start[lane] + change[lane]);
        }
        let mut steps = [[0.0; LANES]; MOST];
        let mut first = 0.0;
        for pass in 0..MAX_PASSES {
            let off = self.pass(stage, blocks, &mut velocity, &mut steps);
            if pass == 0 {
                first = off;
            }
            if off <= PASS_SHARE * first {
                break;
            }
        }
        for (block, step) in blocks.iter().zip(&steps).filter(|(_, step)| **step != [0.0; LANES]) {
            scatter(indices, values, block.rows, step, motion);
        }
        first
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
        let mut wanted = [0.0; MOST];
        for index in 0..self.len {
            let held = blocks.iter().enumerate().filter(|(_, block)| block.acts);
            let held: f64 = held.map(|(other, block)| self.normal(index, other) * block.impulse[0]).sum();
            wanted[index] = held - (velocity[3 * index] - blocks[index].target);
        }
        let normals = self.normals(stage, acts, &wanted);
        let push = |row: usize, step: f64, velocity: &mut [f64; WIDTH]| {
            *velocity = std::array::from_fn(|column| velocity[column] + self.response[row][column] * step);
        };
        let mut worst = 0.0_f64;
        for (index, block) in blocks.iter_mut().enumerate().filter(|(_, block)| block.acts) {
            let step = normals[index] - block.impulse[0];
            block.impulse[0] = normals[index];
            steps[index][0] += step;
            push(3 * index, step, velocity);
            worst = worst.max(step.abs() * self.normal(index, index));
        }
        for (index, block) in blocks.iter_mut().enumerate().filter(|(_, block)| block.acts) {
            let [one, two] = [3 * index + 1, 3 * index + 2];
            let own = [self.response[one][one], self.response[two][two], self.response[one][two]];
            let old = [block.impulse[1], block.impulse[2]];
            let tangents = slide(&own, &[velocity[one], velocity[two]], &old, block.friction * block.impulse[0]);
            for (lane, row) in [one, two].into_iter().enumerate() {
                let step = tangents[lane] - old[lane];
                block.impulse[lane + 1] = tangents[lane];
                steps[index][lane + 1] += step;
                if step != 0.0 {
                    push(row, step, velocity);
                }
                worst = worst.max(step.abs() * own[lane]);
            }
        }
        worst
    }
}
