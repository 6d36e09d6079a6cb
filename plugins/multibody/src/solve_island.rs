//! The kick: forces and constraints of an island in the middle of the step.

use bunraku_body::Range;
use nalgebra::Vector3;

use super::constraints::Scene;
use super::descent::Found;
use super::drive::Drive;
use super::parameters::{Outcome, Parameters, StepInput};
use super::patch::Stage;
use super::solver::Solver;
use super::state::{Regime, State};
use super::system::System;

/// An angle turned in a step, rad, beyond which a tree is fast: the bias is then taken in the very middle of the step instead of
/// being extrapolated, as extrapolation makes a wobbling top wobble more.
const FAST: f64 = 0.01;
/// The same for a tree that something holds or touches, where steps of the contacts' own outweigh what extrapolation misses.
const FAST_HELD: f64 = 0.05;
/// The most times that is done, and when it is enough, in parts of the velocity.
const MAX_MIDPOINTS: usize = 40;
const MIDPOINT_TOLERANCE: f64 = 1e-11;
/// A motor's effort is beyond its bound if it is by more than this share.
const BOUND_TOLERANCE: f64 = 1e-9;

impl Solver {
    /// Solves the trees of an island and moves them to the end of the step.
    pub(super) fn solve_island(
        &mut self,
        system: &System,
        state: &mut State,
        input: &StepInput<'_>,
        parameters: &Parameters,
        island: usize,
        outcome: &mut Outcome,
    ) {
        let num_trees = self.islands.trees(island).len();
        for index in 0..num_trees {
            let tree = self.islands.trees(island)[index] as usize;
            self.dynamics.weigh(system, &self.kinematics, tree);
            self.dynamics.mass_matrix(system, &self.structure, &self.kinematics, tree);
            self.set_middle(system, state, tree);
        }
        let group = self.loops_of(island);
        let mut rounds = 0;
        let Found { sweeps, residual } = loop {
            for index in 0..num_trees {
                let tree = self.islands.trees(island)[index] as usize;
                self.set_efforts(system, state, tree);
                self.factor_and_bias(system, state, tree);
            }
            let found = self.solve_constraints(system, state, input, parameters, island, group);
            for index in 0..num_trees {
                let tree = self.islands.trees(island)[index] as usize;
                let span = system.trees[tree].coordinates.clone();
                self.velocities[span.clone()].copy_from_slice(&self.motion[span.clone()]);
                self.factor.back_solve(&self.structure, system, tree, &mut self.velocities);
                for coordinate in span {
                    self.velocities[coordinate] += self.start[coordinate];
                }
            }
            rounds += 1;
            let may_release = 2 * rounds <= parameters.max_rounds;
            if !self.switch_regimes(system, state, island, may_release) {
                break found;
            }
            if rounds > parameters.max_rounds {
                outcome.unsettled += 1;
                break found;
            }
            // What has been found is a better start than the step before.
            for index in self.starts[island] as usize..self.starts[island + 1] as usize {
                let contact = self.order[index] as usize;
                self.warm_starts[contact] = self.impulses[contact];
            }
        };
        outcome.sweeps = outcome.sweeps.max(sweeps);
        outcome.residual = outcome.residual.max(residual);
        outcome.unconverged += usize::from(residual > parameters.tolerance);

        let is_free = self.constraints.is_empty() && group.is_none();
        let corrects = !is_free && self.correct(system, island, group, parameters);
        for index in 0..num_trees {
            let tree = self.islands.trees(island)[index] as usize;
            self.advance(system, state, tree, parameters, is_free, corrects);
        }
    }

    /// All loops of an island are one system, kept under the number of its first group.
    fn loops_of(&mut self, island: usize) -> Option<usize> {
        let mut first = None;
        self.closures.clear();
        for (group, _) in self.group_islands.iter().enumerate().filter(|(_, of)| **of == Some(island)) {
            if first.is_some() {
                self.equalities[group].clear();
            }
            first.get_or_insert(group);
            self.closures.extend_from_slice(&self.groups.groups[group]);
        }
        first
    }

    /// Velocities at which the bias is taken: in the middle of the step, extrapolated.
    fn set_middle(&mut self, system: &System, state: &State, tree: usize) {
        for coordinate in system.trees[tree].coordinates.clone() {
            let now = state.velocities[coordinate];
            self.middle[coordinate] = match self.drives[coordinate].given {
                Some(velocity) => velocity,
                None => now + 0.5 * (now - state.velocities_before[coordinate]),
            };
        }
        let fastest = self.dynamics.set_velocities(system, &self.kinematics, tree, &self.middle);
        let bound = if self.is_held[tree] { FAST_HELD } else { FAST };
        self.is_fast[tree] = fastest * self.time_step * self.time_step > bound * bound;
        self.bias(system, tree);
    }

