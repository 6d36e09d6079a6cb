//! Friction of all contacts of a small island that stick, found together.
//!
//! Two wheels on one axle both hold it sideways: what they press against each other nothing determines, and one after the other they would press more and
//! more until one slides, for what is told of their points is contradictory by rounding. Together, each yields a little for what it bears.

use super::contact_block::ContactBlock;
use super::pair::{Six, add};
use super::patch::Patch;
use super::rows::dot;
use super::together::{MOST, Together};

/// Share of its own response by which friction yields. What bears friction creeps by that share of the speed that the friction of a step gives.
const REGULARISATION: f64 = 1e-4;
/// A contact that is this near to the bound of friction may slide, as a share of the bound's square.
const NEAR_BOUND: f64 = 0.999;
/// The most times that contacts are let go that would slide.
const MOST_CHANGES: usize = 4;

/// The system of those contacts of an island that stick.
#[derive(Clone, Debug, Default)]
pub struct Sticking {
    /// By contact, for which the rest is; of none before it is found.
    sticks: [bool; MOST],
    /// The contacts that stick, each with the index of its pair.
    members: Vec<(usize, usize)>,
    /// By row, two a member: what an impulse along one tangent does to the others, row by row.
    responses: Vec<f64>,
    /// Cholesky's factor, with the reciprocals of its diagonal.
    factor: Vec<f64>,
    values: Vec<f64>,
    /// By pair: a twist, or a wrench.
    twists: Vec<Six>,
}

impl Sticking {
    /// Contacts have changed.
    pub fn forget(&mut self) {
        self.sticks = [false; MOST];
    }

    /// Solves by the factor, in place.
    fn solve(&mut self) {
        let count = self.values.len();
        for row in 0..count {
            let own = &self.factor[row * count..][..=row];
            let known: f64 = own[..row].iter().zip(&self.values).map(|(share, value)| share * value).sum();
            self.values[row] = (self.values[row] - known) * own[row];
        }
        for row in (0..count).rev() {
            let own = &self.factor[row * count..][..=row];
            let value = self.values[row] * own[row];
            self.values[row] = value;
            for (other, share) in self.values[..row].iter_mut().zip(own) {
                *other -= share * value;
            }
        }
    }

    fn decompose(&mut self) {
        let count = 2 * self.members.len();
        self.factor.clone_from(&self.responses);
        for row in 0..count {
            let (above, own) = self.factor.split_at_mut(row * count);
            for column in 0..row {
                let other = &above[column * count..][..=column];
                let known: f64 = own[..column].iter().zip(other).map(|(one, other)| one * other).sum();
                own[column] = (own[column] - known) * other[column];
            }
            let known: f64 = own[..row].iter().map(|share| share * share).sum();
            let value = own[row] * (1.0 + REGULARISATION) - known;
            own[row] = value.max(f64::MIN_POSITIVE).sqrt().recip();
        }
    }
}

impl Together {
    /// Finds the friction of all contacts that stick, unless it is right already to `tolerance`, m/s. Gives by how much the worst was off, m/s, and
    /// which stick: the others are left as they are.
    pub(super) fn stick(
        &mut self,
        patches: &[Patch],
        contacts: &mut [ContactBlock],
        tolerance: f64,
    ) -> (f64, [bool; MOST]) {
        let mut sticks = [false; MOST];
        let mut off = 0.0_f64;
        for patch in patches {
            let twist = &self.twists[patch.pair];
            for index in patch.start..patch.start + patch.len {
                let block = &contacts[index];
                let [normal, one, two] = block.impulse;
                let bound = block.friction * normal;
                sticks[index] = block.acts && one * one + two * two < NEAR_BOUND * bound * bound;
                if sticks[index] {
                    for ((axis, impulse), own) in [one, two].iter().enumerate().zip(block.tangents.own()) {
                        off = off.max((block.velocity(1 + axis, twist) + REGULARISATION * own * impulse).abs());
                    }
                }
            }
        }
        if off <= tolerance {
            return (off, sticks);
        }
        for _ in 0..MOST_CHANGES {
            if !sticks.contains(&true) {
                break;
            }
            if self.sticking.sticks != sticks {
                self.set_sticking(patches, contacts, sticks);
            }
            self.find_friction(contacts);
            let mut slides = false;
            for (&(index, _), friction) in self.sticking.members.iter().zip(self.sticking.values.as_chunks::<2>().0) {
                let bound = contacts[index].friction * contacts[index].impulse[0];
                if friction[0] * friction[0] + friction[1] * friction[1] > bound * bound {
                    sticks[index] = false;
                    slides = true;
                }
            }
            if !slides {
                return (self.take_friction(contacts), sticks);
            }
        }
        (0.0, [false; MOST])
    }

