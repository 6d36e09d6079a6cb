//! The kick: forces and constraints of an island in the middle of the step.

use bunraku_body::Range;

use super::constraints::Scene;
use super::descent::Found;
use super::drive::Drive;
use super::parameters::Outcome;
use super::state::{Regime, State};
use super::worker::{Task, Worker};

/// An angle turned in a step, rad, beyond which a tree is fast: the bias is then taken in the very middle of the step instead of
/// being extrapolated, as extrapolation makes a wobbling top wobble more.
const FAST: f64 = 0.01;
/// The same for a tree that something holds or touches, where steps of the contacts' own outweigh what extrapolation misses.
const FAST_HELD: f64 = 0.05;
/// The most times that is done, and when it is enough, in parts of the velocity.
const MAX_MIDPOINTS: usize = 40;
const MIDPOINT_TOLERANCE: f64 = 1e-11;
/// It leads nowhere if it goes beyond so many times the velocity that it has begun with; the bias is then taken at the beginning.
const FAR_OFF: f64 = 1e3;
/// A motor's effort is beyond its bound if it is by more than this share.
const BOUND_TOLERANCE: f64 = 1e-9;

impl Worker {
    /// Solves the trees of an island and moves them to the end of the step. Gives how well, and whether the island rests.
    pub(super) fn solve_island(&mut self, task: Task<'_>, state: &mut State, island: usize) -> (Outcome, bool) {
        let Task { setting, system, parameters, .. } = task;
        let mut outcome = Outcome::default();
        let num_trees = setting.islands.trees(island).len();
        for index in 0..num_trees {
            let tree = setting.islands.trees(island)[index] as usize;
            self.dynamics.weigh(system, &setting.kinematics, tree);
            self.set_middle(task, state, tree);
        }
        let group = self.loops_of(task, island);
        let mut rounds = 0;
        let Found { sweeps, residual } = loop {
            for index in 0..num_trees {
                let tree = setting.islands.trees(island)[index] as usize;
                self.set_efforts(task, state, tree);
                self.factor_and_bias(task, state, tree);
            }
            let found = self.solve_constraints(task, state, (island, group), rounds > 0);
            for index in 0..num_trees {
                let tree = setting.islands.trees(island)[index] as usize;
                let span = system.trees[tree].coordinates.clone();
                self.velocities[span.clone()].copy_from_slice(&self.motion[span.clone()]);
                self.factor.back_solve(system, tree, &mut self.velocities);
                for coordinate in span {
                    self.velocities[coordinate] += setting.start[coordinate];
                }
            }
            rounds += 1;
            let may_release = 2 * rounds <= parameters.max_rounds;
            if !self.switch_regimes(task, state, island, may_release) {
                break found;
            }
            if rounds > parameters.max_rounds {
                outcome.unsettled = 1;
                break found;
            }
        };
        (outcome.sweeps, outcome.residual) = (sweeps, residual);
        outcome.unconverged = usize::from(residual > parameters.tolerance);
        let rests = group.is_none() && self.rests(task, island);
        if rests {
            self.lay_to_rest(task, island);
        }

        let is_free = self.constraints.is_empty() && group.is_none();
        let corrects = !is_free && self.correct(task, island, group);
        for index in 0..num_trees {
            let tree = setting.islands.trees(island)[index] as usize;
            self.advance(task, state, tree, is_free, corrects);
        }
        (outcome, rests)
    }

    /// All loops of an island are one system, kept under the number of its first group.
    fn loops_of(&mut self, task: Task<'_>, island: usize) -> Option<usize> {
        let Task { setting, .. } = task;
        let mut first = None;
        self.closures.clear();
        for (group, _) in setting.group_islands.iter().enumerate().filter(|(_, of)| **of == Some(island)) {
            if first.is_some() {
                self.equalities[group].clear();
            }
            first.get_or_insert(group);
            self.closures.extend_from_slice(&setting.groups.groups[group]);
        }
        first
    }

