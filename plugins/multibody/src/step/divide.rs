//! Islands for which the step is too long.
//!
//! A step takes velocity-dependent forces and constraints at one pose, that of its middle. A light link that a heavy one pushes aside may
//! come to hundreds of rad/s in a step and turn by tenths of a radian: what that pose says is then wrong for most of the step, and the
//! link gains energy. Where the energy after a step is not what the work of forces makes it, the island takes the step again, in parts,
//! and each of these in parts again if it has to. Contacts are those of the middle of the whole step, as far away as their
//! surfaces have moved.

use nalgebra::Vector3;

use crate::dynamics::integration::drift;
use crate::math::spatial::velocity_at;
use crate::model::contact::Contact;
use crate::model::drive::Drive;
use crate::model::index::PartIndex;
use crate::model::parameters::{Outcome, Parameters, StepInput};
use crate::model::state::{NUM_HOLDS, State};
use crate::model::system::System;
use crate::step::readings::Readings;
use crate::step::solver::Solver;
use crate::step::worker::{Task, Worker};

/// Parts of a step, and how often parts are divided again, where the energy still is not right: a thousandth of a step at least.
const PARTS: usize = 4;
const DEEPEST: usize = 5;
/// Energy that a step may add or lose by its length, as a share of the kinetic energy of the trees that are checked.
const ENERGY: f64 = 1e-3;
/// A tree is checked if the middle of the step is farther than this, rad or m, from where its velocities were expected to bring it.
const OFF: f64 = 1e-3;
/// The same if a joint turns by more in the step, rad.
const TURN: f64 = 0.02;
/// An angle, rad, by which the middle is so far off that the step is divided without a check.
const TOO_FAR: f64 = 0.05;

/// The solver of the parts of a step, with the state of the island's trees and sums over the parts.
#[derive(Clone, Debug, Default)]
pub struct Divided {
    solver: Solver,
    state: State,
    /// The island's trees, and those that do not move by themselves but are touched.
    trees: Vec<usize>,
    contacts: Vec<Contact>,
    impulses: Vec<Vector3<f64>>,
    closures: Vec<[Vector3<f64>; 2]>,
    coordinates: Vec<[f64; NUM_HOLDS]>,
    /// Of the last part, and means over the parts.
    readings: Readings,
    means: Readings,
}

impl Worker {
    /// Finds the trees of an island whose velocities are not quite as expected. Gives whether they are so far off that the step is too long
    /// in any case.
    pub(crate) fn find_suspects(&mut self, task: Task<'_>, island: usize) -> bool {
        let Task { setting, system, .. } = task;
        self.suspects.clear();
        let mut most = 0.0_f64;
        for &tree in setting.islands.trees(island) {
            let data = &system.trees[tree as usize];
            // A single body is stepped well at any speed.
            if data.parts.len() == 1 {
                continue;
            }
            let (mut off, mut turn, mut is_led) = (0.0_f64, 0.0_f64, false);
            for coordinate in data.coordinates.clone() {
                let middle = 0.5 * (setting.start[coordinate] + self.velocities[coordinate]);
                let is_angular = setting.kinematics.directions[coordinate].angular != Vector3::zeros();
                let way = (middle - self.middle[coordinate]).abs() * setting.time_step;
                off = off.max(way);
                if is_angular {
                    turn = turn.max(middle.abs() * setting.time_step);
                    most = most.max(way);
                }
                is_led |= setting.rates[coordinate] != 0.0;
            }
            // A prescribed velocity that changes does work of its own.
            if (off > OFF || turn > TURN) && !is_led {
                self.suspects.push(tree as usize);
            }
        }
        most > TOO_FAR
    }

