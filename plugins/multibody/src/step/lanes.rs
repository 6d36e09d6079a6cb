//! Islands on several threads.
//!
//! The result of an island depends on nothing else: a lane has a worker and a state of its own, into which the trees of its islands are
//! copied and from which they are copied back. The same bits come out on any number of threads.

use std::ops::Range;

use crate::model::parameters::{Outcome, Parameters};
use crate::model::state::State;
use crate::model::system::System;
use crate::step::setting::Setting;
use crate::step::worker::{Task, Worker};

/// Islands and contacts are weighed by coordinates; a contact is worth so many.
const CONTACT: usize = 6;

/// Islands that a thread of its own solves.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    worker: Worker,
    state: State,
    islands: Vec<usize>,
    outcome: Outcome,
}

/// Shares islands out among as many lanes as that pays for, one of them the caller's: gives his, and fills the others.
pub fn share_out(
    system: &System,
    setting: &Setting,
    parameters: &Parameters,
    lanes: &mut Vec<Lane>,
    own: &mut Vec<usize>,
) {
    own.clear();
    lanes.iter_mut().for_each(|lane| lane.islands.clear());
    // Loose bodies may rest, which the caller keeps account of.
    let weight = |island: usize| {
        let trees = setting.islands.trees(island).iter().map(|&tree| &system.trees[tree as usize]);
        let has_joints = trees.clone().any(|tree| tree.parts.len() > 1);
        let coordinates: usize = trees.map(|tree| tree.coordinates.len()).sum();
        if has_joints { coordinates + CONTACT * setting.contacts.of(island).len() } else { 0 }
    };
    let total: usize = (0..setting.islands.len()).map(weight).sum();
    let count = parameters.threads.min(total / parameters.work_per_thread.max(1)).max(1);
    lanes.resize_with(count - 1, Lane::default);
    let mut done = 0;
    for island in 0..setting.islands.len() {
        let weight = weight(island);
        match if weight == 0 { 0 } else { count * done / total } {
            0 => own.push(island),
            lane => lanes[lane - 1].islands.push(island),
        }
        done += weight;
    }
}

impl Lane {
    /// Room for a step, and the trees of its islands as they are.
    pub fn take(&mut self, task: Task<'_>, state: &State) {
        self.worker.fit(task.system);
        self.worker.begin(task.input.contacts.len());
        self.worker.divides = true;
        self.state.fit(task.system);
        for tree in trees(task, &self.islands) {
            self.state.take_tree(task.system, tree, state);
        }
        for &closure in self.islands.iter().flat_map(|&island| task.setting.closures.of(island)) {
            self.state.warm.closures[closure as usize] = state.warm.closures[closure as usize];
        }
    }

    pub fn solve(&mut self, task: Task<'_>) {
        self.outcome = Outcome::default();
        for &island in &self.islands {
            self.outcome.add(&self.worker.solve_island(task, &mut self.state, island).0);
        }
    }

    /// Hands over what the islands have come to.
    pub fn give(&mut self, task: Task<'_>, worker: &mut Worker, state: &mut State, outcome: &mut Outcome) {
        outcome.add(&self.outcome);
        worker.too_long.append(&mut self.worker.too_long);
        for tree in trees(task, &self.islands) {
            state.take_tree(task.system, tree, &self.state);
            worker.take_tree(task.system, tree, &self.worker);
        }
        for &contact in self.islands.iter().flat_map(|&island| task.setting.contacts.of(island)) {
            worker.impulses[contact as usize] = self.worker.impulses[contact as usize];
            worker.contact_ages[contact as usize] = self.worker.contact_ages[contact as usize];
        }
        for &closure in self.islands.iter().flat_map(|&island| task.setting.closures.of(island)) {
            state.warm.closures[closure as usize] = self.state.warm.closures[closure as usize];
        }
    }
}

fn trees<'a>(task: Task<'a>, islands: &'a [usize]) -> impl Iterator<Item = usize> + use<'a> {
    islands.iter().flat_map(move |&island| task.setting.islands.trees(island)).map(|&tree| tree as usize)
}

impl State {
    pub(crate) fn take_tree(&mut self, system: &System, tree: usize, from: &Self) {
        let span = system.trees[tree].coordinates.clone();
        self.root_poses[tree] = from.root_poses[tree];
        self.is_floating[tree] = from.is_floating[tree];
        take(&mut self.displacements, &from.displacements, &span);
        take(&mut self.velocities, &from.velocities, &span);
        take(&mut self.velocities_before, &from.velocities_before, &span);
        take(&mut self.warm.coordinates, &from.warm.coordinates, &span);
        take(&mut self.warm.regimes, &from.warm.regimes, &span);
    }
}

impl Worker {
    /// Results that a worker holds after a step.
    fn take_tree(&mut self, system: &System, tree: usize, from: &Self) {
        let data = &system.trees[tree];
        // The accelerations of the middle of the step follow from these.
        take(&mut self.dynamics.twists, &from.dynamics.twists, &data.parts);
        take(&mut self.dynamics.accelerations, &from.dynamics.accelerations, &data.parts);
        self.take_end(system, tree, from);
    }

    /// Velocities and poses at the end of a step.
    pub(crate) fn take_end(&mut self, system: &System, tree: usize, from: &Self) {
        let data = &system.trees[tree];
        take(&mut self.velocities, &from.velocities, &data.coordinates);
        take(&mut self.end.rotations, &from.end.rotations, &data.parts);
        take(&mut self.end.matrices, &from.end.matrices, &data.parts);
        take(&mut self.end.positions, &from.end.positions, &data.parts);
    }
}

fn take<T: Copy>(to: &mut [T], from: &[T], span: &Range<usize>) {
    to[span.clone()].copy_from_slice(&from[span.clone()]);
}
