//! Contacts of the same two parts: their normal impulses are found together.
//!
//! Rigid bodies do not determine how four points of a sole share a load, but what friction can hold depends on it. One after the
//! other, the first point would carry everything that it can, and a gripper would hold its load by a corner, about which the
//! load turns. Together the points share as those of equal stiffness do: of all solutions that with the least sum of squares. Where
//! patches press against each other through a body, as those of two fingers do, their shares depend on each other; surfaces that have
//! just met are therefore first solved with points that yield a little more the more they carry, and each step begins with shares
//! that are more [even](super::even_out). What is solved in the end is rigid. It takes fewer sweeps, too.

use super::contact_block::ContactBlock;
use super::hold::{Hold, MOST};
use super::normals::{Normals, Stage};
use super::pair::{Six, response_between};
use super::rows::dot;

/// So many patches in one island are many: what each is worth in a small one would take a pile two or three times as long.
pub const MANY_PATCHES: usize = 16;
/// Share of a contact's compliance by which it yields: only to divide by.
const REGULARISATION: f64 = 1e-8;
/// Where a pass changes no velocity by more, m/s, what regularisation has left matters.
const NEARLY_AT_REST: f64 = 1e-7;
/// What is left of what was wrong with a patch when the next one has its turn, if not [`Passes::most`] end before.
pub(super) const PASS_SHARE: f64 = 0.1;

/// Contacts next to each other in the list whose parts are the same.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub start: usize,
    pub len: usize,
    /// Index of the parts.
    pub pair: usize,
    normals: Normals<MOST>,
    /// Whether its contacts may be found at once that hold: not where loops leave the parts less freedom, or normals differ.
    may_hold: bool,
    hold: Hold,
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
    /// Whether contacts that hold are found at once.
    pub holds: bool,
}

impl Passes {
    /// All that a patch is worth by itself.
    pub fn whole(tolerance: f64) -> Self {
        Self { most: 4, tolerance, refines: false, holds: false }
    }

    /// Where many patches depend on each other, it is not worth while to solve one to the end before its neighbours have moved.
    pub fn in_passing(tolerance: f64) -> Self {
        Self { most: 1, tolerance, refines: false, holds: false }
    }
}

impl Patch {
    /// Of one contact.
    pub fn new(start: usize, pair: usize) -> Self {
        Self { start, len: 1, pair, normals: Normals::NONE, may_hold: false, hold: Hold::NONE }
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
        let [one_normal, ..] = blocks[0].wrenches[0].as_chunks::<3>().0 else { return };
        self.may_hold = rows.is_none() && blocks.iter().all(|block| block.wrenches[0].starts_with(one_normal));
        // What stands for more yields less; of what stands for one share each, what gives way more yields more.
        let mean = mean_response(blocks);
        let tells_shares = blocks.iter().any(|block| block.share != 1.0);
        let response = |block: &ContactBlock| if tells_shares { mean / block.share } else { block.response };
        self.normals.set(blocks.iter().map(|block| (block.share, REGULARISATION * response(block))), |row, column| {
            let (one, other) = (&blocks[row], &blocks[column]);
            match rows {
                None => dot(&one.wrenches[0], &other.yields[0]),
                Some(rows) => response_between(rows, &one.wrenches[0], &other.wrenches[0]),
            }
        });
    }

    /// Better impulses of all contacts. Gives how fast the worst one was wrong, m/s or rad/s, and the wrench that has been added. `twist`
    /// is what the motion adds to that of the parts.
    pub fn improve(&mut self, stage: Stage, passes: Passes, blocks: &mut [ContactBlock], mut twist: Six) -> (f64, Six) {
        let mut wrench = [0.0; 6];
        if let [block] = blocks {
            return (block.improve(&mut twist, &mut wrench), wrench);
        }
        if passes.holds
            && self.may_hold
            && stage == Stage::Settle
            && let Some(found) = self.hold.find(blocks, &twist)
        {
            return found;
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
        let mut wanted = self.normals.reached(&held);
        for (wanted, block) in wanted.iter_mut().zip(&*blocks) {
            *wanted -= block.velocity(0, twist) - block.target;
        }
        let mut normals = self.normals.solve(stage, acts, &wanted);
        let mut worst = 0.0_f64;
        for (normal, block) in normals.iter().zip(&*blocks) {
            worst = worst.max((normal - block.impulse[0]).abs() * block.response);
        }
        if passes.refines && worst < NEARLY_AT_REST && stage == Stage::Settle && acts == [true; MOST] {
            self.normals.refine(&mut normals, &wanted);
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

/// How far contacts yield on the whole, 1/kg: the measure by which points of one pair are of equal stiffness.
pub fn mean_response(blocks: &[ContactBlock]) -> f64 {
    blocks.iter().map(|block| block.response).sum::<f64>() / blocks.len() as f64
}
