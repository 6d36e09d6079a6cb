//! Loose bodies at rest: they keep still to the last bit, and are not solved again until something else acts on them.
//!
//! Rounding and residuals keep a body on a floor moving by less and less. Motion far below any reported figure counts as zero:
//! the island then comes to the very state that it began with, and as long as the same acts on it, it will again. Going on from a state is
//! not changed by that: what is kept here is compared with the state, never used in its place.

use nalgebra::{Isometry3, Vector3};

use crate::constraints::older;
use crate::math::spatial::{Wrench, power};
use crate::model::contact::Contact;
use crate::model::drive::Drive;
use crate::model::parameters::{Outcome, Parameters};
use crate::model::state::{State, twist_at};
use crate::model::system::System;
use crate::step::worker::{Task, Worker};

/// A body at rest moves no faster than this share of the velocity that the forces of a step would give it.
const CREEP: f64 = 1e-9;
/// Impulses of what rests are the same if they differ by less than this share: rounding, which may be a hundred million times larger in
/// what four points of a plane bear against each other.
const SAME_IMPULSE: f64 = 1e-6;

/// By tree that is the first of its island: the state that the island was in at the end of the last step, if it rested.
#[derive(Clone, Debug, Default)]
pub struct Resting {
    islands: Vec<Option<Still>>,
    parameters: Parameters,
    /// Of the system.
    version: u64,
}

/// An island that does not move.
#[derive(Clone, Debug, Default)]
struct Still {
    trees: Vec<u32>,
    poses: Vec<Isometry3<f64>>,
    coordinates: Vec<Coordinate>,
    /// With their impulses, N·s.
    contacts: Vec<(Contact, Vector3<f64>)>,
    outcome: Outcome,
    /// Whether a step has begun and ended with just this.
    is_proven: bool,
}

/// Inputs of a coordinate; its velocity is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Coordinate {
    drive: Drive,
    velocity_before: f64,
}

impl Resting {
    /// Before the islands of a step.
    pub fn begin(&mut self, system: &System, parameters: &Parameters) {
        if self.version != system.version || self.parameters != *parameters {
            self.islands.clear();
            (self.version, self.parameters) = (system.version, *parameters);
        }
        self.islands.resize_with(system.num_trees(), Option::default);
    }

    /// Solves an island, or leaves it as it is if that is what solving it would come to.
    pub fn leave_or_solve(&mut self, task: Task<'_>, worker: &mut Worker, state: &mut State, island: usize) -> Outcome {
        let Some((&first, others)) = task.setting.islands.trees(island).split_first() else {
            return Outcome::default();
        };
        let warm_starts = &task.setting.warm_starts;
        let slot = &mut self.islands[first as usize];
        let still = slot.as_ref().filter(|still| still.is(task, state, island, warm_starts));
        let is_still = still.is_some();
        if let Some(still) = still.filter(|still| still.is_proven) {
            worker.leave(task, island);
            return Outcome { resting: 1, iterations: 0, repeats: 0, ..still.outcome };
        }
        let (outcome, rests) = worker.solve_island(task, state, island);
        if rests {
            let still = slot.get_or_insert_default();
            still.is_proven = is_still && still.is(task, state, island, &worker.impulses);
            if !still.is_proven {
                still.remember(task, state, island, &worker.impulses);
            }
            still.outcome = outcome;
        } else {
            *slot = None;
        }
        for &tree in others {
            self.islands[tree as usize] = None;
        }
        outcome
    }
}

impl Still {
    /// Whether an island is just as it was, with such impulses, and the same acts on it.
    fn is(&self, task: Task<'_>, state: &State, island: usize, impulses: &[Vector3<f64>]) -> bool {
        let trees = task.setting.islands.trees(island);
        let contacts = contacts(task, island, impulses);
        trees == self.trees
            && coordinates(task, state, island).all(|(coordinate, _)| state.velocities[coordinate] == 0.0)
            && trees.iter().zip(&self.poses).all(|(tree, pose)| state.root_poses[*tree as usize] == *pose)
            && is_undisturbed(task, island)
            && coordinates(task, state, island).map(|(_, now)| now).eq(self.coordinates.iter().copied())
            && contacts.eq(self.contacts.iter().map(|(contact, impulse)| (contact, impulse)))
    }

