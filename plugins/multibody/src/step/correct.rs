//! The motion that takes out depth and gaps.

use nalgebra::Vector3;

use crate::constraints::Correction;
use crate::step::worker::{Task, Worker};

/// Maximum speed at which depth is removed, as a multiple of the correction speed. Without it, bodies that are jammed or wedged in
/// would move without bound.
const MOST_PUSHED: f64 = 2.0;
/// The same for rotations, in 1/m.
const MOST_TURNED: f64 = 10.0;

impl Worker {
    /// Finds velocities that take out depth and gaps. Returns whether there are any.
    pub(crate) fn correct(&mut self, task: Task<'_>, island: usize) -> bool {
        let Task { setting, system, parameters, .. } = task;
        let corrections = self.problem.prepare_corrections();
        if corrections == [None; 2] {
            return false;
        }
        let trees = || setting.islands.trees(island).iter().map(|&tree| tree as usize);
        for tree in trees() {
            self.corrective[system.trees[tree].coordinates.clone()].fill(0.0);
        }
        for correction in corrections.into_iter().flatten() {
            self.problem.correct(correction, parameters);
            for tree in trees() {
                self.motion[system.trees[tree].coordinates.clone()].fill(0.0);
            }
            let context = task.context(&self.factor);
            self.problem.push_motion(&context, &mut self.motion);
            let mut share = 1.0_f64;
            for tree in trees() {
                self.factor.back_solve(system, tree, &mut self.motion);
                for coordinate in system.trees[tree].coordinates.clone() {
                    let is_linear = setting.kinematics.directions[coordinate].angular == Vector3::zeros();
                    let most = if is_linear { MOST_PUSHED } else { MOST_TURNED } * parameters.correction_speed;
                    share = share.min(most / self.motion[coordinate].abs().max(most));
                }
            }
            if correction == Correction::Close {
                share = 1.0;
            }
            for coordinate in trees().flat_map(|tree| system.trees[tree].coordinates.clone()) {
                self.corrective[coordinate] += share * self.motion[coordinate];
            }
        }
        true
    }
}
