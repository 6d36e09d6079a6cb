//! Normal impulses of all contacts of a small island, found together.
//!
//! A rover stands on the lines of two wheels and a caster: seven points, of which three would do. One pair of parts after the other, the first
//! would take up whatever is to be taken up, and which edge of a wheel bears it, about which the wheel turns, would be chance. Together they
//! share it as points of equal stiffness do. So do those of one part that stands on several surfaces: a vehicle on tracks and casters, whose loads would
//! else creep from points that slide to slippery ones. All that happens in a sweep is told in twists and wrenches of the pairs, not in coordinates.

use super::contact_block::ContactBlock;
use super::even_out::pairs as pairs_of;
use super::normals::{Normals, Stage};
use super::pair::{Pair, Six, add};
use super::parameters::Parameters;
use super::patch::{PASS_SHARE, Passes, Patch, mean_response};
use super::rows::{dot, scatter};
use super::sticking::Sticking;

/// How many contacts are looked at together at most: a factor takes the cube of their number.
pub const MOST: usize = 16;

/// Share of a contact's compliance by which it yields. What is told of points may be contradictory by 1e-6 m/s, as shapes stand in their parts in
/// single precision: shared evenly, that must ask for far less than they bear. What yielding makes them sink, levelling takes out.
const REGULARISATION: f64 = 1e-3;

/// Surfaces that are no farther apart touch, m, and come level.
const TOUCHING: f64 = 1e-5;
/// Share of what they are apart or in each other that is taken out in a step. A wheel that once came a hundredth of a millimetre deeper than the
/// other would else roll on one of its edges for ever.
const LEVELLING: f64 = 0.01;

/// What touches in an island.
#[derive(Clone, Copy)]
pub struct Touching<'a> {
    pub pairs: &'a [Pair],
    pub patches: &'a [Patch],
    /// Of the rows of the pairs.
    pub indices: &'a [u32],
    pub values: &'a [Six],
}

/// The contacts of an island.
#[derive(Clone, Debug)]
pub struct Together {
    /// Of none where contacts are solved by pairs.
    normals: Normals<MOST>,
    pub(super) sticking: Sticking,
    /// Whether the friction of what sticks is found together, too: where loops leave the parts less freedom, that takes longer than it saves.
    sticks: bool,
    /// By pair, by pair: the twist of the second that a wrench on the first makes.
    pub(super) couplings: Vec<[Six; 6]>,
    /// By pair: what the motion makes of its twist, and what a sweep adds to its wrench.
    pub(super) twists: Vec<Six>,
    wrenches: Vec<Six>,
    /// By coordinate: one more than its row in the pair that is looked at, or 0.
    row_of_coordinate: Vec<u32>,
}

impl Default for Together {
    fn default() -> Self {
        Self {
            normals: Normals::NONE,
            sticking: Sticking::default(),
            sticks: false,
            couplings: Vec::new(),
            twists: Vec::new(),
            wrenches: Vec::new(),
            row_of_coordinate: Vec::new(),
        }
    }
}

impl Together {
    /// Solves the contacts of an island together, if that is worth while.
    pub fn join(&mut self, touching: Touching<'_>, contacts: &mut [ContactBlock], parameters: &Parameters) {
        let Touching { pairs, patches, .. } = touching;
        self.part();
        let has_lines = pairs.len() > 1 && patches.iter().any(|patch| (2..4).contains(&patch.len));
        let is_on_surfaces = pairs.len() == 1 && patches.len() > 1;
        if parameters.sinking.is_some() || !(has_lines || is_on_surfaces) || contacts.len() > MOST {
            return;
        }
        for block in &mut *contacts {
            block.target = level(block.gap, parameters);
        }
        self.couple(touching);
        let mut responses = [[0.0; MOST]; MOST];
        for patch in patches {
            for row in patch.start..patch.start + patch.len {
                // One half of the matrix is enough.
                for other in patches.iter().take_while(|other| other.start <= row) {
                    let mut twist = [0.0; 6];
                    let coupling = &self.couplings[patch.pair * pairs.len() + other.pair];
                    for (column, size) in coupling.iter().zip(&contacts[row].wrenches[0]) {
                        add(&mut twist, column, *size);
                    }
                    for column in other.start..(other.start + other.len).min(row + 1) {
                        responses[row][column] = dot(&contacts[column].wrenches[0], &twist);
                    }
                }
            }
        }
        let mut means = [0.0; MOST];
        for (_, span) in pairs_of(patches) {
            means[span.clone()].fill(mean_response(&contacts[span]));
        }
        let weighed =
            contacts.iter().zip(means).map(|(block, mean)| (block.share, REGULARISATION * mean / block.share));
        self.normals.set(weighed, |row, column| responses[row][column]);
        self.sticking.forget();
        self.sticks = pairs.iter().all(|pair| pair.freed_rows(touching.values).is_none());
    }