    fn bias(&mut self, system: &System, tree: usize) {
        let rates = self.has_given.then_some((&self.rates[..], &mut self.scratch[..]));
        self.dynamics.inverse(system, &self.kinematics, tree, &self.gravity, rates, &self.external);
    }

    /// What motors, springs and damping do.
    fn set_efforts(&mut self, system: &System, state: &State, tree: usize) {
        let step = self.time_step;
        let data = &system.trees[tree];
        for coordinate in data.coordinates.start..data.joints().start {
            self.efforts[coordinate] = self.drives[coordinate].effort;
            self.implicit[coordinate] = 0.0;
        }
        for coordinate in data.joints() {
            let (model, drive) = (&system.coordinates[coordinate], &self.drives[coordinate]);
            let velocity = self.start[coordinate];
            // At the end of the step, if nothing accelerates.
            let displacement = state.displacements[coordinate] + step * velocity;
            let passive = -model.damping * velocity - model.stiffness * (displacement - model.rest);
            let (mut damping, mut stiffness) = (model.damping, model.stiffness);
            let motor = match state.warm.regimes[coordinate] {
                Regime::Lower => drive.bounds.lower,
                Regime::Upper => drive.bounds.upper,
                Regime::Free if drive.stiffness != 0.0 || drive.damping != 0.0 => {
                    damping += drive.damping;
                    stiffness += drive.stiffness;
                    drive.effort_at(displacement, velocity)
                }
                Regime::Free => drive.bounds.clamp(drive.effort),
            };
            self.efforts[coordinate] = motor + passive;
            self.implicit[coordinate] = step * (damping + step * stiffness);
        }
    }

    /// Factor of a tree, and its motion if no constraint acts.
    fn factor_and_bias(&mut self, system: &System, state: &State, tree: usize) {
        let implicit = &self.implicit;
        self.factor.factor(&self.structure, system, tree, &self.dynamics.mass, |coordinate| implicit[coordinate]);
        self.free_fall(system, tree);
        if !self.is_fast[tree] {
            return;
        }
        let span = system.trees[tree].coordinates.clone();
        for _ in 0..MAX_MIDPOINTS {
            self.velocities[span.clone()].copy_from_slice(&self.motion[span.clone()]);
            self.factor.back_solve(&self.structure, system, tree, &mut self.velocities);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for coordinate in span.clone() {
                let middle =
                    self.start[coordinate] + 0.5 * (self.velocities[coordinate] + state.constraint_changes[coordinate]);
                change = change.max((middle - self.middle[coordinate]).abs());
                size = size.max(middle.abs());
                self.middle[coordinate] = middle;
            }
            self.dynamics.set_velocities(system, &self.kinematics, tree, &self.middle);
            self.bias(system, tree);
            self.free_fall(system, tree);
            if change <= MIDPOINT_TOLERANCE * size {
                break;
            }
        }
    }

    fn free_fall(&mut self, system: &System, tree: usize) {
        for coordinate in system.trees[tree].coordinates.clone() {
            self.motion[coordinate] = self.time_step * (self.efforts[coordinate] - self.dynamics.bias[coordinate]);
        }
        self.factor.half_solve(&self.structure, system, tree, &mut self.motion);
        let span = system.trees[tree].coordinates.clone();
        self.free_motion[span.clone()].copy_from_slice(&self.motion[span]);
    }

