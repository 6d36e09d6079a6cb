//! Normal impulses of all contacts of a small island, found together.
//!
//! A rover stands on the lines of two wheels and a caster: seven points, of which three would do. One pair of parts after the other, the first
//! would take up whatever is to be taken up, and which edge of a wheel bears it, about which the wheel turns, would be chance. Together they
//! share it as points of equal stiffness do. So do those of one part that stands on several surfaces: a vehicle on tracks and casters, whose loads would
//! else creep from points that slide to slippery ones. All that happens in a sweep is told in twists and wrenches of the pairs, not in coordinates.

use super::contact_block::ContactBlock;
use super::coupled::{Coupled, MOST, Touching};
use super::even_out::pairs as pairs_of;
use super::normals::{Normals, Stage};
use super::pair::add;
use super::parameters::Parameters;
use super::patch::{PASS_SHARE, Passes, Patch, mean_response};
use super::rows::dot;
use super::sticking::Sticking;

/// Share of a contact's compliance by which it yields. What is told of points may be contradictory by 1e-6 m/s, as shapes stand in their parts in
/// single precision: shared evenly, that must ask for far less than they bear. What yielding makes them sink, levelling takes out.
const REGULARISATION: f64 = 1e-3;

/// Surfaces that are no farther apart touch, m, and come level.
const TOUCHING: f64 = 1e-5;
/// Share of what they are apart or in each other that is taken out in a step. A wheel that once came a hundredth of a millimetre deeper than the
/// other would else roll on one of its edges for ever.
const LEVELLING: f64 = 0.01;

/// The contacts of an island.
#[derive(Clone, Debug)]
pub struct Together {
    /// Of none where contacts are solved by pairs.
    normals: Normals<MOST>,
    sticking: Sticking,
    /// Whether the friction of what sticks is found together, too: where loops leave the parts less freedom, that takes longer than it saves.
    sticks: bool,
    coupled: Coupled,
}

impl Default for Together {
    fn default() -> Self {
        Self { normals: Normals::NONE, sticking: Sticking::default(), sticks: false, coupled: Coupled::default() }
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
        self.coupled.find(touching);
        let mut responses = [[0.0; MOST]; MOST];
        for patch in patches {
            for row in patch.start..patch.start + patch.len {
                // One half of the matrix is enough.
                for other in patches.iter().take_while(|other| other.start <= row) {
                    let mut twist = [0.0; 6];
                    let coupling = self.coupled.between(patch.pair, other.pair);
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
        let Touching { patches, .. } = touching;
        self.coupled.begin(touching, motion);
        let mut worst = self.settle_normals(patches, contacts);
        let (off, sticks) = if self.sticks {
            self.sticking.find(&mut self.coupled, patches, contacts, PASS_SHARE * passes.tolerance)
        } else {
            (0.0, [false; MOST])
        };
        worst = worst.max(off);
        for patch in patches {
            let sticks = &sticks[patch.start..];
            let mut twist = self.coupled.twists[patch.pair];
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
            self.coupled.push(patch.pair, &wrench);
        }
        self.coupled.end(touching, motion);
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
                wanted[index] -= block.velocity(0, &self.coupled.twists[patch.pair]) - block.target;
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
            self.coupled.push(patch.pair, &wrench);
        }
        worst
    }
}

/// The smallest velocity along the normal at which surfaces come to touch, or level, m/s.
fn level(gap: f64, parameters: &Parameters) -> f64 {
    let share = if gap > TOUCHING { 1.0 } else { LEVELLING };
    -gap.max(-parameters.slop) * share / parameters.time_step
}
