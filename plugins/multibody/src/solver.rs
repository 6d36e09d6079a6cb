//! One step, from the middle of which the world is asked what touches.

use nalgebra::{Isometry3, Vector3};

use super::constraints::Constraints;
use super::contact::Contact;
use super::descent::Descent;
use super::drive::Drive;
use super::dynamics::Dynamics;
use super::equalities::{Equalities, LoopGroups};
use super::exact::ExactStep;
use super::factor::{Factor, Structure};
use super::index::PartIndex;
use super::integration::{Momentum, drift};
use super::islands::Islands;
use super::kinematics::Kinematics;
use super::parameters::{Outcome, Parameters, StepInput};
use super::spatial::{Twist, Wrench, velocity_at};
use super::state::State;
use super::system::System;

/// Steps a [`System`]. What it keeps from one call to the next is memory and what [`Readings`](super::Readings) need; all that
/// counts for the next step is in the [`State`].
#[derive(Clone, Debug, Default)]
pub struct Solver {
    pub(super) structure: Structure,
    pub(super) groups: LoopGroups,
    /// In the middle of the step.
    pub(super) kinematics: Kinematics,
    /// At its end; poses only.
    pub(super) end: Kinematics,
    pub(super) dynamics: Dynamics,
    pub(super) factor: Factor,
    pub(super) equalities: Vec<Equalities>,
    pub(super) islands: Islands,
    pub(super) constraints: Constraints,
    pub(super) descent: Descent,
    /// Twists of parts at the beginning, given velocities being those of the step.
    pub(super) twists: Vec<Twist>,
    /// Velocities at the beginning, given ones being those of the step.
    pub(super) start: Vec<f64>,
    /// Accelerations of given coordinates, 0 of others.
    pub(super) rates: Vec<f64>,
    pub(super) has_given: bool,
    /// With which the bias is taken.
    pub(super) middle: Vec<f64>,
    /// Change of velocities in the factor's coordinates.
    pub(super) motion: Vec<f64>,
    pub(super) free_motion: Vec<f64>,
    pub(super) corrective: Vec<f64>,
    pub(super) closing: Vec<f64>,
    pub(super) velocities: Vec<f64>,
    pub(super) is_fast: Vec<bool>,
    /// By tree: its momentum at the beginning of the step, if nothing held it in the step before.
    pub(super) momenta: Vec<Option<Momentum>>,
    /// What motors, springs and damping do at the velocities of the beginning.
    pub(super) efforts: Vec<f64>,
    /// And how much less for each acceleration, kg or kg·m².
    pub(super) implicit: Vec<f64>,
    /// By part, about its frame's origin.
    pub(super) applied: Vec<Wrench>,
    /// By part, about its tree's origin.
    pub(super) external: Vec<Wrench>,
    /// By contact, of this step, N·s.
    pub(super) impulses: Vec<Vector3<f64>>,
    pub(super) warm_starts: Vec<Vector3<f64>>,
    pub(super) contact_islands: Vec<u32>,
    /// By tree: whether anything outside it touches or holds it.
    pub(super) is_held: Vec<bool>,
    /// By group of loops: its island.
    pub(super) group_islands: Vec<Option<usize>>,
    /// Of the island that is being solved.
    pub(super) closures: Vec<usize>,
    /// Contacts sorted by island.
    pub(super) order: Vec<u32>,
    pub(super) starts: Vec<u32>,
    pub(super) scratch: Vec<Twist>,
    pub(super) was_exact: Vec<bool>,
    pub(super) exact: ExactStep,
    pub(super) saved: (Vec<f64>, Vec<Isometry3<f64>>),
    /// Drives of the step.
    pub(super) drives: Vec<Drive>,
    pub(super) time_step: f64,
    pub(super) gravity: Vector3<f64>,
}

impl Solver {
    /// Begins a step: the first half of the drift. Afterwards [`Self::pose`] tells the poses for which contacts are to be found.
    pub fn begin(&mut self, system: &System, state: &mut State, drives: &[Drive], parameters: &Parameters) {
        let count = system.num_coordinates();
        state.fit(system);
        self.drives.clear();
        self.drives.extend((0..count).map(|index| drives.get(index).copied().unwrap_or_default()));
        let (structure, drives) = (&mut self.structure, &self.drives);
        structure.fit(system, |coordinate| drives[coordinate].given.is_some());
        self.fit(system);
        self.time_step = parameters.time_step;
        self.gravity = parameters.gravity;
        self.has_given = false;
        for (coordinate, drive) in self.drives.iter().enumerate() {
            let now = state.velocities[coordinate];
            let velocity = drive.given.unwrap_or(now);
            self.start[coordinate] = velocity;
            self.rates[coordinate] = (velocity - now) / parameters.time_step;
            self.has_given |= self.rates[coordinate] != 0.0;
        }
        self.saved.0.clone_from(&state.displacements);
        self.saved.1.clone_from(&state.root_poses);
        for tree in 0..system.num_trees() {
            self.momenta[tree] = None;
            if system.trees[tree].is_free && state.is_floating[tree] {
                self.kinematics.place(system, tree, &state.root_poses[tree], &state.displacements);
                self.kinematics.direct(system, tree);
                self.dynamics.weigh(system, &self.kinematics, tree);
                self.kinematics.twists(system, tree, &state.velocities, &mut self.twists);
                self.momenta[tree] = Some(Momentum::of(system, &self.kinematics, &self.dynamics, &self.twists, tree));
            }
            drift(system, tree, &self.start, 0.5 * parameters.time_step, state);
            self.kinematics.place(system, tree, &state.root_poses[tree], &state.displacements);
            self.kinematics.direct(system, tree);
            self.kinematics.twists(system, tree, &self.start, &mut self.twists);
        }
    }

