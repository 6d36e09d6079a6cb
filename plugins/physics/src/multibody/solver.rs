//! One step, from the middle of which the world is asked what touches.

use nalgebra::{Isometry3, Vector3};

use super::constraints::{Constraints, Contact, Scene, add_contact_wrench};
use super::drive::Drive;
use super::dynamics::Dynamics;
use super::equalities::{Equalities, LoopGroups};
use super::exact::ExactStep;
use super::factor::{Factor, Structure};
use super::index::PartIndex;
use super::integration::{Momentum, drift, set_momentum};
use super::islands::Islands;
use super::kinematics::Kinematics;
use super::spatial::{Twist, Wrench, velocity_at};
use super::state::{Regime, State};
use super::system::System;

/// How positions and velocities of trees go on that nothing touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Integrator {
    /// Like all others: half drift, kick, half drift.
    #[default]
    Leapfrog,
    /// Runge and Kutta's method of fourth order, for exact work; springs and servos are then explicit, and steps must be
    /// short against their periods.
    RungeKutta4,
}

/// How the world is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// s
    pub time_step: f64,
    /// Acceleration of free fall, m/s², world axes.
    pub gravity: Vector3<f64>,
    /// For trees without any constraint.
    pub integrator: Integrator,
    /// The most sweeps over the constraints of an island.
    pub max_sweeps: usize,
    /// Sweeps end when none of them changes any velocity by more, m/s or rad/s.
    pub tolerance: f64,
    /// Surfaces that move against each other no faster stick, m/s.
    pub sticking_speed: f64,
    /// Surfaces that meet no faster do not bounce, m/s.
    pub bounce_speed: f64,
    /// Depth that is left as it is, m.
    pub slop: f64,
    /// Share of the depth beyond that is taken out in a step.
    pub correction_share: f64,
    /// The fastest that depth is taken out, m/s or rad/s.
    pub correction_speed: f64,
    /// The fastest that loops close that are open, m/s or rad/s.
    pub closing_speed: f64,
    /// How far from the end of its range a resting joint gets a constraint, rad or m.
    pub range_margin: f64,
    /// The most times that an island is solved anew because motors have come to their limits or left them.
    pub max_rounds: usize,
}

impl Default for Parameters {
    /// Steps of 1 ms under standard gravity.
    fn default() -> Self {
        Self {
            time_step: 0.001,
            gravity: Vector3::new(0.0, 0.0, -9.80665),
            integrator: Integrator::Leapfrog,
            max_sweeps: 100,
            tolerance: 1e-6,
            sticking_speed: 1e-3,
            bounce_speed: 0.02,
            slop: 1e-4,
            correction_share: 0.2,
            correction_speed: 1.0,
            closing_speed: 10.0,
            range_margin: 0.01,
            max_rounds: 8,
        }
    }
}

/// What acts in a step.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// By coordinate, the same as at [`Solver::begin`]; missing ones are [`Drive::NONE`].
    pub drives: &'a [Drive],
    /// For the poses in the middle of the step.
    pub contacts: &'a [Contact],
    /// Forces from outside on parts, about the origins of their frames, world axes.
    pub wrenches: &'a [(PartIndex, Wrench)],
}

/// How well a step was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The most sweeps of any island.
    pub sweeps: usize,
    /// How much the last sweep still changed a velocity, in the worst island, m/s or rad/s.
    pub residual: f64,
    /// Islands that were not solved to the tolerance within the sweeps allowed.
    pub unconverged: usize,
    /// Islands in which motors at their limits were not settled within the rounds allowed.
    pub unsettled: usize,
}

/// An angle turned in a step, rad, beyond which a tree is fast: the bias is then taken in the very middle of the step instead of
/// being extrapolated, as extrapolation makes a wobbling top wobble more.
const FAST: f64 = 0.01;
/// The farthest that anything turns in a piece of an exact step, rad, and the most pieces of a step.
const EXACT_TURN: f64 = 0.02;
const MAX_PIECES: f64 = 100.0;
/// The most times that is done, and when it is enough, in parts of the velocity.
const MAX_MIDPOINTS: usize = 40;
const MIDPOINT_TOLERANCE: f64 = 1e-13;
/// A motor's effort is beyond its bound if it is by more than this share.
const BOUND_TOLERANCE: f64 = 1e-9;