    fn remember(&mut self, task: Task<'_>, state: &State, island: usize, impulses: &[Vector3<f64>]) {
        let trees = task.setting.islands.trees(island);
        self.trees.clear();
        self.trees.extend_from_slice(trees);
        self.poses.clear();
        self.poses.extend(trees.iter().map(|&tree| state.root_poses[tree as usize]));
        self.coordinates.clear();
        self.coordinates.extend(coordinates(task, state, island).map(|(_, now)| now));
        self.contacts.clear();
        self.contacts.extend(contacts(task, island, impulses).map(|(contact, impulse)| (*contact, *impulse)));
    }
}

fn coordinates<'a>(
    task: Task<'a>,
    state: &'a State,
    island: usize,
) -> impl Iterator<Item = (usize, Coordinate)> + use<'a> {
    let trees = task.setting.islands.trees(island).iter();
    trees.flat_map(move |&tree| task.system.trees[tree as usize].coordinates.clone()).map(move |coordinate| {
        let now =
            Coordinate { drive: task.setting.drives[coordinate], velocity_before: state.velocities_before[coordinate] };
        (coordinate, now)
    })
}

fn contacts<'a>(
    task: Task<'a>,
    island: usize,
    impulses: &'a [Vector3<f64>],
) -> impl Iterator<Item = (&'a Contact, &'a Vector3<f64>)> + use<'a> {
    let indices = task.setting.contacts.of(island).iter();
    indices.map(move |&index| (&task.input.contacts[index as usize], &impulses[index as usize]))
}

/// Whether no force from outside acts on an island.
fn is_undisturbed(task: Task<'_>, island: usize) -> bool {
    task.input.wrenches.is_empty() || {
        let mut trees = task.setting.islands.trees(island).iter();
        trees.all(|&tree| {
            let parts = task.system.trees[tree as usize].parts.clone();
            task.setting.external[parts].iter().all(|wrench| *wrench == Wrench::ZERO)
        })
    }
}

impl Worker {
    /// Whether an island of loose bodies, and of such whose motion is given, rests.
    pub(crate) fn rests(&self, task: Task<'_>, island: usize) -> bool {
        let trees = task.setting.islands.trees(island);
        trees.iter().all(|&tree| self.tree_rests(task, tree as usize))
    }

    fn tree_rests(&self, task: Task<'_>, tree: usize) -> bool {
        let Task { setting, system, .. } = task;
        let data = &system.trees[tree];
        let span = data.coordinates.clone();
        if !data.is_free || data.parts.len() != 1 {
            return false;
        }
        if setting.drives[span.start].given.is_some() {
            return span.clone().all(|coordinate| setting.start[coordinate] == 0.0);
        }
        let inertia = &self.dynamics.inertias[data.parts.start];
        let energy = |velocities: &[f64]| {
            let twist = twist_at(velocities, span.start);
            power(&twist, &inertia.momentum(&twist))
        };
        // Motion in the factor's coordinates: its square is twice the kinetic energy.
        let forces: f64 = self.free_motion[span.clone()].iter().map(|value| value * value).sum();
        let bound = CREEP * CREEP * forces;
        energy(&setting.start) <= bound && energy(&self.velocities) <= bound
    }

    /// Takes the velocities of an island that rests for zero, and impulses that differ by rounding for the same.
    pub(crate) fn lay_to_rest(&mut self, task: Task<'_>, island: usize) {
        let Task { setting, system, .. } = task;
        for &tree in setting.islands.trees(island) {
            self.velocities[system.trees[tree as usize].coordinates.clone()].fill(0.0);
        }
        for &index in setting.contacts.of(island) {
            let (impulse, before) = (&mut self.impulses[index as usize], &setting.warm_starts[index as usize]);
            if (*impulse - before).norm() <= SAME_IMPULSE * before.norm() {
                *impulse = *before;
            }
        }
    }

    /// Leaves an island as it is.
    pub(crate) fn leave(&mut self, task: Task<'_>, island: usize) {
        for &index in task.setting.contacts.of(island) {
            self.impulses[index as usize] = task.setting.warm_starts[index as usize];
            self.contact_ages[index as usize] = older(task.setting.warm_ages[index as usize]);
        }
    }
}
