//! Energy that a step adds to an island beside the work of forces: by taking velocity-dependent forces, mass matrices and constraints at the
//! pose of its middle.

use nalgebra::Vector3;

use crate::constraints::Problem;
use crate::dynamics::integration::drift;
use crate::dynamics::kinematics::Kinematics;
use crate::math::rows::dot;
use crate::math::spatial::{SpatialInertia, Twist, power};
use crate::model::state::State;
use crate::model::system::System;
use crate::step::worker::{Task, Worker};

/// A correction of a joint, rad or m, that may change velocities of parts noticeably.
const FAR: f64 = 1e-4;

impl Worker {
    /// By how much a tree's energy changes otherwise than by the work of forces, J, and its larger kinetic energy at the beginning and
    /// the end of the step. Bias and twists must be those of the velocities in the middle of the step.
    pub(crate) fn energy_error(&mut self, task: Task<'_>, state: &mut State, tree: usize) -> [f64; 2] {
        let Task { setting, system, .. } = task;
        let span = system.trees[tree].coordinates.clone();
        let (displacements, poses) = &setting.saved;
        self.passing.place(system, tree, &poses[tree], displacements);
        let start = energies(system, &mut self.passing, tree, &setting.start, &setting.gravity, &mut self.scratch);
        let middle = state.root_poses[tree];
        self.corrective[span.clone()].copy_from_slice(&state.displacements[span.clone()]);
        drift(system, tree, &self.velocities, 0.5 * setting.time_step, state);
        self.passing.place(system, tree, &state.root_poses[tree], &state.displacements);
        state.displacements[span.clone()].copy_from_slice(&self.corrective[span.clone()]);
        state.root_poses[tree] = middle;
        let end = energies(system, &mut self.passing, tree, &self.velocities, &setting.gravity, &mut self.scratch);
        let mut work = 0.0;
        for coordinate in span {
            let (before, after) = (setting.start[coordinate], self.velocities[coordinate]);
            work += 0.5 * (before + after) * self.dynamics.bias[coordinate] * setting.time_step;
            let is_given = setting.drives[coordinate].given.is_some();
            self.corrective[coordinate] = if is_given { 0.0 } else { after - before };
        }
        setting.kinematics.twists(system, tree, &self.corrective, &mut self.scratch);
        for part in system.trees[tree].parts.clone() {
            let twist = &self.dynamics.twists[part];
            work += power(twist, &self.dynamics.inertias[part].momentum(&self.scratch[part]));
            work += setting.time_step * power(twist, &setting.external[part]);
        }
        [end[0] + end[1] - start[0] - start[1] - work, start[0].max(end[0])]
    }
}

impl Worker {
    /// Moves a tree by the motion that takes out depth and gaps. Velocities of joints that stay the same are other velocities of the parts
    /// thereafter: those of a tree that has become faster are reduced.
    pub(crate) fn correct_place(&mut self, task: Task<'_>, state: &mut State, tree: usize) {
        let Task { setting, system, .. } = task;
        let span = system.trees[tree].coordinates.clone();
        let is_far = |speed: &f64| speed.abs() * setting.time_step > FAR;
        let watches = system.trees[tree].parts.len() > 1 && self.corrective[span.clone()].iter().any(is_far);
        let before = watches.then(|| self.kinetic_energy(task, state, tree));
        drift(system, tree, &self.corrective, setting.time_step, state);
        let Some(before) = before else { return };
        let after = self.kinetic_energy(task, state, tree);
        if after > before {
            let share = (before / after).sqrt();
            state.velocities[span].iter_mut().for_each(|velocity| *velocity *= share);
        }
    }

    fn kinetic_energy(&mut self, task: Task<'_>, state: &State, tree: usize) -> f64 {
        let Task { setting, system, .. } = task;
        self.passing.place(system, tree, &state.root_poses[tree], &state.displacements);
        energies(system, &mut self.passing, tree, &state.velocities, &setting.gravity, &mut self.scratch)[0]
    }
}

impl Problem {
    /// Work of contacts, ends of ranges and closures in the step, J: impulses times mean velocities before and after.
    pub fn work(&self) -> f64 {
        let mut sum = 0.0;
        for contact in &self.contacts {
            let mean: [f64; 3] = std::array::from_fn(|axis| 0.5 * (contact.start[axis] + contact.velocity[axis]));
            sum += dot(&contact.impulse, &mean);
        }
        let coordinates = self.coordinates.iter().map(|row| &row.term);
        for term in self.rows.iter().map(|row| &row.term).chain(coordinates) {
            sum += term.impulse * 0.5 * (term.start + term.velocity);
        }
        sum
    }
}

/// Kinetic energy of a tree's parts, without rotors, and potential energy of their weight, J.
fn energies(
    system: &System,
    kinematics: &mut Kinematics,
    tree: usize,
    velocities: &[f64],
    gravity: &Vector3<f64>,
    twists: &mut [Twist],
) -> [f64; 2] {
    kinematics.direct(system, tree);
    kinematics.twists(system, tree, velocities, twists);
    let origin = kinematics.origins[tree];
    let mut sums = [0.0; 2];
    for index in system.trees[tree].parts.clone() {
        let offset = kinematics.positions[index] - origin;
        let inertia = SpatialInertia::of(&system.parts[index].mass, &kinematics.matrices[index], &offset);
        sums[0] += 0.5 * power(&twists[index], &inertia.momentum(&twists[index]));
        sums[1] -= gravity.dot(&(origin * inertia.mass + inertia.moment));
    }
    sums
}