    /// Loops, contacts and the rest of an island.
    fn solve_constraints(
        &mut self,
        system: &System,
        state: &mut State,
        input: &StepInput<'_>,
        parameters: &Parameters,
        island: usize,
        group: Option<usize>,
    ) -> Found {
        let mut loops = group.map(|group| (group, std::mem::take(&mut self.equalities[group])));
        if let Some((_, loops)) = &mut loops {
            loops.build(
                system,
                &self.structure,
                &self.kinematics,
                &self.dynamics,
                &self.factor,
                &self.twists,
                &self.closures,
                self.time_step,
            );
            loops.satisfy(&mut self.motion);
        }
        let scene = Scene {
            system,
            structure: &self.structure,
            kinematics: &self.kinematics,
            factor: &self.factor,
            twists: &self.twists,
            parameters,
            time_step: self.time_step,
        };
        self.constraints.clear();
        for &tree in self.islands.trees(island) {
            for coordinate in system.trees[tree as usize].joints() {
                let spare = self.spare(state, coordinate);
                let now = (state.displacements[coordinate], self.start[coordinate], spare);
                let loops = loops.as_mut().map(|(_, loops)| loops);
                self.constraints.add_coordinate(&scene, loops, &self.motion, coordinate, now, &state.warm);
                state.warm.coordinates[coordinate] = [0.0; 3];
            }
        }
        for &index in &self.order[self.starts[island] as usize..self.starts[island + 1] as usize] {
            let index = index as usize;
            let loops = loops.as_mut().map(|(_, loops)| loops);
            let contact = (index, &input.contacts[index]);
            self.constraints.add_contact(&scene, loops, &self.motion, contact, &self.warm_starts[index]);
            self.impulses[index] = Vector3::zeros();
        }
        let is_new = self.constraints.finish();
        let mut found = Found::default();
        if !self.constraints.is_empty() {
            self.constraints.bounce(&mut self.motion, parameters);
            self.constraints.push_warm_starts(&mut self.motion);
            let coordinates = |&tree: &u32| system.trees[tree as usize].coordinates.clone();
            self.descent.begin(self.islands.trees(island).iter().flat_map(coordinates));
            let stages = [Stage::Share, Stage::Settle];
            for &stage in if is_new { &stages[..] } else { &stages[1..] } {
                let sweeps = found.sweeps;
                found = self.descent.run(&mut self.constraints, stage, &mut self.motion, parameters);
                found.sweeps += sweeps;
            }
            self.constraints.sum_up();
            self.constraints.tell(&mut self.impulses, &mut state.warm.coordinates);
        }
        if let Some((group, mut loops)) = loops {
            // What is neither free fall nor another constraint is the loops' doing.
            for &tree in self.islands.trees(island) {
                for coordinate in system.trees[tree as usize].coordinates.clone() {
                    self.corrective[coordinate] = self.motion[coordinate] - self.free_motion[coordinate];
                }
            }
            self.constraints.take_own(&mut self.corrective);
            loops.tell(&self.corrective);
            self.equalities[group] = loops;
        }
        found
    }

    /// What a motor can do beside what it does, N·m or N; of a servo as at the beginning of the step.
    fn spare(&self, state: &State, coordinate: usize) -> Range {
        let drive = &self.drives[coordinate];
        let velocity = self.start[coordinate];
        let effort = drive.effort_at(state.displacements[coordinate] + self.time_step * velocity, velocity);
        let effort = drive.bounds.clamp(effort);
        Range { lower: drive.bounds.lower - effort, upper: drive.bounds.upper - effort }
    }

    /// Finds motors that have come to their limits or left them. Gives whether there are any.
    fn switch_regimes(&mut self, system: &System, state: &mut State, island: usize, may_release: bool) -> bool {
        let mut has_changed = false;
        for &tree in self.islands.trees(island) {
            for coordinate in system.trees[tree as usize].joints() {
                let drive = &self.drives[coordinate];
                if drive.given.is_some() || (drive.stiffness == 0.0 && drive.damping == 0.0) {
                    state.warm.regimes[coordinate] = Regime::Free;
                    continue;
                }
                let velocity = self.velocities[coordinate];
                let effort = drive.effort_at(state.displacements[coordinate] + self.time_step * velocity, velocity);
                let beyond = |bound: f64| BOUND_TOLERANCE * (1.0 + bound.abs());
                let regime = &mut state.warm.regimes[coordinate];
                let wanted = if effort > drive.bounds.upper + beyond(drive.bounds.upper) {
                    Regime::Upper
                } else if effort < drive.bounds.lower - beyond(drive.bounds.lower) {
                    Regime::Lower
                } else {
                    Regime::Free
                };
                if *regime == Regime::Free || (may_release && !is_at_bound(effort, drive, *regime)) {
                    has_changed |= *regime != wanted;
                    *regime = wanted;
                }
            }
        }
        has_changed
    }
}

/// Whether a motor that is at a bound belongs there.
fn is_at_bound(effort: f64, drive: &Drive, regime: Regime) -> bool {
    match regime {
        Regime::Lower => effort <= drive.bounds.lower,
        Regime::Upper => effort >= drive.bounds.upper,
        Regime::Free => true,
    }
}
