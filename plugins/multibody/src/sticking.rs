//! Friction of all contacts of a small island that stick, found together.
//!
//! Two wheels on one axle both hold it sideways: what they press against each other nothing determines, and one after the other they would press more and
//! more until one slides, for what is told of their points is contradictory by rounding. Together, each yields a little for what it bears.

use super::contact_block::ContactBlock;
use super::coupled::{Coupled, MOST};
use super::pair::{Six, add};
use super::patch::Patch;
use super::rows::dot;

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

    /// Finds the friction of all contacts that stick, unless it is right already to `tolerance`, m/s. Gives by how much the worst was off, m/s, and
    /// which stick: the others are left as they are.
    pub fn find(
        &mut self,
        coupled: &mut Coupled,
        patches: &[Patch],
        contacts: &mut [ContactBlock],
        tolerance: f64,
    ) -> (f64, [bool; MOST]) {
        let mut sticks = [false; MOST];
        let mut off = 0.0_f64;
        for patch in patches {
            let twist = &coupled.twists[patch.pair];
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
            if self.sticks != sticks {
                self.set(coupled, patches, contacts, sticks);
            }
            self.find_friction(coupled, contacts);
            let mut slides = false;
            for (&(index, _), friction) in self.members.iter().zip(self.values.as_chunks::<2>().0) {
                let bound = contacts[index].friction * contacts[index].impulse[0];
                if friction[0] * friction[0] + friction[1] * friction[1] > bound * bound {
                    sticks[index] = false;
                    slides = true;
                }
            }
            if !slides {
                return (self.take_friction(coupled, contacts), sticks);
            }
        }
        (0.0, [false; MOST])
    }

    /// Makes the system of those that stick.
    fn set(&mut self, coupled: &Coupled, patches: &[Patch], contacts: &[ContactBlock], sticks: [bool; MOST]) {
        self.sticks = sticks;
        self.members.clear();
        for patch in patches {
            let members = (patch.start..patch.start + patch.len).filter(|&index| sticks[index]);
            self.members.extend(members.map(|index| (index, patch.pair)));
        }
        let count = 2 * self.members.len();
        self.responses.clear();
        self.responses.resize(count * count, 0.0);
        for (second, &(index, from)) in self.members.iter().enumerate() {
            for (tangent, wrench) in contacts[index].wrenches[1..].iter().enumerate() {
                let column = 2 * second + tangent;
                self.twists.clear();
                self.twists.extend((0..coupled.twists.len()).map(|to| {
                    let mut twist = [0.0; 6];
                    coupled
                        .between(from, to)
                        .iter()
                        .zip(wrench)
                        .for_each(|(column, size)| add(&mut twist, column, *size));
                    twist
                }));
                for (first, &(other, pair)) in self.members.iter().enumerate().skip(second) {
                    for (along, wrench) in contacts[other].wrenches[1..].iter().enumerate() {
                        let row = 2 * first + along;
                        let value = dot(wrench, &self.twists[pair]);
                        self.responses[row * count + column] = value;
                        self.responses[column * count + row] = value;
                    }
                }
            }
        }
        self.decompose();
    }

    /// Finds friction with which nothing of what sticks slides.
    fn find_friction(&mut self, coupled: &Coupled, contacts: &[ContactBlock]) {
        let count = 2 * self.members.len();
        self.values.clear();
        for (row, responses) in self.responses.chunks_exact(count).enumerate() {
            let (index, pair) = self.members[row / 2];
            let along = self.members.iter().zip(responses.as_chunks::<2>().0).map(|(&(other, _), [one, two])| {
                let [_, along_one, along_two] = contacts[other].impulse;
                one * along_one + two * along_two
            });
            let reached: f64 = along.sum();
            self.values.push(reached - contacts[index].velocity(1 + row % 2, &coupled.twists[pair]));
        }
        self.solve();
    }

    /// Gives what sticks its new friction. Gives by how much the worst was off, m/s.
    fn take_friction(&mut self, coupled: &mut Coupled, contacts: &mut [ContactBlock]) -> f64 {
        let mut worst = 0.0_f64;
        self.twists.clear();
        self.twists.resize(coupled.twists.len(), [0.0; 6]);
        for (&(index, pair), friction) in self.members.iter().zip(self.values.as_chunks::<2>().0) {
            let block = &mut contacts[index];
            for ((axis, value), own) in friction.iter().enumerate().zip(block.tangents.own()) {
                let step = value - block.impulse[1 + axis];
                worst = worst.max(step.abs() * own);
                block.impulse[1 + axis] = *value;
                add(&mut self.twists[pair], &block.wrenches[1 + axis], step);
            }
        }
        self.twists.iter().enumerate().for_each(|(pair, wrench)| coupled.push(pair, wrench));
        worst
    }
}
