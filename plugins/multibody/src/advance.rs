//! The second half of the drift, and what keeps momentum on the way.

use nalgebra::Vector3;

use super::integration::{Momentum, drift, set_momentum};
use super::parameters::{Integrator, Parameters};
use super::solver::{Solver, shift_wrenches};
use super::spatial::Wrench;
use super::state::State;
use super::system::System;

/// The farthest that anything turns in a substep of an exact step, rad, and the most substeps of a step.
const EXACT_TURN: f64 = 0.02;
const MAX_SUBSTEPS: f64 = 100.0;

impl Solver {
    /// The second half of the drift.
    pub(super) fn advance(
        &mut self,
        system: &System,
        state: &mut State,
        tree: usize,
        parameters: &Parameters,
        is_free: bool,
        corrects: bool,
    ) {
        let span = system.trees[tree].coordinates.clone();
        let step = self.time_step;
        self.was_exact[tree] = false;
        state.is_floating[tree] = !self.is_held[tree];
        let is_given = span.clone().any(|coordinate| self.drives[coordinate].given.is_some());
        // What is thrown may spin as fast as it likes: it has no springs that ask for short steps.
        let spins = self.is_fast[tree] && system.trees[tree].parts.len() == 1;
        if is_free && !is_given && (spins || parameters.integrator == Integrator::RungeKutta4) {
            self.was_exact[tree] = true;
            self.step_exactly(system, state, tree);
            return;
        }
        if self.is_fast[tree] && !is_free {
            let changes = &mut state.constraint_changes;
            changes[span.clone()].copy_from_slice(&self.free_motion[span.clone()]);
            self.factor.back_solve(&self.structure, system, tree, changes);
            for coordinate in span.clone() {
                changes[coordinate] = self.velocities[coordinate] - self.start[coordinate] - changes[coordinate];
            }
        } else {
            state.constraint_changes[span.clone()].fill(0.0);
        }
        for coordinate in span.clone() {
            state.velocities_before[coordinate] = self.start[coordinate];
            state.velocities[coordinate] = self.velocities[coordinate];
        }
        if corrects {
            for coordinate in span.clone() {
                self.corrective[coordinate] = self.velocities[coordinate] + 2.0 * self.corrective[coordinate];
            }
            drift(system, tree, &self.corrective, 0.5 * step, state);
        } else {
            drift(system, tree, &self.velocities, 0.5 * step, state);
        }
        self.end.place(system, tree, &state.root_poses[tree], &state.displacements);
        let root_is_given = span.clone().next().is_some_and(|first| self.drives[first].given.is_some());
        // What acts inside a tree does not change its momentum.
        if !self.is_held[tree] && system.trees[tree].is_free && !root_is_given {
            let momentum = self.end_momentum(system, tree);
            self.keep_momentum(system, state, tree, momentum);
        }
    }

    /// Gives a free tree its momentum exactly.
    fn keep_momentum(&mut self, system: &System, state: &mut State, tree: usize, momentum: Option<Momentum>) {
        let Some(momentum) = momentum else { return };
        // Readings want the inertias of the middle; they weigh again.
        let (dynamics, twists) = (&mut self.dynamics, &mut self.scratch);
        set_momentum(system, &mut self.end, dynamics, twists, tree, &momentum, state);
    }

    /// Momentum of a tree at the end of the step, if that at the beginning is known: gravity and forces from outside add to it.
    fn end_momentum(&self, system: &System, tree: usize) -> Option<Momentum> {
        let mut momentum = self.momenta[tree]?;
        let mut whole = Wrench::ZERO;
        for index in system.trees[tree].parts.clone() {
            whole.force += self.external[index].force;
            whole.torque += self.external[index].torque;
        }
        let mut middle = momentum;
        middle.push(&Vector3::zeros(), &Vector3::zeros(), 0.5 * self.time_step);
        let lever = middle.center - self.kinematics.origins[tree];
        let force = self.gravity * momentum.mass + whole.force;
        momentum.push(&force, &(whole.torque - lever.cross(&whole.force)), self.time_step);
        Some(momentum)
    }

    fn step_exactly(&mut self, system: &System, state: &mut State, tree: usize) {
        let span = system.trees[tree].coordinates.clone();
        state.displacements[span.clone()].copy_from_slice(&self.saved.0[span.clone()]);
        state.root_poses[tree] = self.saved.1[tree];
        state.velocities_before[span.clone()].copy_from_slice(&self.start[span.clone()]);
        let momentum = self.end_momentum(system, tree);
        let fastest = system.trees[tree].parts.clone().map(|part| self.dynamics.twists[part].angular.norm_squared());
        let turned = fastest.fold(0.0, f64::max).sqrt() * self.time_step;
        let substeps = (turned / EXACT_TURN).ceil().clamp(1.0, MAX_SUBSTEPS);
        let mut exact = std::mem::take(&mut self.exact);
        // A small whole number.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        for _ in 0..substeps as usize {
            let step = self.time_step / substeps;
            exact.step(system, state, tree, step, |state, rates| self.accelerations(system, state, tree, rates));
        }
        self.exact = exact;
        self.end.place(system, tree, &state.root_poses[tree], &state.displacements);
        if system.trees[tree].is_free {
            self.keep_momentum(system, state, tree, momentum);
        }
        self.velocities[span.clone()].copy_from_slice(&state.velocities[span]);
    }

    /// Accelerations of a tree's coordinates for a state that need not be that of the step.
    pub(super) fn accelerations(&mut self, system: &System, state: &State, tree: usize, rates: &mut [f64]) {
        let span = system.trees[tree].coordinates.clone();
        self.kinematics.place(system, tree, &state.root_poses[tree], &state.displacements);
        self.kinematics.direct(system, tree);
        self.dynamics.weigh(system, &self.kinematics, tree);
        self.dynamics.mass_matrix(system, &self.structure, &self.kinematics, tree);
        self.dynamics.set_velocities(system, &self.kinematics, tree, &state.velocities);
        shift_wrenches(system, &self.kinematics, tree, &self.applied, &mut self.external);
        self.dynamics.inverse(system, &self.kinematics, tree, &self.gravity, None, &self.external);
        self.factor.factor(&self.structure, system, tree, &self.dynamics.mass, |_| 0.0);
        for coordinate in span {
            let (model, drive) = (&system.coordinates[coordinate], &self.drives[coordinate]);
            let (displacement, velocity) = (state.displacements[coordinate], state.velocities[coordinate]);
            let passive = -model.damping * velocity - model.stiffness * (displacement - model.rest);
            let motor = drive.bounds.clamp(drive.effort_at(displacement, velocity));
            rates[coordinate] = motor + passive - self.dynamics.bias[coordinate];
        }
        self.factor.half_solve(&self.structure, system, tree, rates);
        self.factor.back_solve(&self.structure, system, tree, rates);
    }
}
