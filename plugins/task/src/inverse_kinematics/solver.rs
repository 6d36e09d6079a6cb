use nalgebra::{Isometry3, Vector6};

use super::chain::JointFrame;
use super::restart::Starts;
use super::step::{damped, error, jacobian};
use super::{Chain, Options};

/// Maximum step of a joint, rad or m: beyond it the linearization by the Jacobian is invalid.
const LONGEST_STEP: f64 = 0.7;

/// Minimum damping; keeps the matrix regular at a singular configuration.
const LEAST_DAMPING: f64 = 1e-12;

/// Number of iterations in which the error must halve, or the start is abandoned.
const PATIENCE: usize = 10;

/// Number of starting points that are compared before one is chosen: evaluating a pose costs a small part of an
/// iteration.
const CANDIDATES: usize = 12;

/// Remaining error of a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// Distance, m.
    pub position: f64,
    /// Angle, rad.
    pub rotation: f64,
}

/// Data of a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// Remaining error, within the tolerances.
    pub residual: Residual,
    /// Number of iterations over all starts.
    pub iterations: usize,
    /// Number of starts after the first.
    pub restarts: usize,
}

/// The pose was not reached.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the pose is not reached: {:.1} mm and {:.2}° are left", residual.position * 1e3, residual.rotation.to_degrees())]
pub struct Unreached {
    /// Target pose in the base frame.
    pub target: Isometry3<f64>,
    /// Remaining error of the best attempt.
    pub residual: Residual,
    /// Number of iterations over all starts.
    pub iterations: usize,
}

/// Finds displacements of a chain for poses of its tool.
///
/// Damped least squares by the Levenberg–Marquardt method, with damping proportional to the squared error (Sugihara,
/// "Solvability-Unconcerned Inverse Kinematics by the Levenberg–Marquardt Method", 2011): fast near the goal, robust
/// far from it. Joints that would leave their range are fixed at its end, and the others compensate.
#[derive(Clone, Debug)]
pub struct Solver {
    chain: Chain,
    options: Options,
    starts: Starts,
    frames: Vec<JointFrame>,
    columns: Vec<Vector6<f64>>,
    held: Vec<bool>,
    step: Vec<f64>,
    current: Vec<f64>,
    trial: Vec<f64>,
    best: Vec<f64>,
}

/// Result of one start.
enum Ended {
    Reached,
    /// No convergence, with the least squared error found.
    Stuck(f64),
}

impl Solver {
    /// A solver for a chain.
    pub fn new(chain: Chain, options: Options) -> Self {
        let count = chain.joints().len();
        Self {
            starts: Starts::new(&chain),
            chain,
            options,
            frames: vec![JointFrame::default(); count],
            columns: vec![Vector6::zeros(); count],
            held: vec![false; count],
            step: vec![0.0; count],
            current: vec![0.0; count],
            trial: vec![0.0; count],
            best: vec![0.0; count],
        }
    }

    /// The chain.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Sets tolerances and iteration limits.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// Moves the tool to `target` (in the base frame). `displacements`, one for each joint of the chain, is the seed
    /// and receives the result: the solution, or the best attempt.
    ///
    /// # Errors
    /// If the pose is not reached; with the pose and the remaining error.
    pub fn solve(&mut self, target: &Isometry3<f64>, displacements: &mut [f64]) -> Result<Solution, Unreached> {
        self.current.iter_mut().zip(&*displacements).for_each(|(slot, value)| *slot = *value);
        self.clamp_current();
        self.starts.rewind();
        let mut iterations = 0;
        let mut least = f64::INFINITY;
        for restarts in 0..=self.options.restarts {
            if restarts > 0 {
                self.begin_anew(target);
            }
            let ended = self.descend(target, &mut iterations);
            if let Ended::Reached = ended {
                displacements.iter_mut().zip(&self.current).for_each(|(slot, value)| *slot = *value);
                let residual = residual(&error(&self.chain.tool_pose(&self.current), target));
                return Ok(Solution { residual, iterations, restarts });
            }
            if let Ended::Stuck(square) = ended
                && square < least
            {
                least = square;
                self.best.copy_from_slice(&self.current);
            }
        }
        displacements.iter_mut().zip(&self.best).for_each(|(slot, value)| *slot = *value);
        let residual = residual(&error(&self.chain.tool_pose(&self.best), target));
        Err(Unreached { target: *target, residual, iterations })
    }