    /// Velocities at which the bias is taken: in the middle of the step, extrapolated.
    fn set_middle(&mut self, task: Task<'_>, state: &State, tree: usize) {
        let Task { setting, system, .. } = task;
        for coordinate in system.trees[tree].coordinates.clone() {
            let now = state.velocities[coordinate];
            self.middle[coordinate] = match setting.drives[coordinate].given {
                Some(velocity) => velocity,
                None => now + 0.5 * (now - state.velocities_before[coordinate]),
            };
        }
        let fastest = self.dynamics.set_velocities(system, &setting.kinematics, tree, &self.middle);
        let bound = if setting.is_held[tree] { FAST_HELD } else { FAST };
        self.is_fast[tree] = fastest * setting.time_step * setting.time_step > bound * bound;
        self.bias(task, tree);
    }

    fn bias(&mut self, task: Task<'_>, tree: usize) {
        let Task { setting, system, .. } = task;
        let rates = setting.has_given.then_some((&setting.rates[..], &mut self.scratch[..]));
        self.dynamics.inverse(system, &setting.kinematics, tree, &setting.gravity, rates, &setting.external);
    }

    /// What motors, springs and damping do.
    fn set_efforts(&mut self, task: Task<'_>, state: &State, tree: usize) {
        let Task { setting, system, .. } = task;
        let step = setting.time_step;
        let data = &system.trees[tree];
        for coordinate in data.coordinates.start..data.joints().start {
            self.efforts[coordinate] = setting.drives[coordinate].effort;
            self.implicit[coordinate] = 0.0;
        }
        for coordinate in data.joints() {
            let (model, drive) = (&system.coordinates[coordinate], &setting.drives[coordinate]);
            let velocity = setting.start[coordinate];
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
    fn factor_and_bias(&mut self, task: Task<'_>, state: &State, tree: usize) {
        let Task { setting, system, .. } = task;
        let (implicit, terms) = (&self.implicit, (&setting.kinematics, &self.dynamics.inertias[..]));
        self.factor.factor(&setting.structure, system, tree, terms, |coordinate| implicit[coordinate]);
        self.free_fall(task, tree);
        if !self.is_fast[tree] {
            return;
        }
        let span = system.trees[tree].coordinates.clone();
        let mut first = None;
        for _ in 0..MAX_MIDPOINTS {
            self.velocities[span.clone()].copy_from_slice(&self.motion[span.clone()]);
            self.factor.back_solve(system, tree, &mut self.velocities);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for coordinate in span.clone() {
                let middle = setting.start[coordinate]
                    + 0.5 * (self.velocities[coordinate] + state.constraint_changes[coordinate]);
                change = change.max((middle - self.middle[coordinate]).abs());
                size = size.max(middle.abs());
                self.middle[coordinate] = middle;
            }
            let leads_away = size > FAR_OFF * *first.get_or_insert(size);
            if leads_away {
                self.middle[span.clone()].copy_from_slice(&setting.start[span.clone()]);
            }
            self.dynamics.set_velocities(system, &setting.kinematics, tree, &self.middle);
            self.bias(task, tree);
            self.free_fall(task, tree);
            if leads_away || change <= MIDPOINT_TOLERANCE * size {
                break;
            }
        }
    }

    fn free_fall(&mut self, task: Task<'_>, tree: usize) {
        let Task { setting, system, .. } = task;
        for coordinate in system.trees[tree].coordinates.clone() {
            self.motion[coordinate] = setting.time_step * (self.efforts[coordinate] - self.dynamics.bias[coordinate]);
        }
        self.factor.half_solve(system, tree, &mut self.motion);
        let span = system.trees[tree].coordinates.clone();
        self.free_motion[span.clone()].copy_from_slice(&self.motion[span]);
    }

    /// Loops, contacts and the rest of an island.
    fn solve_constraints(
        &mut self,
        task: Task<'_>,
        state: &mut State,
        (island, group): (usize, Option<usize>),
        goes_on: bool,
    ) -> Found {
        let Task { setting, system, input, parameters, .. } = task;
        let mut loops = group.map(|group| (group, std::mem::take(&mut self.equalities[group])));
        if let Some((_, loops)) = &mut loops {
            loops.build(
                system,
                &setting.structure,
                &setting.kinematics,
                &self.dynamics,
                &self.factor,
                &setting.twists,
                &self.closures,
                setting.time_step,
            );
            loops.satisfy(&mut self.motion);
        }
        let scene = Scene {
            system,
            structure: &setting.structure,
            kinematics: &setting.kinematics,
            factor: &self.factor,
            twists: &setting.twists,
            parameters,
            time_step: setting.time_step,
        };
        self.constraints.clear();
        let parts = |&tree: &u32| system.trees[tree as usize].parts.len();
        self.constraints.are_loose = setting.islands.trees(island).iter().map(parts).all(|count| count == 1);
        for &tree in setting.islands.trees(island) {
            for coordinate in system.trees[tree as usize].joints() {
                let spare = || spare(task, state, coordinate);
                let now = (state.displacements[coordinate], setting.start[coordinate], spare);
                let loops = loops.as_mut().map(|(_, loops)| loops);
                self.constraints.add_coordinate(&scene, loops, &self.motion, coordinate, now, &state.warm);
                state.warm.coordinates[coordinate] = [0.0; 3];
            }
        }
        // What the round before has found is a better start than the step before.
        let warm_starts = if goes_on { &self.impulses } else { &setting.warm_starts };
        for &index in setting.contacts(island) {
            let index = index as usize;
            let loops = loops.as_mut().map(|(_, loops)| loops);
            let contact = (index, &input.contacts[index]);
            self.constraints.add_contact(&scene, loops, &self.motion, contact, &warm_starts[index]);
        }
        self.constraints.finish(parameters);
        let mut found = Found::default();
        if !self.constraints.is_empty() {
            self.constraints.bounce(&mut self.motion, parameters);
            self.constraints.push_warm_starts(&mut self.motion);
            let coordinates = |&tree: &u32| system.trees[tree as usize].coordinates.clone();
            self.descent.begin(setting.islands.trees(island).iter().flat_map(coordinates));
            let is_to_share = self.constraints.is_to_share(&self.motion, parameters.tolerance);
            let shared =
                if is_to_share { self.descent.share(&mut self.constraints, &mut self.motion, parameters) } else { 0 };
            found = self.descent.settle(&mut self.constraints, &mut self.motion, parameters);
            found.sweeps += shared;
            self.constraints.sum_up();
            self.constraints.tell(&mut self.impulses, &mut state.warm.coordinates);
        }
        if let Some((group, mut loops)) = loops {
            // What is neither free fall nor another constraint is the loops' doing.
            for &tree in setting.islands.trees(island) {
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

    /// Finds motors that have come to their limits or left them. Gives whether there are any.
    fn switch_regimes(&mut self, task: Task<'_>, state: &mut State, island: usize, may_release: bool) -> bool {
        let Task { setting, system, .. } = task;
        let mut has_changed = false;
        for &tree in setting.islands.trees(island) {
            for coordinate in system.trees[tree as usize].joints() {
                let drive = &setting.drives[coordinate];
                if drive.given.is_some() || (drive.stiffness == 0.0 && drive.damping == 0.0) {
                    state.warm.regimes[coordinate] = Regime::Free;
                    continue;
                }
                let velocity = self.velocities[coordinate];
                let effort = drive.effort_at(state.displacements[coordinate] + setting.time_step * velocity, velocity);
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

/// What a motor can do beside what it does, N·m or N; of a servo as at the beginning of the step.
fn spare(task: Task<'_>, state: &State, coordinate: usize) -> Range {
    let Task { setting, .. } = task;
    let drive = &setting.drives[coordinate];
    let velocity = setting.start[coordinate];
    let effort = drive.effort_at(state.displacements[coordinate] + setting.time_step * velocity, velocity);
    let effort = drive.bounds.clamp(effort);
    Range { lower: drive.bounds.lower - effort, upper: drive.bounds.upper - effort }
}