    /// Whether the step changes the energy of suspect trees by its length, or constraints add to that of the island.
    pub(crate) fn is_too_long(&mut self, task: Task<'_>, state: &mut State) -> bool {
        if self.suspects.is_empty() {
            return false;
        }
        // Surfaces that sink into each other push themselves out, and do work.
        let by_constraints = if task.parameters.sinking.is_some() { 0.0 } else { self.problem.work().max(0.0) };
        let (mut error, mut kinetic) = (by_constraints, 0.0);
        for index in 0..self.suspects.len() {
            let [of_tree, own] = self.energy_error(task, state, self.suspects[index]);
            error += of_tree.abs();
            kinetic += own;
        }
        error > ENERGY * kinetic
    }
}

impl Solver {
    /// Whether parts of this solver's steps may be divided.
    pub(crate) fn divides(&self) -> bool {
        self.depth < DEEPEST
    }

    /// Steps an island in parts, from the beginning of the step that [`Self::begin`] has begun.
    pub(crate) fn divide(
        &mut self,
        system: &System,
        state: &mut State,
        input: &StepInput<'_>,
        parameters: &Parameters,
        island: usize,
    ) -> Outcome {
        let mut divided = self.divided.take().unwrap_or_default();
        divided.take(self, system, state, input, island);
        let part = Parameters { time_step: parameters.time_step / PARTS as f64, ..*parameters };
        let mut outcome = Outcome::default();
        for number in 0..PARTS {
            divided.begin(system, input.drives, &part);
            // At first from the middle of the whole step to that of the first part.
            let time = if number == 0 { 0.5 * (part.time_step - parameters.time_step) } else { part.time_step };
            divided.move_contacts(self, system, island, time);
            outcome.add(&divided.finish(self, system, input, &part, island));
        }
        // It is one island, however many of its parts miss a law.
        outcome.unconverged = outcome.unconverged.min(1);
        divided.give(self, system, state, island);
        self.divided = Some(divided);
        outcome
    }
}

impl Divided {
    /// Takes over an island as it was at the beginning of the step; without warm start, which the whole step has overwritten.
    fn take(&mut self, whole: &Solver, system: &System, state: &State, input: &StepInput<'_>, island: usize) {
        self.solver.depth = whole.depth + 1;
        let setting = &whole.setting;
        self.contacts.clear();
        self.contacts.extend_from_slice(input.contacts);
        self.trees.clear();
        self.trees.extend(setting.islands.trees(island).iter().map(|&tree| tree as usize));
        let touched = setting.contacts.of(island).iter().map(|&index| input.contacts[index as usize].parts);
        let closed = setting.closures.of(island).iter();
        let held = closed.map(|&index| system.closures[index as usize].sides.map(|side| side.part));
        self.trees.extend(touched.chain(held).flatten().flatten().map(|PartIndex(part)| system.parts[part].tree));
        self.trees.sort_unstable();
        self.trees.dedup();
        self.state.fit(system);
        self.state.warm.contacts.clear();
        self.closures.clear();
        self.closures.resize(system.closures.len(), [Vector3::zeros(); 2]);
        self.state.warm.closures.clone_from(&self.closures);
        self.coordinates.clear();
        self.coordinates.resize(system.num_coordinates(), [0.0; NUM_HOLDS]);
        self.state.warm.coordinates.clone_from(&self.coordinates);
        for &tree in &self.trees {
            self.state.take_tree(system, tree, state);
            self.state.root_poses[tree] = setting.saved.1[tree];
            let span = system.trees[tree].coordinates.clone();
            self.state.displacements[span.clone()].copy_from_slice(&setting.saved.0[span.clone()]);
            self.state.warm.coordinates[span.clone()].fill([0.0; NUM_HOLDS]);
            // The middle of a part is extrapolated by the change in a part.
            let State { velocities, velocities_before, .. } = &mut self.state;
            for (before, now) in velocities_before[span.clone()].iter_mut().zip(&velocities[span]) {
                *before = now - (now - *before) / PARTS as f64;
            }
        }
        self.means.fit(system);
        self.impulses.clear();
        self.impulses.resize(input.contacts.len(), Vector3::zeros());
    }