    /// Pose of a part's frame in the world: in the middle of the step after [`Self::begin`].
    pub fn pose(&self, part: PartIndex) -> Isometry3<f64> {
        self.kinematics.pose(part.0)
    }

    /// How far the points of a part go in half of the step, m, by the velocities of its beginning: those that are within `radius`, m, of
    /// the origin of its frame go no farther. After [`Self::begin`].
    pub fn way(&self, system: &System, PartIndex(part): PartIndex, radius: f64) -> f64 {
        let twist = &self.twists[part];
        let offset = self.kinematics.positions[part] - self.kinematics.origins[system.parts[part].tree];
        0.5 * self.time_step * (velocity_at(twist, &offset).norm() + twist.angular.norm() * radius)
    }

    /// Pose of a part's frame in the world after [`Self::finish`], or after [`Self::place`].
    pub fn end_pose(&self, part: PartIndex) -> Isometry3<f64> {
        self.end.pose(part.0)
    }

    /// Impulses of the contacts of the last step on their first parts, N·s, world axes.
    pub fn impulses(&self) -> &[Vector3<f64>] {
        &self.impulses
    }

    /// Whether [`Self::end_pose`] can tell of all parts: none has come since the last step.
    pub fn has_stepped(&self, system: &System) -> bool {
        self.end.rotations.len() == system.num_parts()
    }

    /// Finds the poses that [`Self::end_pose`] tells without any step.
    pub fn place(&mut self, system: &System, state: &State) {
        self.end.fit(system);
        for tree in 0..system.num_trees() {
            self.end.place(system, tree, &state.root_poses[tree], &state.displacements);
        }
    }

    fn fit(&mut self, system: &System) {
        let (count, parts, trees) = (system.num_coordinates(), system.num_parts(), system.num_trees());
        self.groups.fit(system);
        self.kinematics.fit(system);
        self.end.fit(system);
        self.dynamics.fit(system, &self.structure);
        self.factor.fit(&self.structure, count);
        self.equalities.resize(self.groups.groups.len(), Equalities::default());
        for values in [
            &mut self.start,
            &mut self.rates,
            &mut self.middle,
            &mut self.motion,
            &mut self.free_motion,
            &mut self.corrective,
            &mut self.closing,
            &mut self.velocities,
            &mut self.efforts,
            &mut self.implicit,
        ] {
            values.resize(count, 0.0);
        }
        self.twists.resize(parts, Twist::ZERO);
        self.scratch.resize(parts, Twist::ZERO);
        self.applied.resize(parts, Wrench::ZERO);
        self.external.resize(parts, Wrench::ZERO);
        self.is_fast.resize(trees, false);
        self.momenta.resize(trees, None);
        self.was_exact.resize(trees, false);
    }

    /// Ends a step that [`Self::begin`] has begun with the same system, state, drives and parameters.
    pub fn finish(
        &mut self,
        system: &System,
        state: &mut State,
        input: &StepInput<'_>,
        parameters: &Parameters,
    ) -> Outcome {
        self.apply(system, input.wrenches);
        self.find_islands(system, input.contacts);
        self.warm_start(state, input.contacts);
        let mut outcome = Outcome::default();
        for island in 0..self.islands.len() {
            self.solve_island(system, state, input, parameters, island, &mut outcome);
        }
        state.warm.contacts.clear();
        let contacts = input.contacts.iter().zip(&self.impulses);
        state.warm.contacts.extend(contacts.map(|(contact, impulse)| (contact.id, *impulse)));
        outcome
    }

