//! Islands know nothing of each other: they are solved on several threads where that pays.
//!
//! There are as many threads as in rayon's pool. Each has memory and a state of its own. What it has come to is copied
//! afterwards, so that the numbers are the same whichever thread has found them.

use std::ops::Range;

use nalgebra::Vector3;

use super::parameters::{Outcome, Parameters, StepInput};
use super::setting::Setting;
use super::solver::Solver;
use super::state::State;
use super::system::System;
use super::worker::{Helper, Task, Worker};

/// What a contact costs, if a coordinate costs one.
const COST_OF_CONTACT: usize = 3;
/// Another thread takes some 10 µs to wake up: a share of the islands that costs less is not worth one.
const WORTH_A_THREAD: usize = 400;

impl Solver {
    /// Solves all islands and moves their trees to the end of the step.
    pub(super) fn solve_islands(
        &mut self,
        system: &System,
        state: &mut State,
        input: &StepInput<'_>,
        parameters: &Parameters,
    ) -> Outcome {
        let Self { setting, worker, helpers } = self;
        let setting = &*setting;
        let task = Task { system, setting, input, parameters };
        worker.impulses.clear();
        worker.impulses.resize(input.contacts.len(), Vector3::zeros());
        let all = 0..setting.islands.len();
        let cost: usize = all.clone().map(|island| setting.cost(system, island)).sum();
        let threads = (cost / WORTH_A_THREAD).min(rayon::current_num_threads());
        if threads <= 1 {
            return worker.solve(task, state, all);
        }
        let own = setting.share(system, 0, cost.div_ceil(threads));
        let mut next = own.end;
        helpers.resize_with(threads - 1, Helper::default);
        for helper in helpers.iter_mut() {
            helper.islands = setting.share(system, next, cost.div_ceil(threads));
            next = helper.islands.end;
            helper.worker.fit(system, setting);
            helper.worker.impulses.clear();
            helper.worker.impulses.resize(input.contacts.len(), Vector3::zeros());
            helper.state.copy_from(state);
        }
        let mut outcome = Outcome::default();
        rayon::in_place_scope(|scope| {
            for Helper { worker, state, islands, outcome } in helpers.iter_mut() {
                let islands = islands.clone();
                scope.spawn(move |_| *outcome = worker.solve(task, state, islands));
            }
            outcome = worker.solve(task, state, own);
        });
        for helper in helpers {
            outcome.add(&helper.outcome);
            for island in helper.islands.clone() {
                worker.take_over(setting, system, &mut helper.worker, island);
                for &tree in setting.islands.trees(island) {
                    state.take_over(system, &helper.state, tree as usize);
                }
            }
        }
        outcome
    }
}

impl Setting {
    /// What an island costs, roughly.
    fn cost(&self, system: &System, island: usize) -> usize {
        let trees = self.islands.trees(island).iter();
        let coordinates: usize = trees.map(|&tree| system.trees[tree as usize].coordinates.len()).sum();
        coordinates + COST_OF_CONTACT * self.contacts(island).len()
    }

    /// Islands from one on that cost so much together, or all that are left.
    fn share(&self, system: &System, first: usize, wanted: usize) -> Range<usize> {
        let mut cost = 0;
        let rest = first..self.islands.len();
        let count = rest.take_while(|&island| {
            let goes_on = cost < wanted;
            cost += self.cost(system, island);
            goes_on
        });
        first..first + count.count()
    }
}

impl Worker {
    /// Solves some of the islands.
    fn solve(&mut self, task: Task<'_>, state: &mut State, islands: Range<usize>) -> Outcome {
        let mut outcome = Outcome::default();
        for island in islands {
            self.solve_island(task, state, island, &mut outcome);
        }
        outcome
    }

    /// Takes over what another one has come to for an island.
    fn take_over(&mut self, setting: &Setting, system: &System, from: &mut Self, island: usize) {
        for &tree in setting.islands.trees(island) {
            let data = &system.trees[tree as usize];
            let (parts, coordinates) = (data.parts.clone(), data.coordinates.clone());
            self.end.origins[tree as usize] = from.end.origins[tree as usize];
            copy(&mut self.end.rotations, &from.end.rotations, &parts);
            copy(&mut self.end.matrices, &from.end.matrices, &parts);
            copy(&mut self.end.positions, &from.end.positions, &parts);
            copy(&mut self.dynamics.twists, &from.dynamics.twists, &parts);
            copy(&mut self.dynamics.accelerations, &from.dynamics.accelerations, &parts);
            copy(&mut self.velocities, &from.velocities, &coordinates);
        }
        for &contact in setting.contacts(island) {
            self.impulses[contact as usize] = from.impulses[contact as usize];
        }
        for (group, _) in setting.group_islands.iter().enumerate().filter(|(_, of)| **of == Some(island)) {
            std::mem::swap(&mut self.equalities[group], &mut from.equalities[group]);
        }
    }
}

impl State {
    /// Becomes the same, but for the warm starts of contacts.
    fn copy_from(&mut self, from: &Self) {
        self.root_poses.clone_from(&from.root_poses);
        self.displacements.clone_from(&from.displacements);
        self.velocities.clone_from(&from.velocities);
        self.velocities_before.clone_from(&from.velocities_before);
        self.constraint_changes.clone_from(&from.constraint_changes);
        self.is_floating.clone_from(&from.is_floating);
        self.warm.coordinates.clone_from(&from.warm.coordinates);
        self.warm.regimes.clone_from(&from.warm.regimes);
    }

    /// Takes over a tree.
    fn take_over(&mut self, system: &System, from: &Self, tree: usize) {
        let coordinates = &system.trees[tree].coordinates;
        self.root_poses[tree] = from.root_poses[tree];
        self.is_floating[tree] = from.is_floating[tree];
        copy(&mut self.displacements, &from.displacements, coordinates);
        copy(&mut self.velocities, &from.velocities, coordinates);
        copy(&mut self.velocities_before, &from.velocities_before, coordinates);
        copy(&mut self.constraint_changes, &from.constraint_changes, coordinates);
        copy(&mut self.warm.coordinates, &from.warm.coordinates, coordinates);
        copy(&mut self.warm.regimes, &from.warm.regimes, coordinates);
    }
}

impl Outcome {
    /// Of more islands.
    fn add(&mut self, other: &Self) {
        self.sweeps = self.sweeps.max(other.sweeps);
        self.residual = self.residual.max(other.residual);
        self.unconverged += other.unconverged;
        self.unsettled += other.unsettled;
    }
}

fn copy<T: Copy>(to: &mut [T], from: &[T], span: &Range<usize>) {
    to[span.clone()].copy_from_slice(&from[span.clone()]);
}