/// Steps a [`System`]. What it keeps from one call to the next is memory and what [`Readings`](super::Readings) need; all that
/// counts for the next step is in the [`State`].
#[derive(Clone, Debug, Default)]
pub struct Solver {
    pub(super) structure: Structure,
    groups: LoopGroups,
    /// In the middle of the step.
    pub(super) kinematics: Kinematics,
    /// At its end; poses only.
    end: Kinematics,
    pub(super) dynamics: Dynamics,
    pub(super) factor: Factor,
    equalities: Vec<Equalities>,
    islands: Islands,
    constraints: Constraints,
    /// Twists of parts at the beginning, given velocities being those of the step.
    pub(super) twists: Vec<Twist>,
    /// Velocities at the beginning, given ones being those of the step.
    pub(super) start: Vec<f64>,
    /// Accelerations of given coordinates, 0 of others.
    pub(super) rates: Vec<f64>,
    has_given: bool,
    /// With which the bias is taken.
    middle: Vec<f64>,
    /// Change of velocities in the factor's coordinates.
    motion: Vec<f64>,
    free_motion: Vec<f64>,
    corrective: Vec<f64>,
    pub(super) velocities: Vec<f64>,
    is_fast: Vec<bool>,
    /// By tree: its momentum at the beginning of the step, if nothing held it in the step before.
    momenta: Vec<Option<Momentum>>,
    /// What motors, springs and damping do at the velocities of the beginning.
    efforts: Vec<f64>,
    /// And how much less for each acceleration, kg or kg·m².
    implicit: Vec<f64>,
    /// By part, about its frame's origin.
    applied: Vec<Wrench>,
    /// By part, about its tree's origin.
    pub(super) external: Vec<Wrench>,
    /// By contact, of this step, N·s.
    pub(super) impulses: Vec<Vector3<f64>>,
    guesses: Vec<Vector3<f64>>,
    contact_islands: Vec<u32>,
    /// By tree: whether anything outside it touches or holds it.
    is_held: Vec<bool>,
    /// By group of loops: its island.
    group_islands: Vec<Option<usize>>,
    /// Of the island that is being solved.
    closures: Vec<usize>,
    /// Contacts sorted by island.
    order: Vec<u32>,
    starts: Vec<u32>,
    pub(super) scratch: Vec<Twist>,
    pub(super) was_exact: Vec<bool>,
    exact: ExactStep,
    saved: (Vec<f64>, Vec<Isometry3<f64>>),
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
        }
    }

    /// Pose of a part's frame in the world: in the middle of the step after [`Self::begin`].
    pub fn pose(&self, part: PartIndex) -> Isometry3<f64> {
        self.kinematics.pose(part.0)
    }

    /// Pose of a part's frame in the world after [`Self::finish`], or after [`Self::place`].
    pub fn end_pose(&self, part: PartIndex) -> Isometry3<f64> {
        self.end.pose(part.0)
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
        self.guess(state, input.contacts);
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
    fn guess(&mut self, state: &State, contacts: &[Contact]) {
        self.guesses.clear();
        self.impulses.clear();
        self.impulses.resize(contacts.len(), Vector3::zeros());
        // Contacts mostly stand in the order in which they stood before.
        let known = &state.warm.contacts;
        let mut next = 0;
        for contact in contacts {
            let found = known[next..]
                .iter()
                .position(|(id, _)| *id == contact.id)
                .map(|place| next + place)
                .or_else(|| known[..next].iter().position(|(id, _)| *id == contact.id));
            self.guesses.push(found.map_or_else(Vector3::zeros, |place| known[place].1));
            if let Some(place) = found {
                next = place + 1;
            }
        }
    }

    fn solve_island(
        &mut self,
        system: &System,
        state: &mut State,
        input: &StepInput<'_>,
        parameters: &Parameters,
        island: usize,
        outcome: &mut Outcome,
    ) {
        let num_trees = self.islands.trees(island).len();
        for place in 0..num_trees {
            let tree = self.islands.trees(island)[place] as usize;
            self.dynamics.weigh(system, &self.kinematics, tree);
            self.dynamics.mass_matrix(system, &self.structure, &self.kinematics, tree);
            self.set_middle(system, state, tree);
            self.kinematics.twists(system, tree, &self.start, &mut self.twists);
        }
        let group = self.loops_of(island);
        let mut rounds = 0;
        let (sweeps, residual) = loop {
            for place in 0..num_trees {
                let tree = self.islands.trees(island)[place] as usize;
                self.set_efforts(system, state, tree);
                self.factor_and_bias(system, state, tree);
            }
            let found = self.solve_constraints(system, state, input, parameters, island, group);
            for place in 0..num_trees {
                let tree = self.islands.trees(island)[place] as usize;
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
            // What has been found is a better guess than the step before.
            for place in self.starts[island] as usize..self.starts[island + 1] as usize {
                let contact = self.order[place] as usize;
                self.guesses[contact] = self.impulses[contact];
            }
        };
        outcome.sweeps = outcome.sweeps.max(sweeps);
        outcome.residual = outcome.residual.max(residual);
        outcome.unconverged += usize::from(residual > parameters.tolerance);

        let is_free = self.constraints.is_empty() && group.is_none();
        let corrects = !is_free && self.correct(system, island, group, parameters);
        for place in 0..num_trees {
            let tree = self.islands.trees(island)[place] as usize;
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
        self.is_fast[tree] = fastest * self.time_step * self.time_step > FAST * FAST;
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

    /// Loops, contacts and the rest of an island. Gives the number of sweeps and the residual.
    fn solve_constraints(
        &mut self,
        system: &System,
        state: &mut State,
        input: &StepInput<'_>,
        parameters: &Parameters,
        island: usize,
        group: Option<usize>,
    ) -> (usize, f64) {
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
                let at = (state.displacements[coordinate], self.start[coordinate]);
                let loops = loops.as_mut().map(|(_, loops)| loops);
                self.constraints.add_coordinate(&scene, loops, &self.motion, coordinate, at, &state.warm);
                state.warm.coordinates[coordinate] = [0.0; 3];
            }
        }
        for &index in &self.order[self.starts[island] as usize..self.starts[island + 1] as usize] {
            let index = index as usize;
            let loops = loops.as_mut().map(|(_, loops)| loops);
            let contact = (index, &input.contacts[index]);
            self.constraints.add_contact(&scene, loops, &self.motion, contact, &self.guesses[index]);
            self.impulses[index] = Vector3::zeros();
        }
        let mut found = (0, 0.0);
        if !self.constraints.is_empty() {
            self.constraints.bounce(&mut self.motion, parameters);
            self.constraints.push_guesses(&mut self.motion);
            for sweep in 1..=parameters.max_sweeps.max(1) {
                found = (sweep, self.constraints.sweep(&mut self.motion, sweep % 2 == 0));
                if found.1 <= parameters.tolerance {
                    break;
                }
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

    /// Velocities that take out depth and gaps. Gives whether there are any.
    fn correct(&mut self, system: &System, island: usize, group: Option<usize>, parameters: &Parameters) -> bool {
        let has_corrections = self.constraints.has_corrections();
        if !has_corrections && group.is_none() {
            return false;
        }
        let num_trees = self.islands.trees(island).len();
        for place in 0..num_trees {
            let tree = self.islands.trees(island)[place] as usize;
            self.corrective[system.trees[tree].coordinates.clone()].fill(0.0);
        }
        let mut corrects = has_corrections;
        if let Some(group) = group {
            let speed = parameters.closing_speed;
            corrects |= self.equalities[group].correct(&mut self.corrective, self.time_step, speed);
        }
        if has_corrections {
            for _ in 0..parameters.max_sweeps {
                // Depth need not be taken out any better than it is measured.
                if self.constraints.sweep_corrections(&mut self.corrective) <= 1e-3 * parameters.correction_speed {
                    break;
                }
            }
        }
        for place in 0..num_trees {
            let tree = self.islands.trees(island)[place] as usize;
            self.factor.back_solve(&self.structure, system, tree, &mut self.corrective);
        }
        corrects
    }

    /// The second half of the drift.
    fn advance(
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
        let pieces = (turned / EXACT_TURN).ceil().clamp(1.0, MAX_PIECES);
        let mut exact = std::mem::take(&mut self.exact);
        // A small whole number.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        for _ in 0..pieces as usize {
            exact.step(self, system, state, tree, self.time_step / pieces);
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

    /// Twists of all parts at the end of the step, each at the origin of its frame.
    pub(super) fn end_twists(&mut self, system: &System, state: &State, twists: &mut Vec<Twist>) {
        twists.clear();
        twists.resize(system.num_parts(), Twist::ZERO);
        for tree in 0..system.num_trees() {
            self.end.direct(system, tree);
            self.end.twists(system, tree, &state.velocities, twists);
            for part in system.trees[tree].parts.clone() {
                let offset = self.end.positions[part] - self.end.origins[tree];
                twists[part].linear = velocity_at(&twists[part], &offset);
            }
        }
    }

    /// The effort of a coordinate's motor in the step, N·m or N, within its bounds.
    pub(super) fn motor_effort(&self, state: &State, coordinate: usize) -> f64 {
        let drive = &self.drives[coordinate];
        match state.warm.regimes[coordinate] {
            Regime::Lower => drive.bounds.lower,
            Regime::Upper => drive.bounds.upper,
            Regime::Free => {
                // As the step has seen it: half a step beyond the end.
                let velocity = self.velocities[coordinate];
                let displacement = state.displacements[coordinate] + 0.5 * self.time_step * velocity;
                drive.bounds.clamp(drive.effort_at(displacement, velocity))
            }
        }
    }

    /// Adds what contacts and loops do to the parts, about the origins of their trees.
    pub(super) fn add_constraint_wrenches(
        &self,
        system: &System,
        contacts: &[Contact],
        wrenches: &mut [Wrench],
        of_closures: &mut [Wrench],
    ) {
        for (contact, impulse) in contacts.iter().zip(&self.impulses) {
            let force = impulse / self.time_step;
            add_contact_wrench(system, &self.kinematics, contact, &force, wrenches);
        }
        for loops in &self.equalities {
            loops.wrenches(system, &self.kinematics, self.time_step, wrenches, of_closures);
        }
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

/// From wrenches about the frames of a tree's parts to wrenches about its origin.
fn shift_wrenches(system: &System, kinematics: &Kinematics, tree: usize, from: &[Wrench], to: &mut [Wrench]) {
    let origin = kinematics.origins[tree];
    for index in system.trees[tree].parts.clone() {
        let Wrench { force, torque } = from[index];
        to[index] = Wrench { force, torque: torque + (kinematics.positions[index] - origin).cross(&force) };
    }
}