    fn begin(&mut self, system: &System, drives: &[Drive], part: &Parameters) {
        self.solver.begin_setting(system, &mut self.state, drives, part);
        for &tree in &self.trees {
            self.solver.begin_tree(system, &mut self.state, tree);
        }
    }

    /// Moves an island's contacts on by a time with the velocities at the beginning of the part.
    fn move_contacts(&mut self, whole: &Solver, system: &System, island: usize, time: f64) {
        let Self { solver, contacts, .. } = self;
        for &index in whole.setting.contacts.of(island) {
            let contact = &mut contacts[index as usize];
            let [first, second] = contact.parts.map(|part| {
                part.map_or_else(Vector3::zeros, |PartIndex(part)| {
                    let origin = solver.setting.kinematics.origins[system.parts[part].tree];
                    velocity_at(&solver.setting.twists[part], &(contact.point - origin))
                })
            });
            contact.gap += time * contact.normal.dot(&(first - second));
            if let Some(velocity) = whole.setting.velocities_of_points[index as usize] {
                contact.point += time * velocity;
            }
        }
    }

    /// Ends a part.
    fn finish(
        &mut self,
        whole: &Solver,
        system: &System,
        input: &StepInput<'_>,
        part: &Parameters,
        island: usize,
    ) -> Outcome {
        let Self { solver, state, contacts, readings, means, .. } = self;
        let input = StepInput { contacts, ..*input };
        solver.setting.apply(system, input.wrenches);
        solver.setting.take_islands(&whole.setting);
        solver.setting.warm_start(state, input.contacts);
        solver.worker.begin(input.contacts.len());
        solver.worker.divides = solver.divides();
        let task = Task { system, setting: &solver.setting, input: &input, parameters: part };
        let (mut outcome, _) = solver.worker.solve_island(task, state, island);
        if solver.worker.too_long.pop().is_some() {
            outcome = solver.divide(system, state, &input, part, island);
        }
        let trees = whole.setting.islands.trees(island).iter().map(|&tree| tree as usize);
        for &tree in self.trees.iter().filter(|&&tree| whole.setting.islands.of_tree[tree] as usize != island) {
            drift(system, tree, &solver.setting.start, 0.5 * part.time_step, state);
        }
        readings.read_trees(solver, system, state, contacts, trees.clone());
        trees.for_each(|tree| means.add(readings, system, tree, 1.0 / PARTS as f64));
        solver.keep_contacts(state, &input);
        self.impulses.iter_mut().zip(&solver.worker.impulses).for_each(|(sum, impulse)| *sum += impulse);
        for (sum, impulses) in self.closures.iter_mut().zip(&state.warm.closures) {
            sum.iter_mut().zip(impulses).for_each(|(sum, impulse)| *sum += impulse);
        }
        for (sum, impulses) in self.coordinates.iter_mut().zip(&state.warm.coordinates) {
            sum.iter_mut().zip(impulses).for_each(|(sum, impulse)| *sum += impulse);
        }
        outcome
    }

    /// Hands over the island at the end of the step, with the impulses of all its parts.
    fn give(&self, whole: &mut Solver, system: &System, state: &mut State, island: usize) {
        let Solver { setting, worker, means, is_divided, .. } = whole;
        if !is_divided.contains(&true) {
            means.fit(system);
        }
        for &index in setting.contacts.of(island) {
            worker.impulses[index as usize] = self.impulses[index as usize];
        }
        for &closure in setting.closures.of(island) {
            state.warm.closures[closure as usize] = self.closures[closure as usize];
        }
        for &tree in setting.islands.trees(island) {
            let tree = tree as usize;
            state.take_tree(system, tree, &self.state);
            worker.take_end(system, tree, &self.solver.worker);
            is_divided[tree] = true;
            means.add(&self.means, system, tree, 1.0);
            let span = system.trees[tree].coordinates.clone();
            state.velocities_before[span.clone()].copy_from_slice(&setting.start[span.clone()]);
            state.warm.coordinates[span.clone()].copy_from_slice(&self.coordinates[span]);
        }
    }
}
