//! Contacts of the same two parts: their normal impulses are found together.
//!
//! Rigid bodies do not determine how four points of a sole share a load, but what friction can hold depends on it. One after the
//! other, the first point would carry everything that it can, and a gripper would hold its load by a corner, about which the
//! load turns. Together the points share as those of equal stiffness do: of all solutions that with the least sum of squares. Where
//! patches press against each other through a body, as those of two fingers do, their shares depend on each other; surfaces that have
//! just met are therefore first solved with points that yield a little more the more they carry, and each step begins with shares
//! that are more [even](super::even_out). What is solved in the end is rigid. It takes fewer sweeps, too.

use super::contact_block::ContactBlock;
use super::pair::{Six, response_between};
use super::rows::dot;

/// So many patches in one island are many: what each is worth in a small one would take a pile two or three times as long.
pub const MANY_PATCHES: usize = 16;
/// The most contacts of a patch; rapier's manifolds have no more.
const MOST: usize = 4;
/// Share of a contact's compliance by which it yields more than its neighbours if it carries more, while shares are found.
const YIELDING: f64 = 0.005;
/// The same whatever the others carry: only to divide by.
const REGULARISATION: f64 = 1e-8;
/// Where a pass changes no velocity by more, m/s, what regularisation has left matters.
const NEARLY_AT_REST: f64 = 1e-7;
/// Times that contacts are let go or taken back in one solve.
const MAX_CHANGES: usize = 12;
/// What is left of what was wrong with a patch when the next one has its turn, if not [`Passes::most`] end before.
const PASS_SHARE: f64 = 0.1;

/// Contacts next to each other in the list whose parts are the same.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub start: usize,
    pub len: usize,
    /// Index of the parts.
    pub pair: usize,
    /// How much faster one yields than its neighbours for each N·s that it carries more, m/s.
    softness: f64,
    /// What an impulse along one normal does to another.
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
    /// Whether what regularisation has left is taken out where hardly anything changes any more: of what may come to rest.
    pub refines: bool,
}

impl Passes {
    /// All that a patch is worth by itself.
    pub fn whole(tolerance: f64) -> Self {
        Self { most: 4, tolerance, refines: false }
    }

    /// Where many patches depend on each other, it is not worth while to solve one to the end before its neighbours have moved.
    pub fn in_passing(tolerance: f64) -> Self {
        Self { most: 1, tolerance, refines: false }
    }
}

impl Patch {
    /// Of one contact.
    pub fn new(start: usize, pair: usize) -> Self {
        let none = [[0.0; MOST]; MOST];
        Self { start, len: 1, pair, softness: 0.0, normals: none, factor: none }
    }

    /// Whether another contact finds room.
    pub fn has_room(&self) -> bool {
        self.len < MOST
    }

    /// Finds the responses once all contacts are there, from the rows of their parts if they are given.
    pub fn build(&mut self, contacts: &[ContactBlock], rows: Option<&[Six]>) {
        if self.len == 1 {
            return;
        }
        let blocks = &contacts[self.start..self.start + self.len];
        for (row, one) in blocks.iter().enumerate() {
            for (column, other) in blocks[..=row].iter().enumerate() {
                let value = match rows {
                    None => dot(&one.wrenches[0], &other.yields[0]),
                    Some(rows) => response_between(rows, &one.wrenches[0], &other.wrenches[0]),
                };
                self.normals[row][column] = value;
                self.normals[column][row] = value;
            }
        }
        let sum: f64 = (0..self.len).map(|index| self.normals[index][index]).sum();
        // What is missing to four stands for itself and has nothing to do.
        for index in self.len..MOST {
            self.normals[index][index] = 1.0;
        }
        self.softness = YIELDING * sum / self.len as f64;
        self.factor = self.factor_of(Stage::Settle, [true; MOST], [true; MOST]);
    }

    /// Response of a normal to another of so many, with what evens them out.
    fn soft(&self, stage: Stage, row: usize, column: usize, count: usize) -> f64 {
        if stage == Stage::Settle || row.max(column) >= self.len {
            return self.normals[row][column];
        }
        let own = if row == column { 1.0 } else { 0.0 };
        self.normals[row][column] + self.softness * (own - 1.0 / count as f64)
    }

