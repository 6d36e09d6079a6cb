//! One step, from the middle of which the world is asked what touches.

use nalgebra::{Isometry3, Vector3};

use crate::dynamics::integration::{Momentum, drift};
use crate::math::spatial::velocity_at;
use crate::model::drive::Drive;
use crate::model::index::PartIndex;
use crate::model::parameters::{Outcome, Parameters, StepInput};
use crate::model::state::{State, WarmContact};
use crate::model::system::System;
use crate::step::divide::Divided;
use crate::step::lanes::{Lane, share_out};
use crate::step::readings::Readings;
use crate::step::rest::Resting;
use crate::step::setting::Setting;
use crate::step::worker::{Task, Worker};

/// Steps a [`System`]. It holds buffers and the data of [`Readings`](crate::Readings); the state that the next step depends on is in
/// [`State`].
#[derive(Clone, Debug, Default)]
pub struct Solver {
    pub(crate) setting: Setting,
    pub(crate) worker: Worker,
    resting: Resting,
    /// Beside the caller's.
    lanes: Vec<Lane>,
    /// Islands solved on the calling thread.
    islands: Vec<usize>,
    /// How often the step has been divided, and the solver of its parts.
    pub(crate) depth: usize,
    pub(crate) divided: Option<Box<Divided>>,
    /// By tree: whether the last step was divided; its readings are then these means.
    pub(crate) is_divided: Vec<bool>,
    pub(crate) means: Readings,
}

impl Solver {
    /// Begins a step: the first half of the drift. Contacts are then detected at the poses of [`Self::pose`].
    pub fn begin(&mut self, system: &System, state: &mut State, drives: &[Drive], parameters: &Parameters) {
        self.begin_setting(system, state, drives, parameters);
        for tree in 0..system.num_trees() {
            self.begin_tree(system, state, tree);
        }
    }

    /// The beginning of a step that is common to all trees.
    pub(crate) fn begin_setting(
        &mut self,
        system: &System,
        state: &mut State,
        drives: &[Drive],
        parameters: &Parameters,
    ) {
        let count = system.num_coordinates();
        state.fit(system);
        self.setting.drives.clear();
        self.setting.drives.extend((0..count).map(|index| drives.get(index).copied().unwrap_or_default()));
        let Self { setting, worker, .. } = self;
        let (structure, drives) = (&mut setting.structure, &setting.drives);
        structure.fit(system, |coordinate| drives[coordinate].given.is_some());
        setting.fit(system);
        worker.fit(system);
        setting.time_step = parameters.time_step;
        setting.gravity = parameters.gravity;
        setting.has_given = false;
        for (coordinate, drive) in setting.drives.iter().enumerate() {
            let now = state.velocities[coordinate];
            let velocity = drive.given.unwrap_or(now);
            setting.start[coordinate] = velocity;
            setting.rates[coordinate] = (velocity - now) / parameters.time_step;
            setting.has_given |= setting.rates[coordinate] != 0.0;
        }
        self.is_divided.clear();
        self.is_divided.resize(system.num_trees(), false);
        setting.saved.0.clone_from(&state.displacements);
        setting.saved.1.clone_from(&state.root_poses);
    }

    /// The first half of a tree's drift.
    pub(crate) fn begin_tree(&mut self, system: &System, state: &mut State, tree: usize) {
        let Self { setting, worker, .. } = self;
        setting.momenta[tree] = None;
        if system.trees[tree].is_free && state.is_floating[tree] {
            setting.kinematics.place(system, tree, &state.root_poses[tree], &state.displacements);
            setting.kinematics.direct(system, tree);
            worker.dynamics.weigh(system, &setting.kinematics, tree);
            setting.kinematics.twists(system, tree, &state.velocities, &mut setting.twists);
            setting.momenta[tree] =
                Some(Momentum::of(system, &setting.kinematics, &worker.dynamics, &setting.twists, tree));
        }
        drift(system, tree, &setting.start, 0.5 * setting.time_step, state);
        setting.kinematics.place(system, tree, &state.root_poses[tree], &state.displacements);
        setting.kinematics.direct(system, tree);
        setting.kinematics.twists(system, tree, &setting.start, &mut setting.twists);
    }