    /// Forces from outside.
    fn apply(&mut self, system: &System, wrenches: &[(PartIndex, Wrench)]) {
        self.applied.fill(Wrench::ZERO);
        for (PartIndex(part), wrench) in wrenches {
            if let Some(sum) = self.applied.get_mut(*part) {
                sum.force += wrench.force;
                sum.torque += wrench.torque;
            }
        }
        if wrenches.is_empty() {
            self.external.fill(Wrench::ZERO);
            return;
        }
        for tree in 0..system.num_trees() {
            shift_wrenches(system, &self.kinematics, tree, &self.applied, &mut self.external);
        }
    }

    /// Sorts trees and contacts by island.
    fn find_islands(&mut self, system: &System, contacts: &[Contact]) {
        self.islands.begin(system);
        self.group_islands.clear();
        self.is_held.clear();
        self.is_held.resize(system.num_trees(), false);
        for closure in &system.closures {
            self.mark_held(system, &closure.sides.map(|side| side.part));
        }
        for contact in contacts {
            self.mark_held(system, &contact.parts);
        }
        for group in &self.groups.groups {
            let mut first = None;
            for &closure in group {
                for PartIndex(part) in system.closures[closure].sides.iter().filter_map(|side| side.part) {
                    let tree = system.parts[part].tree;
                    if !system.trees[tree].coordinates.is_empty() {
                        self.islands.join(*first.get_or_insert(tree), tree);
                    }
                }
            }
            self.group_islands.push(first);
        }
        let moves = |part: &Option<PartIndex>| {
            part.filter(|part| !self.structure.path(part.0).is_empty()).map(|part| system.parts[part.0].tree)
        };
        for contact in contacts {
            if let [Some(first), Some(second)] = [moves(&contact.parts[0]), moves(&contact.parts[1])]
                && first != second
            {
                self.islands.join(first, second);
            }
        }
        self.islands.finish();
        for first in self.group_islands.iter_mut().flatten() {
            *first = self.islands.of_tree[*first] as usize;
        }
        let nowhere = u32::MAX;
        self.contact_islands.clear();
        self.contact_islands.extend(contacts.iter().map(|contact| {
            let tree = moves(&contact.parts[0]).or(moves(&contact.parts[1]));
            tree.map_or(nowhere, |tree| self.islands.of_tree[tree])
        }));
        // Counting sort: stable, so that the order is the caller's.
        self.starts.clear();
        self.starts.resize(self.islands.len() + 1, 0);
        for &island in self.contact_islands.iter().filter(|&&island| island != nowhere) {
            self.starts[island as usize + 1] += 1;
        }
        for island in 0..self.islands.len() {
            self.starts[island + 1] += self.starts[island];
        }
        self.order.clear();
        self.order.resize(contacts.len(), 0);
        for (index, &island) in self.contact_islands.iter().enumerate().rev() {
            if island != nowhere {
                let end = &mut self.starts[island as usize + 1];
                *end -= 1;
                // Fewer than four thousand million contacts.
                #[allow(clippy::cast_possible_truncation)]
                {
                    self.order[*end as usize] = index as u32;
                }
            }
        }
        // The ends have become the beginnings.
        let all = self.contact_islands.iter().filter(|&&island| island != nowhere).count();
        self.starts.remove(0);
        #[allow(clippy::cast_possible_truncation)]
        self.starts.push(all as u32);
    }

    /// Marks the trees of two sides that are not one tree.
    fn mark_held(&mut self, system: &System, sides: &[Option<PartIndex>; 2]) {
        let trees = sides.map(|part| part.map(|part| system.parts[part.0].tree));
        if trees[0] != trees[1] {
            trees.iter().flatten().for_each(|&tree| self.is_held[tree] = true);
        }
    }

    /// Impulses of the step before, found by the numbers of contacts.
    fn warm_start(&mut self, state: &State, contacts: &[Contact]) {
        self.warm_starts.clear();
        self.impulses.clear();
        self.impulses.resize(contacts.len(), Vector3::zeros());
        // Contacts mostly stand in the order in which they stood before.
        let known = &state.warm.contacts;
        let mut next = 0;
        for contact in contacts {
            let found = known[next..]
                .iter()
                .position(|(id, _)| *id == contact.id)
                .map(|index| next + index)
                .or_else(|| known[..next].iter().position(|(id, _)| *id == contact.id));
            self.warm_starts.push(found.map_or_else(Vector3::zeros, |index| known[index].1));
            if let Some(index) = found {
                next = index + 1;
            }
        }
    }
}

/// From wrenches about the frames of a tree's parts to wrenches about its origin.
pub(super) fn shift_wrenches(
    system: &System,
    kinematics: &Kinematics,
    tree: usize,
    from: &[Wrench],
    to: &mut [Wrench],
) {
    let origin = kinematics.origins[tree];
    for index in system.trees[tree].parts.clone() {
        let Wrench { force, torque } = from[index];
        to[index] = Wrench { force, torque: torque + (kinematics.positions[index] - origin).cross(&force) };
    }
}