    /// Factor of the normals that are in a set; others stand alone.
    fn factor_of(&self, stage: Stage, acts: [bool; MOST], set: [bool; MOST]) -> Factor {
        let count = (0..self.len).filter(|&index| acts[index]).count();
        let mut factor = [[0.0; MOST]; MOST];
        for column in 0..MOST {
            for row in column..MOST {
                let known = (0..column).fold(0.0, |known, index| known + factor[row][index] * factor[column][index]);
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
        if wanted.iter().take(self.len).all(|wanted| *wanted <= 0.0) {
            return [0.0; MOST];
        }
        let count = (0..self.len).filter(|&index| acts[index]).count();
        let mut set = acts;
        let mut impulses = [0.0; MOST];
        for _ in 0..MAX_CHANGES {
            if stage == Stage::Settle && set == [true; MOST] {
                impulses = *wanted;
                solve(&self.factor, &mut impulses);
                if impulses.iter().all(|impulse| *impulse >= 0.0) {
                    return impulses;
                }
            } else {
                impulses = std::array::from_fn(|index| if set[index] { wanted[index] } else { 0.0 });
                solve(&self.factor_of(stage, acts, set), &mut impulses);
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

    /// Takes out what regularisation has left, if all contacts bear something: what rests would creep by that.
    fn refine(&self, impulses: &mut [f64; MOST], wanted: &[f64; MOST]) {
        if impulses[..self.len].contains(&0.0) {
            return;
        }
        let reached = product(&self.normals, impulses);
        let mut missing = std::array::from_fn(|index| wanted[index] - reached[index]);
        solve(&self.factor, &mut missing);
        for (impulse, missing) in impulses.iter_mut().zip(missing) {
            *impulse = (*impulse + missing).max(0.0);
        }
    }

    /// Better impulses of all contacts. Gives how fast the worst one was wrong, m/s or rad/s, and the wrench that has been added. `twist`
    /// is what the motion adds to that of the parts.
    pub fn improve(&self, stage: Stage, passes: Passes, blocks: &mut [ContactBlock], mut twist: Six) -> (f64, Six) {
        let mut wrench = [0.0; 6];
        if let [block] = blocks {
            return (block.improve(&mut twist, &mut wrench), wrench);
        }
        let mut first = 0.0;
        for pass in 0..passes.most {
            let off = self.pass(stage, passes, blocks, &mut twist, &mut wrench);
            if pass == 0 {
                first = off;
            }
            if off <= PASS_SHARE * first.max(passes.tolerance) {
                break;
            }
        }
        (first, wrench)
    }

    /// One pass over the normals, all at once, and the friction of one contact after the other. Gives how fast the worst was wrong.
    fn pass(
        &self,
        stage: Stage,
        passes: Passes,
        blocks: &mut [ContactBlock],
        twist: &mut Six,
        wrench: &mut Six,
    ) -> f64 {
        let acts = std::array::from_fn(|index| blocks.get(index).is_none_or(|block| block.acts));
        let held = std::array::from_fn(|index| {
            blocks.get(index).filter(|block| block.acts).map_or(0.0, |block| block.impulse[0])
        });
        let mut wanted = product(&self.normals, &held);
        for (wanted, block) in wanted.iter_mut().zip(&*blocks) {
            *wanted -= block.velocity(0, twist) - block.target;
        }
        let mut normals = self.normals(stage, acts, &wanted);
        let mut worst = 0.0_f64;
        for (normal, block) in normals.iter().zip(&*blocks) {
            worst = worst.max((normal - block.impulse[0]).abs() * block.response);
        }
        if passes.refines && worst < NEARLY_AT_REST && stage == Stage::Settle && acts == [true; MOST] {
            self.refine(&mut normals, &wanted);
        }
        for (index, block) in blocks.iter_mut().enumerate().filter(|(_, block)| block.acts) {
            let step = normals[index] - block.impulse[0];
            block.push(0, step, twist, wrench);
            block.impulse[0] = normals[index];
        }
        for block in blocks.iter_mut().filter(|block| block.acts) {
            worst = worst.max(block.rub(twist, wrench));
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

/// Solves by a factor.
fn solve(factor: &Factor, values: &mut [f64; MOST]) {
    for row in 0..MOST {
        for index in 0..row {
            values[row] -= factor[row][index] * values[index];
        }
        values[row] *= factor[row][row];
    }
    for row in (0..MOST).rev() {
        for index in row + 1..MOST {
            values[row] -= factor[index][row] * values[index];
        }
        values[row] *= factor[row][row];
    }
}