    /// Leaves them to be solved by pairs.
    pub fn part(&mut self) {
        self.normals.len = 0;
    }

    /// Whether the contacts of the island are solved together.
    pub fn is_used(&self) -> bool {
        self.normals.len > 0
    }

    /// One sweep over the contacts that act: all normals, then the friction of all that stick, then that of one after the other of those that
    /// slide. Gives by how much the worst was off, as a velocity, m/s.
    pub fn sweep(
        &mut self,
        touching: Touching<'_>,
        contacts: &mut [ContactBlock],
        passes: Passes,
        motion: &mut [f64],
    ) -> f64 {
        let Touching { pairs, patches, indices, values } = touching;
        self.twists.clear();
        self.twists.extend(pairs.iter().map(|pair| pair.twist(indices, values, motion)));
        self.wrenches.clear();
        self.wrenches.resize(pairs.len(), [0.0; 6]);
        let mut worst = self.settle_normals(patches, contacts);
        let (off, sticks) = if self.sticks {
            self.stick(patches, contacts, PASS_SHARE * passes.tolerance)
        } else {
            (0.0, [false; MOST])
        };
        worst = worst.max(off);
        for patch in patches {
            let sticks = &sticks[patch.start..];
            let mut twist = self.twists[patch.pair];
            let mut wrench = [0.0; 6];
            let mut first = 0.0;
            for pass in 0..passes.most {
                let mut off = 0.0_f64;
                let blocks = contacts[patch.start..][..patch.len].iter_mut().zip(sticks);
                for (block, _) in blocks.filter(|(block, sticks)| block.acts && !**sticks) {
                    off = off.max(block.rub(&mut twist, &mut wrench));
                }
                if pass == 0 {
                    first = off;
                }
                if off <= PASS_SHARE * first.max(passes.tolerance) {
                    break;
                }
            }
            worst = worst.max(first);
            self.push(patch.pair, &wrench);
        }
        for (pair, wrench) in pairs.iter().zip(&self.wrenches) {
            scatter(indices, values, pair.rows, wrench, motion);
        }
        worst
    }

    /// Finds all normal impulses. Gives by how much the worst was off, m/s.
    fn settle_normals(&mut self, patches: &[Patch], contacts: &mut [ContactBlock]) -> f64 {
        let mut acts = [true; MOST];
        let mut held = [0.0; MOST];
        for ((acts, held), block) in acts.iter_mut().zip(&mut held).zip(&*contacts) {
            *acts = block.acts;
            *held = if block.acts { block.impulse[0] } else { 0.0 };
        }
        let mut wanted = self.normals.reached(&held);
        for patch in patches {
            for index in patch.start..patch.start + patch.len {
                let block = &contacts[index];
                wanted[index] -= block.velocity(0, &self.twists[patch.pair]) - block.target;
            }
        }
        let found = self.normals.solve(Stage::Settle, acts, &wanted);
        let mut worst = 0.0_f64;
        for patch in patches {
            let mut wrench = [0.0; 6];
            for index in (patch.start..patch.start + patch.len).filter(|&index| acts[index]) {
                let block = &mut contacts[index];
                let step = found[index] - block.impulse[0];
                worst = worst.max(step.abs() * block.response);
                block.impulse[0] = found[index];
                add(&mut wrench, &block.wrenches[0], step);
            }
            self.push(patch.pair, &wrench);
        }
        worst
    }

    /// Finds what wrenches on pairs make of the twists of all.
    fn couple(&mut self, Touching { pairs, indices, values, .. }: Touching<'_>) {
        let last = indices.iter().max().map_or(0, |&last| last as usize + 1);
        if self.row_of_coordinate.len() < last {
            self.row_of_coordinate.resize(last, 0);
        }
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

    /// The wrench of a pair changes.
    pub(super) fn push(&mut self, pair: usize, wrench: &Six) {
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
}

/// The smallest velocity along the normal at which surfaces come to touch, or level, m/s.
fn level(gap: f64, parameters: &Parameters) -> f64 {
    let share = if gap > TOUCHING { 1.0 } else { LEVELLING };
    -gap.max(-parameters.slop) * share / parameters.time_step
}
