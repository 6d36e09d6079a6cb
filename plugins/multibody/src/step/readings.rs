//! Efforts, reactions and accelerations of a step, by one pass of inverse dynamics with known accelerations and forces.

use nalgebra::{Isometry3, Vector3};

use crate::math::spatial::{Twist, Wrench, velocity_at};
use crate::model::closure::Closure;
use crate::model::contact::Contact;
use crate::model::index::PartIndex;
use crate::model::state::{Regime, State};
use crate::model::system::System;
use crate::step::setting::Setting;
use crate::step::solver::Solver;
use crate::step::worker::Worker;

/// Forces and accelerations of a step, as constant throughout it; means over its parts where it was divided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// Efforts of motors, N·m or N, by coordinate; of given coordinates all that their motion took.
    pub motors: Vec<f64>,
    /// Everything that acts along a coordinate, N·m or N: motor, spring, damping, dry friction, ends of ranges.
    pub efforts: Vec<f64>,
    /// Work of that, J.
    pub works: Vec<f64>,
    /// Of the efforts the ends of the range, N·m or N.
    pub range_efforts: Vec<f64>,
    /// Accelerations of coordinates, rad/s² or m/s².
    pub accelerations: Vec<f64>,
    /// By part: what its parent does to it, or the world to a root, about the origin of its frame, world axes.
    pub reactions: Vec<Wrench>,
    /// By part: acceleration of its frame's origin, m/s², and angular acceleration, rad/s², world axes.
    pub part_accelerations: Vec<Twist>,
    /// By part: velocity of its frame's origin, m/s, and angular velocity, rad/s, world axes, at the end of the step.
    pub part_twists: Vec<Twist>,
    /// By contact of the step: force on its first part, N, world axes.
    pub contact_forces: Vec<Vector3<f64>>,
    /// By closure: what it does to its second side, about its anchor there, world axes.
    pub closures: Vec<Wrench>,
    external: Vec<Wrench>,
}

impl Readings {
    /// Reads the step that the solver has just finished, with the contacts that it was given.
    pub fn read(&mut self, solver: &mut Solver, system: &System, state: &State, contacts: &[Contact]) {
        self.read_trees(solver, system, state, contacts, 0..system.num_trees());
        solver.end_twists(system, state, &mut self.part_twists);
    }

    /// Reads accelerations and twists only, which costs less; all else keeps its values.
    pub fn read_motions(&mut self, solver: &mut Solver, system: &System, state: &State) {
        self.fit_motions(system);
        for tree in 0..system.num_trees() {
            if solver.is_divided[tree] {
                self.add_motions(&solver.means, system, tree, 1.0);
            } else {
                self.read_motion(solver, system, tree);
            }
        }
        solver.end_twists(system, state, &mut self.part_twists);
    }

    /// The same for some trees, without twists at the end of the step.
    pub(crate) fn read_trees(
        &mut self,
        solver: &mut Solver,
        system: &System,
        state: &State,
        contacts: &[Contact],
        trees: impl Iterator<Item = usize>,
    ) {
        let step = solver.setting.time_step;
        self.fit(system);
        self.external.clone_from(&solver.setting.external);
        self.closures.fill(Wrench::ZERO);
        solver.add_constraint_wrenches(system, state, contacts, &mut self.external, &mut self.closures);
        self.contact_forces.clear();
        self.contact_forces.extend(solver.worker.impulses.iter().map(|impulse| impulse / step));
        for tree in trees {
            if solver.is_divided[tree] {
                self.add(&solver.means, system, tree, 1.0);
            } else {
                self.read_motion(solver, system, tree);
                self.read_forces(solver, system, state, tree);
            }
        }
    }

    /// Zeros for all coordinates and parts.
    pub(crate) fn fit(&mut self, system: &System) {
        self.fit_motions(system);
        for values in [&mut self.motors, &mut self.efforts, &mut self.works, &mut self.range_efforts] {
            values.clear();
            values.resize(system.num_coordinates(), 0.0);
        }
        self.reactions.clear();
        self.reactions.resize(system.num_parts(), Wrench::ZERO);
        self.closures.clear();
        self.closures.resize(system.closures.len(), Wrench::ZERO);
    }

    fn fit_motions(&mut self, system: &System) {
        self.accelerations.clear();
        self.accelerations.resize(system.num_coordinates(), 0.0);
        self.part_accelerations.clear();
        self.part_accelerations.resize(system.num_parts(), Twist::ZERO);
    }

    /// Accelerations of a tree. Leaves what those of its coordinates add to each part in the worker's scratch.
    fn read_motion(&mut self, solver: &mut Solver, system: &System, tree: usize) {
        let Solver { setting, worker, .. } = &mut *solver;
        let (Setting { kinematics, time_step, .. }, Worker { dynamics, scratch, velocities, .. }) = (&*setting, worker);
        for coordinate in system.trees[tree].coordinates.clone() {
            self.accelerations[coordinate] = match setting.drives[coordinate].given {
                Some(_) => setting.rates[coordinate],
                None => (velocities[coordinate] - setting.start[coordinate]) / time_step,
            };
        }
        kinematics.twists(system, tree, &self.accelerations, scratch);
        for index in system.trees[tree].parts.clone() {
            let offset = kinematics.positions[index] - kinematics.origins[tree];
            let (base, more) = (&dynamics.accelerations[index], &scratch[index]);
            let rate = Twist { linear: base.linear + more.linear, angular: base.angular + more.angular };
            let twist = &dynamics.twists[index];
            let linear = velocity_at(&rate, &offset) + twist.angular.cross(&velocity_at(twist, &offset));
            self.part_accelerations[index] = Twist { linear, angular: rate.angular };
        }
    }

