//! Velocities of their own that take out depth and close gaps; they end with the step.

use nalgebra::Vector3;

use super::descent::Progress;
use super::worker::{Task, Worker};

/// How fast anything moves at most to take out depth, in parts of the speed with which that is done: where bodies are jammed or wedged
/// in, nothing takes it out, and what would is without bound.
const MOST_PUSHED: f64 = 2.0;
/// The same of what turns, in 1/m.
const MOST_TURNED: f64 = 10.0;
/// Depth need not be taken out any better than it is measured: what is left of the speed with which that is done.
const TOLERANCE: f64 = 1e-3;

impl Worker {
    /// Velocities that take out depth and gaps. Gives whether there are any.
    pub(super) fn correct(&mut self, task: Task<'_>, island: usize, group: Option<usize>) -> bool {
        let Task { setting, system, parameters, .. } = task;
        let has_corrections = self.constraints.has_corrections();
        if !has_corrections && group.is_none() {
            return false;
        }
        let num_trees = setting.islands.trees(island).len();
        for index in 0..num_trees {
            let tree = setting.islands.trees(island)[index] as usize;
            self.corrective[system.trees[tree].coordinates.clone()].fill(0.0);
        }
        let mut corrects = has_corrections;
        if let Some(group) = group {
            let speed = parameters.closing_speed;
            corrects |= self.equalities[group].correct(&mut self.corrective, setting.time_step, speed);
        }
        // What closes loops, before anything is pushed out of anything.
        for index in 0..num_trees {
            let tree = setting.islands.trees(island)[index] as usize;
            let span = system.trees[tree].coordinates.clone();
            self.closing[span.clone()].copy_from_slice(&self.corrective[span]);
            self.factor.back_solve(system, tree, &mut self.closing);
        }
        if has_corrections {
            let tolerance = TOLERANCE * parameters.correction_speed;
            let mut progress = Progress::default();
            for _ in 0..parameters.max_sweeps {
                let worst = self.constraints.sweep_corrections(&mut self.corrective);
                if worst <= tolerance || !progress.leads_on(worst) {
                    break;
                }
            }
        }
        let mut share = 1.0_f64;
        for index in 0..num_trees {
            let tree = setting.islands.trees(island)[index] as usize;
            self.factor.back_solve(system, tree, &mut self.corrective);
            for coordinate in system.trees[tree].coordinates.clone() {
                let pushed = (self.corrective[coordinate] - self.closing[coordinate]).abs();
                let is_linear = setting.kinematics.directions[coordinate].angular == Vector3::zeros();
                let most = if is_linear { MOST_PUSHED } else { MOST_TURNED } * parameters.correction_speed;
                share = share.min(most / pushed.max(most));
            }
        }
        if share < 1.0 {
            for &tree in setting.islands.trees(island) {
                for coordinate in system.trees[tree as usize].coordinates.clone() {
                    let closing = self.closing[coordinate];
                    self.corrective[coordinate] = closing + share * (self.corrective[coordinate] - closing);
                }
            }
        }
        corrects
    }
}