    /// Pose of a part's frame in the world: in the middle of the step after [`Self::begin`].
    #[inline]
    pub fn pose(&self, part: PartIndex) -> Isometry3<f64> {
        self.setting.kinematics.pose(part.0)
    }

    /// Upper bound of the distance that points of a part within `radius`, m, of the origin of its frame move in half of the step, m, at
    /// the velocities of its beginning. After [`Self::begin`].
    #[inline]
    pub fn way(&self, system: &System, part: PartIndex, radius: f64) -> f64 {
        let spin = self.setting.twists[part.0].angular.norm();
        0.5 * self.setting.time_step * (self.velocity(system, part).norm() + spin * radius)
    }

    /// Velocity of the origin of a part's frame at the beginning of the step, m/s, world axes. After [`Self::begin`].
    #[inline]
    pub fn velocity(&self, system: &System, PartIndex(part): PartIndex) -> Vector3<f64> {
        let offset = self.setting.kinematics.positions[part] - self.setting.kinematics.origins[system.parts[part].tree];
        velocity_at(&self.setting.twists[part], &offset)
    }

    /// Pose of a part's frame in the world after [`Self::finish`], or after [`Self::place`].
    #[inline]
    pub fn end_pose(&self, part: PartIndex) -> Isometry3<f64> {
        self.worker.end.pose(part.0)
    }

    /// Impulses of the contacts of the last step on their first parts, N·s, world axes.
    pub fn impulses(&self) -> &[Vector3<f64>] {
        &self.worker.impulses
    }

    /// Whether [`Self::end_pose`] is valid for all parts: none was added since the last step.
    pub fn has_stepped(&self, system: &System) -> bool {
        self.worker.end.rotations.len() == system.num_parts()
    }

    /// On how many threads the last step was solved.
    #[cfg(test)]
    pub(crate) fn num_lanes(&self) -> usize {
        self.lanes.len() + 1
    }

    /// Sets the poses of [`Self::end_pose`] from a state, without a step.
    pub fn place(&mut self, system: &System, state: &State) {
        self.worker.end.fit(system);
        for tree in 0..system.num_trees() {
            self.worker.end.place(system, tree, &state.root_poses[tree], &state.displacements);
        }
    }

    /// Ends a step that [`Self::begin`] has begun with the same system, state, drives and parameters.
    pub fn finish(
        &mut self,
        system: &System,
        state: &mut State,
        input: &StepInput<'_>,
        parameters: &Parameters,
    ) -> Outcome {
        self.setting.apply(system, input.wrenches);
        self.setting.find_islands(system, input.contacts);
        self.setting.warm_start(state, input.contacts);
        self.worker.divides = self.divides();
        let Self { setting, worker, resting, lanes, islands, .. } = self;
        worker.begin(input.contacts.len());
        resting.begin(system, parameters);
        share_out(system, setting, parameters, lanes, islands);
        let task = Task { system, setting, input, parameters };
        lanes.iter_mut().for_each(|lane| lane.take(task, state));
        let mut outcome = Outcome::default();
        let mut solve_own = || {
            for &island in &*islands {
                outcome.add(&resting.leave_or_solve(task, worker, state, island));
            }
        };
        if lanes.is_empty() {
            solve_own();
        } else {
            std::thread::scope(|scope| {
                for lane in &mut *lanes {
                    scope.spawn(|| lane.solve(task));
                }
                solve_own();
            });
        }
        lanes.iter_mut().for_each(|lane| lane.give(task, worker, state, &mut outcome));
        while let Some(island) = self.worker.too_long.pop() {
            outcome.add(&self.divide(system, state, input, parameters, island));
        }
        self.keep_contacts(state, input);
        outcome
    }

    /// Keeps the impulses of contacts for the next step.
    pub(crate) fn keep_contacts(&self, state: &mut State, input: &StepInput<'_>) {
        state.warm.contacts.clear();
        let Self { worker, setting, .. } = self;
        state.warm.contacts.extend(input.contacts.iter().enumerate().map(|(index, contact)| WarmContact {
            id: contact.id,
            impulse: worker.impulses[index],
            point: contact.point,
            velocity: setting.point_velocities[index],
            age: worker.contact_ages[index],
        }));
    }
}
