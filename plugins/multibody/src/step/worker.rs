//! The solver of islands, with its buffers.

use nalgebra::Vector3;

use crate::constraints::{Problem, StepContext};
use crate::dynamics::exact::ExactStep;
use crate::dynamics::factor::Factor;
use crate::dynamics::inverse_dynamics::Dynamics;
use crate::dynamics::kinematics::Kinematics;
use crate::math::spatial::{Twist, Wrench};
use crate::model::parameters::{Parameters, StepInput};
use crate::model::system::System;
use crate::step::setting::Setting;

/// Inputs of a worker in a step.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub system: &'a System,
    pub setting: &'a Setting,
    pub input: &'a StepInput<'a>,
    pub parameters: &'a Parameters,
}

impl<'a> Task<'a> {
    /// Data that terms are built from, with the factor of the trees' mass matrices.
    pub fn context(&self, factor: &'a Factor) -> StepContext<'a> {
        let Self { system, setting, parameters, .. } = *self;
        StepContext {
            system,
            structure: &setting.structure,
            kinematics: &setting.kinematics,
            factor,
            twists: &setting.twists,
            parameters,
            time_step: setting.time_step,
        }
    }
}

/// Buffers for the solve of islands, and its results.
#[derive(Clone, Debug, Default)]
pub struct Worker {
    /// At the end of the step; poses only.
    pub end: Kinematics,
    pub dynamics: Dynamics,
    pub factor: Factor,
    pub problem: Problem,
    /// With which the bias is taken.
    pub middle: Vec<f64>,
    /// Change of velocities in the factor's coordinates.
    pub motion: Vec<f64>,
    pub free_motion: Vec<f64>,
    pub corrective: Vec<f64>,
    pub velocities: Vec<f64>,
    pub is_fast: Vec<bool>,
    /// By tree: how far the velocities in the middle of the step were last from those with which the bias was taken, rad/s.
    pub middle_errors: Vec<f64>,
    /// Efforts of motors, springs and damping at the initial velocities.
    pub efforts: Vec<f64>,
    /// Implicit decrease of these efforts for each acceleration, kg or kg·m².
    pub implicit: Vec<f64>,
    /// By contact, of this step, N·s.
    pub impulses: Vec<Vector3<f64>>,
    /// By tree of the island, if nothing outside touches it: N·s and N·m·s about the tree's origin.
    pub impulses_of_others: Vec<Wrench>,
    /// By contact: steps since its island has changed.
    pub contact_ages: Vec<u32>,
    /// Servos of the island that reach their limits, and the limit's effort, N·m or N, if it acts as a force instead of a part of the mass matrix.
    pub servos: Vec<(usize, Option<f64>)>,
    /// Coordinates of the island that may reach their velocity limits.
    pub speeding: Vec<usize>,
    pub scratch: Vec<Twist>,
    pub exact: ExactStep,
    /// Whether the step may be divided, and the islands for which it is too long.
    pub divides: bool,
    pub too_long: Vec<usize>,
    /// Trees of the island whose velocities are not as expected.
    pub suspects: Vec<usize>,
    /// Poses that an exact step passes through, and what acts there from outside.
    pub passing: Kinematics,
    pub passing_wrenches: Vec<Wrench>,
}

impl Worker {
    /// Room for a system.
    pub fn fit(&mut self, system: &System) {
        let (count, parts) = (system.num_coordinates(), system.num_parts());
        self.end.fit(system);
        self.passing.fit(system);
        self.dynamics.fit(system);
        self.factor.fit(system);
        for values in [
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
        self.scratch.resize(parts, Twist::ZERO);
        self.passing_wrenches.resize(parts, Wrench::ZERO);
        self.impulses_of_others.resize(system.num_trees(), Wrench::ZERO);
        self.is_fast.resize(system.num_trees(), false);
        self.middle_errors.resize(system.num_trees(), f64::INFINITY);
    }

    /// Before the islands of a step.
    pub fn begin(&mut self, num_contacts: usize) {
        self.impulses.clear();
        self.impulses.resize(num_contacts, Vector3::zeros());
        self.contact_ages.clear();
        self.contact_ages.resize(num_contacts, 0);
    }
}
