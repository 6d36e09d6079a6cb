use nalgebra::Vector3;

use crate::math::spatial::Wrench;
use crate::model::contact::Contact;
use crate::model::drive::Drive;
use crate::model::index::PartIndex;
use crate::model::law_errors::LawErrors;

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

/// Parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// s
    pub time_step: f64,
    /// Acceleration of free fall, m/s², world axes.
    pub gravity: Vector3<f64>,
    /// For trees without any constraint.
    pub integrator: Integrator,
    /// The most Newton iterations in the solve of an island.
    pub max_iterations: usize,
    /// The most repeats of the proximal iteration in the solve of an island.
    pub max_repeats: usize,
    /// The solve of an island ends when no law of a contact, limit or closure is missed by more, m/s or rad/s.
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
    /// Surfaces that sink into each other instead of being rigid; `slop` and `correction_share` are then those of joint ranges alone.
    pub sinking: Option<Sinking>,
    /// The fastest that loops close that are open, m/s or rad/s.
    pub closing_speed: f64,
    /// Distance from the end of its range at which a resting joint gets a constraint, rad or m.
    pub range_margin: f64,
    /// The most threads on which islands are solved that do not touch, where that pays; the bits are the same on any number.
    pub threads: usize,
    /// Work that pays for a thread: coordinates of bodies with joints, and six for each of their contacts. To start a thread and to move its
    /// data costs as much as some ten robots.
    pub work_per_thread: usize,
}

impl Default for Parameters {
    /// Steps of 1 ms under standard gravity.
    fn default() -> Self {
        Self {
            time_step: 0.001,
            gravity: Vector3::new(0.0, 0.0, -9.80665),
            integrator: Integrator::Leapfrog,
            max_iterations: 400,
            max_repeats: 60,
            tolerance: 1e-6,
            sticking_speed: 1e-3,
            bounce_speed: 0.02,
            slop: 1e-4,
            correction_share: 0.2,
            correction_speed: 1.0,
            sinking: None,
            closing_speed: 10.0,
            range_margin: 0.01,
            threads: 1,
            work_per_thread: 2000,
        }
    }
}

/// Target penetration depth and the rate at which contacts approach it, independent of load, as in Choreonoid's simulator. Contact points
/// are then where surfaces intersect: see [`cut_points`](crate::cut_points).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sinking {
    /// The depth, m.
    pub depth: f64,
    /// Rate of the approach, 1/s.
    pub rate: f64,
}

impl Sinking {
    /// Velocity with which surfaces part at a depth, m/s; negative: they sink. It is limited to that of four times the
    /// target depth.
    pub(crate) fn speed(&self, depth: f64) -> f64 {
        let excess = depth - self.depth;
        let saturation = if excess > 0.0 { 1.0 + excess / (4.0 * self.depth) } else { 1.0 };
        self.rate * excess / saturation
    }
}

/// Inputs of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// By coordinate, the same as at [`Solver::begin`](crate::Solver::begin); missing ones are [`Drive::NONE`].
    pub drives: &'a [Drive],
    /// For the poses in the middle of the step.
    pub contacts: &'a [Contact],
    /// External wrenches on parts, about the origins of their frames, world axes.
    pub wrenches: &'a [(PartIndex, Wrench)],
}

/// Quality of the solution of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The most Newton iterations of any island.
    pub iterations: usize,
    /// The most proximal repeats of any island.
    pub repeats: usize,
    /// Convex residual of the worst island, m/s or rad/s: by so much the velocities that the impulses make differ from those for
    /// which the terms of the objective give these impulses.
    pub residual: f64,
    /// By how much the laws of contacts, limits and closures are missed at most, m/s or rad/s.
    pub violation: f64,
    /// The same by law, with the constraints.
    pub errors: LawErrors,
    /// Islands in which a law is missed by more than the tolerance.
    pub unconverged: usize,
    /// Islands that sleep.
    pub resting: usize,
}

impl Outcome {
    /// Adds the outcome of other islands.
    pub(crate) fn add(&mut self, other: &Self) {
        self.iterations = self.iterations.max(other.iterations);
        self.repeats = self.repeats.max(other.repeats);
        self.residual = self.residual.max(other.residual);
        self.violation = self.violation.max(other.violation);
        self.errors.add(&other.errors);
        self.unconverged += other.unconverged;
        self.resting += other.resting;
    }
}
