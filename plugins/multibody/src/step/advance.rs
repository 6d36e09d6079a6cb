//! The second half of the drift, and what keeps momentum on the way.

use nalgebra::{Isometry3, Vector3};

use crate::dynamics::integration::{Momentum, drift, set_momentum};
use crate::math::spatial::Wrench;
use crate::model::index::PartIndex;
use crate::model::parameters::Integrator;
use crate::model::state::State;
use crate::model::system::System;
use crate::step::setting::shift_wrenches;
use crate::step::worker::{Task, Worker};

/// The farthest that anything turns in a substep of an exact step, rad, and the most substeps of a step.
const EXACT_TURN: f64 = 0.02;
const MAX_SUBSTEPS: f64 = 100.0;

/// How an island has been solved.
#[derive(Clone, Copy)]
pub struct Solved {
    /// Without constraints.
    pub is_free: bool,
    /// It has come to rest.
    pub rests: bool,
    /// Depth or gaps are taken out.
    pub corrects: bool,
}

impl Worker {
    /// The second half of the drift.
    pub(crate) fn advance(&mut self, task: Task<'_>, state: &mut State, tree: usize, solved: Solved) {
        let Solved { is_free, rests, corrects } = solved;
        let Task { setting, system, parameters, .. } = task;
        let span = system.trees[tree].coordinates.clone();
        let step = setting.time_step;
        let is_isolated = setting.is_isolated[setting.islands.of_tree[tree] as usize];
        state.is_floating[tree] = is_isolated;
        let is_given = span.clone().any(|coordinate| setting.drives[coordinate].given.is_some());
        // A thrown body may spin at any speed: it has no springs that require short steps.
        let spins = self.is_fast[tree] && system.trees[tree].parts.len() == 1;
        if is_free && !is_given && (spins || parameters.integrator == Integrator::RungeKutta4) {
            self.step_exactly(task, state, tree);
            return;
        }
        for coordinate in span.clone() {
            state.velocities_before[coordinate] = setting.start[coordinate];
            state.velocities[coordinate] = self.velocities[coordinate];
        }
        drift(system, tree, &self.velocities, 0.5 * step, state);
        if corrects {
            self.correct_place(task, state, tree);
        }
        self.end.place(system, tree, &state.root_poses[tree], &state.displacements);
        // Internal forces do not change the momentum of a tree, and those between trees not that of them all.
        if is_isolated && !rests {
            let momentum = self.end_momentum(task, tree);
            // Corrections of depth and gaps move trees apart.
            let moves = !(corrects && setting.is_held[tree]);
            self.keep_momentum(system, state, tree, momentum, moves);
        }
    }

    /// Gives a free tree its momentum exactly.
    fn keep_momentum(
        &mut self,
        system: &System,
        state: &mut State,
        tree: usize,
        momentum: Option<Momentum>,
        moves: bool,
    ) {
        let Some(momentum) = momentum else { return };
        // Readings want the inertias of the middle; they weigh again.
        let (dynamics, twists) = (&mut self.dynamics, &mut self.scratch);
        set_momentum(system, &mut self.end, dynamics, twists, tree, (&momentum, moves), state);
    }

    /// Momentum of a tree at the end of the step, if that at the beginning is known: gravity, forces from outside and the impulses of
    /// other trees add to it.
    fn end_momentum(&self, task: Task<'_>, tree: usize) -> Option<Momentum> {
        let Task { setting, system, .. } = task;
        let mut momentum = setting.momenta[tree]?;
        let mut middle = momentum;
        middle.push(&Vector3::zeros(), &Vector3::zeros(), 0.5 * setting.time_step);
        let mut whole = Wrench::ZERO;
        for index in system.trees[tree].parts.clone() {
            whole.force += setting.external[index].force;
            whole.torque += setting.external[index].torque;
        }
        // In other islands that know their momentum no constraint has acted.
        if setting.is_isolated[setting.islands.of_tree[tree] as usize] {
            let of_others = &self.impulses_of_others[tree];
            whole.force += of_others.force / setting.time_step;
            whole.torque += of_others.torque / setting.time_step;
        }
        let lever = middle.center - setting.kinematics.origins[tree];
        let force = setting.gravity * momentum.mass + whole.force;
        momentum.push(&force, &(whole.torque - lever.cross(&whole.force)), setting.time_step);
        Some(momentum)
    }