    /// Makes the system of those that stick.
    fn set_sticking(&mut self, patches: &[Patch], contacts: &[ContactBlock], sticks: [bool; MOST]) {
        let Self { sticking, couplings, twists, .. } = self;
        let num_pairs = twists.len();
        sticking.sticks = sticks;
        sticking.members.clear();
        for patch in patches {
            let members = (patch.start..patch.start + patch.len).filter(|&index| sticks[index]);
            sticking.members.extend(members.map(|index| (index, patch.pair)));
        }
        let count = 2 * sticking.members.len();
        sticking.responses.clear();
        sticking.responses.resize(count * count, 0.0);
        for (second, &(index, pair)) in sticking.members.iter().enumerate() {
            for (tangent, wrench) in contacts[index].wrenches[1..].iter().enumerate() {
                let column = 2 * second + tangent;
                sticking.twists.clear();
                sticking.twists.extend(couplings[pair * num_pairs..][..num_pairs].iter().map(|coupling| {
                    let mut twist = [0.0; 6];
                    coupling.iter().zip(wrench).for_each(|(column, size)| add(&mut twist, column, *size));
                    twist
                }));
                for (first, &(other, pair)) in sticking.members.iter().enumerate().skip(second) {
                    for (along, wrench) in contacts[other].wrenches[1..].iter().enumerate() {
                        let row = 2 * first + along;
                        let value = dot(wrench, &sticking.twists[pair]);
                        sticking.responses[row * count + column] = value;
                        sticking.responses[column * count + row] = value;
                    }
                }
            }
        }
        sticking.decompose();
    }

    /// Finds friction with which nothing of what sticks slides.
    fn find_friction(&mut self, contacts: &[ContactBlock]) {
        let Self { sticking, twists, .. } = self;
        let count = 2 * sticking.members.len();
        sticking.values.clear();
        for (row, responses) in sticking.responses.chunks_exact(count).enumerate() {
            let (index, pair) = sticking.members[row / 2];
            let reached: f64 = sticking
                .members
                .iter()
                .zip(responses.as_chunks::<2>().0)
                .map(|(&(other, _), [one, two])| {
                    let [_, along_one, along_two] = contacts[other].impulse;
                    one * along_one + two * along_two
                })
                .sum();
            sticking.values.push(reached - contacts[index].velocity(1 + row % 2, &twists[pair]));
        }
        sticking.solve();
    }

    /// Gives what sticks its new friction. Gives by how much the worst was off, m/s.
    fn take_friction(&mut self, contacts: &mut [ContactBlock]) -> f64 {
        let mut worst = 0.0_f64;
        let mut sticking = std::mem::take(&mut self.sticking);
        sticking.twists.clear();
        sticking.twists.resize(self.twists.len(), [0.0; 6]);
        for (&(index, pair), friction) in sticking.members.iter().zip(sticking.values.as_chunks::<2>().0) {
            let block = &mut contacts[index];
            for ((axis, value), own) in friction.iter().enumerate().zip(block.tangents.own()) {
                let step = value - block.impulse[1 + axis];
                worst = worst.max(step.abs() * own);
                block.impulse[1 + axis] = *value;
                add(&mut sticking.twists[pair], &block.wrenches[1 + axis], step);
            }
        }
        sticking.twists.iter().enumerate().for_each(|(pair, wrench)| self.push(pair, wrench));
        self.sticking = sticking;
        worst
    }
}