    /// Forces of a tree, after its accelerations.
    fn read_forces(&mut self, solver: &mut Solver, system: &System, state: &State, tree: usize) {
        let Solver { setting, worker, .. } = &mut *solver;
        let (Setting { kinematics, gravity, time_step, .. }, Worker { dynamics, scratch, .. }) = (&*setting, worker);
        dynamics.weigh(system, kinematics, tree);
        dynamics.inverse(system, kinematics, tree, gravity, Some(scratch), &self.external);
        for index in system.trees[tree].parts.clone() {
            let offset = kinematics.positions[index] - kinematics.origins[tree];
            let Wrench { force, torque } = dynamics.wrenches[index];
            self.reactions[index] = Wrench { force, torque: torque - offset.cross(&force) };
        }
        for coordinate in system.trees[tree].coordinates.clone() {
            let effort = dynamics.bias[coordinate]
                + system.coordinates[coordinate].rotor_inertia * self.accelerations[coordinate];
            let velocity = 0.5 * (setting.start[coordinate] + state.velocities[coordinate]);
            self.efforts[coordinate] = effort;
            self.works[coordinate] = effort * velocity * time_step;
            self.range_efforts[coordinate] = state.warm.coordinates[coordinate][0] / time_step;
        }
        for coordinate in system.trees[tree].coordinates.clone() {
            self.motors[coordinate] = match solver.setting.drives[coordinate].given {
                Some(_) => self.efforts[coordinate],
                None => solver.motor_effort(state, coordinate),
            };
        }
    }

    /// Adds a share of the figures of a tree in a part of the step; works in full.
    pub(crate) fn add(&mut self, other: &Self, system: &System, tree: usize, share: f64) {
        self.add_motions(other, system, tree, share);
        for coordinate in system.trees[tree].coordinates.clone() {
            self.motors[coordinate] += share * other.motors[coordinate];
            self.efforts[coordinate] += share * other.efforts[coordinate];
            self.range_efforts[coordinate] += share * other.range_efforts[coordinate];
            self.works[coordinate] += other.works[coordinate];
        }
        for part in system.trees[tree].parts.clone() {
            self.reactions[part].force += share * other.reactions[part].force;
            self.reactions[part].torque += share * other.reactions[part].torque;
        }
    }

    fn add_motions(&mut self, other: &Self, system: &System, tree: usize, share: f64) {
        for coordinate in system.trees[tree].coordinates.clone() {
            self.accelerations[coordinate] += share * other.accelerations[coordinate];
        }
        for part in system.trees[tree].parts.clone() {
            self.part_accelerations[part].linear += share * other.part_accelerations[part].linear;
            self.part_accelerations[part].angular += share * other.part_accelerations[part].angular;
        }
    }
}

impl Solver {
    /// Twists of all parts at the end of the step, each at the origin of its frame.
    fn end_twists(&mut self, system: &System, state: &State, twists: &mut Vec<Twist>) {
        twists.clear();
        twists.resize(system.num_parts(), Twist::ZERO);
        for tree in 0..system.num_trees() {
            self.worker.end.direct(system, tree);
            self.worker.end.twists(system, tree, &state.velocities, twists);
            for part in system.trees[tree].parts.clone() {
                let offset = self.worker.end.positions[part] - self.worker.end.origins[tree];
                twists[part].linear = velocity_at(&twists[part], &offset);
            }
        }
    }

    /// The effort of a coordinate's motor in the step, N·m or N, within its bounds.
    fn motor_effort(&self, state: &State, coordinate: usize) -> f64 {
        let drive = &self.setting.drives[coordinate];
        match state.warm.regimes[coordinate] {
            Regime::Lower => drive.bounds.lower,
            Regime::Upper => drive.bounds.upper,
            Regime::Free => {
                // As the step has seen it: half a step beyond the end.
                let velocity = self.worker.velocities[coordinate];
                let displacement = state.displacements[coordinate] + 0.5 * self.setting.time_step * velocity;
                drive.bounds.clamp(drive.effort_at(displacement, velocity))
            }
        }
    }

    /// Adds what contacts and loops do to the parts, about the origins of their trees.
    fn add_constraint_wrenches(
        &self,
        system: &System,
        state: &State,
        contacts: &[Contact],
        wrenches: &mut [Wrench],
        of_closures: &mut [Wrench],
    ) {
        let (kinematics, step) = (&self.setting.kinematics, self.setting.time_step);
        let mut add = |part: Option<PartIndex>, point: &Vector3<f64>, force: Vector3<f64>, torque: Vector3<f64>| {
            let Some(PartIndex(part)) = part else { return };
            let offset = point - kinematics.origins[system.parts[part].tree];
            wrenches[part].force += force;
            wrenches[part].torque += torque + offset.cross(&force);
        };
        for (contact, impulse) in contacts.iter().zip(&self.worker.impulses) {
            let force = impulse / step;
            add(contact.parts[0], &contact.point, force, Vector3::zeros());
            add(contact.parts[1], &contact.point, -force, Vector3::zeros());
        }
        for ((closure, impulse), told) in system.closures.iter().zip(&state.warm.closures).zip(of_closures) {
            let Closure { sides: [first, second], .. } = closure;
            let [force, torque] = impulse.map(|impulse| impulse / step);
            *told = Wrench { force, torque };
            let pose = second.part.map_or_else(Isometry3::identity, |part| kinematics.pose(part.0));
            let point = (pose * second.frame).translation.vector;
            add(second.part, &point, force, torque);
            add(first.part, &point, -force, -torque);
        }
    }
}