    fn clamp_current(&mut self) {
        for (slot, joint) in self.current.iter_mut().zip(self.chain.joints()) {
            *slot = joint.range.clamp(if slot.is_finite() { *slot } else { 0.0 });
        }
    }

    /// Chooses the starting point that is nearest to the target among several.
    fn begin_anew(&mut self, target: &Isometry3<f64>) {
        let mut least = f64::INFINITY;
        for _ in 0..CANDIDATES {
            self.starts.next(&mut self.trial);
            let square = self.left(&self.chain.tool_pose(&self.trial), target).norm_squared();
            if square < least {
                least = square;
                self.current.copy_from_slice(&self.trial);
            }
        }
        self.clamp_current();
    }

    fn descend(&mut self, target: &Isometry3<f64>, iterations: &mut usize) -> Ended {
        let mut pose = self.chain.frames(&self.current, &mut self.frames);
        let mut left = self.left(&pose, target);
        let mut square = left.norm_squared();
        let mut factor = 0.05;
        let (mut milestone, mut since) = (square, 0);
        for _ in 0..self.options.iterations {
            if self.is_reached(&left) {
                return Ended::Reached;
            }
            *iterations += 1;
            jacobian(&self.frames, &pose, &mut self.columns);
            if self.options.rotation.is_infinite() {
                self.columns.iter_mut().for_each(without_rotation);
            }
            if !self.find_step(&left, factor * square + LEAST_DAMPING) {
                break;
            }
            let next_pose = self.chain.frames(&self.trial, &mut self.frames);
            let next_left = self.left(&next_pose, target);
            let next_square = next_left.norm_squared();
            if next_square < square {
                (pose, left, square) = (next_pose, next_left, next_square);
                std::mem::swap(&mut self.current, &mut self.trial);
                factor = (factor * 0.3).max(1e-3);
            } else {
                factor = (factor * 8.0).min(1e6);
                pose = self.chain.frames(&self.current, &mut self.frames);
            }
            since += 1;
            if square < milestone * 0.25 {
                (milestone, since) = (square, 0);
            } else if since >= PATIENCE {
                break;
            }
        }
        if self.is_reached(&left) { Ended::Reached } else { Ended::Stuck(square) }
    }

    /// Writes the result of a step that keeps every joint in its range to `trial`; false if no such step exists.
    fn find_step(&mut self, left: &Vector6<f64>, damping: f64) -> bool {
        self.held.fill(false);
        // Each round fixes at least one more joint.
        for _ in 0..=self.held.len() {
            if !damped(&self.columns, &self.held, left, damping, &mut self.step) {
                return false;
            }
            let mut any = false;
            let joints = self.chain.joints().iter().zip(&mut self.held);
            for ((joint, held), (&value, &step)) in joints.zip(self.current.iter().zip(&self.step)) {
                let leaves = (value >= joint.range.upper && step > 0.0) || (value <= joint.range.lower && step < 0.0);
                if leaves && !*held {
                    *held = true;
                    any = true;
                }
            }
            if !any {
                break;
            }
        }
        let longest = self.step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let scale = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
        let joints = self.chain.joints().iter().zip(&mut self.trial);
        for ((joint, trial), (current, step)) in joints.zip(self.current.iter().zip(&self.step)) {
            *trial = joint.range.clamp(current + scale * step);
        }
        true
    }

    /// The error that is to be removed.
    fn left(&self, pose: &Isometry3<f64>, target: &Isometry3<f64>) -> Vector6<f64> {
        let mut left = error(pose, target);
        if self.options.rotation.is_infinite() {
            without_rotation(&mut left);
        }
        left
    }

    fn is_reached(&self, left: &Vector6<f64>) -> bool {
        let Residual { position, rotation } = residual(left);
        position <= self.options.position && rotation <= self.options.rotation
    }
}

fn without_rotation(vector: &mut Vector6<f64>) {
    vector.fixed_rows_mut::<3>(3).fill(0.0);
}

fn residual(left: &Vector6<f64>) -> Residual {
    Residual { position: left.fixed_rows::<3>(0).norm(), rotation: left.fixed_rows::<3>(3).norm() }
}