    /// Adds up the impulses of contacts and closures on each tree of an island, about its origin.
    pub(crate) fn add_up_impulses(&mut self, task: Task<'_>, state: &State, island: usize) {
        let Task { setting, system, input, .. } = task;
        let Self { impulses, impulses_of_others: sums, .. } = self;
        for &tree in setting.islands.trees(island) {
            sums[tree as usize] = Wrench::ZERO;
        }
        let mut add = |part: Option<PartIndex>, point: &Vector3<f64>, force: Vector3<f64>, torque: Vector3<f64>| {
            let Some(PartIndex(part)) = part else { return };
            let tree = system.parts[part].tree;
            sums[tree].force += force;
            sums[tree].torque += torque + (point - setting.kinematics.origins[tree]).cross(&force);
        };
        for &index in setting.contacts.of(island) {
            let (contact, impulse) = (&input.contacts[index as usize], impulses[index as usize]);
            add(contact.parts[0], &contact.point, impulse, Vector3::zeros());
            add(contact.parts[1], &contact.point, -impulse, Vector3::zeros());
        }
        for &index in setting.closures.of(island) {
            let [first, second] = system.closures[index as usize].sides;
            let [impulse, twist] = state.warm.closures[index as usize];
            let pose = second.part.map_or_else(Isometry3::identity, |part| setting.kinematics.pose(part.0));
            let point = (pose * second.frame).translation.vector;
            add(second.part, &point, impulse, twist);
            add(first.part, &point, -impulse, -twist);
        }
    }

    fn step_exactly(&mut self, task: Task<'_>, state: &mut State, tree: usize) {
        let Task { setting, system, .. } = task;
        let span = system.trees[tree].coordinates.clone();
        state.displacements[span.clone()].copy_from_slice(&setting.saved.0[span.clone()]);
        state.root_poses[tree] = setting.saved.1[tree];
        state.velocities_before[span.clone()].copy_from_slice(&setting.start[span.clone()]);
        let momentum = self.end_momentum(task, tree);
        let fastest = system.trees[tree].parts.clone().map(|part| self.dynamics.twists[part].angular.norm_squared());
        let turned = fastest.fold(0.0, f64::max).sqrt() * setting.time_step;
        let substeps = (turned / EXACT_TURN).ceil().clamp(1.0, MAX_SUBSTEPS);
        let mut exact = std::mem::take(&mut self.exact);
        // A small whole number.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        for _ in 0..substeps as usize {
            let step = setting.time_step / substeps;
            exact.step(system, state, tree, step, |state, rates| self.accelerations(task, state, tree, rates));
        }
        self.exact = exact;
        self.end.place(system, tree, &state.root_poses[tree], &state.displacements);
        if system.trees[tree].is_free {
            self.keep_momentum(system, state, tree, momentum, true);
        }
        self.velocities[span.clone()].copy_from_slice(&state.velocities[span]);
    }

    /// Accelerations of a tree's coordinates for a state that need not be that of the step.
    fn accelerations(&mut self, task: Task<'_>, state: &State, tree: usize, rates: &mut [f64]) {
        let Task { setting, system, .. } = task;
        let span = system.trees[tree].coordinates.clone();
        self.passing.place(system, tree, &state.root_poses[tree], &state.displacements);
        self.passing.direct(system, tree);
        self.dynamics.weigh(system, &self.passing, tree);
        self.dynamics.set_velocities(system, &self.passing, tree, &state.velocities);
        shift_wrenches(system, &self.passing, tree, &setting.applied, &mut self.passing_wrenches);
        self.dynamics.inverse(system, &self.passing, tree, &setting.gravity, None, &self.passing_wrenches);
        let terms = (&self.passing, &self.dynamics.inertias[..]);
        self.factor.factor(&setting.structure, system, tree, terms, |_| 0.0);
        for coordinate in span {
            let (model, drive) = (&system.coordinates[coordinate], &setting.drives[coordinate]);
            let (displacement, velocity) = (state.displacements[coordinate], state.velocities[coordinate]);
            let passive = -model.damping * velocity - model.stiffness * (displacement - model.rest);
            let motor = drive.bounds.clamp(drive.effort_at(displacement, velocity));
            rates[coordinate] = motor + passive - self.dynamics.bias[coordinate];
        }
        self.factor.half_solve(system, tree, rates);
        self.factor.back_solve(system, tree, rates);
    }
}
