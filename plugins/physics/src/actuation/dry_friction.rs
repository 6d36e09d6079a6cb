//! Dry friction of joints, computed implicitly.
//!
//! In each step the friction τ of a joint is what brings it to rest, and no more than its limit F: either the joint rests at the end of
//! the step, or τ = ∓F against its motion. The joints of a body are coupled by how a unit effort at one accelerates the other, so that
//! this is a linear complementarity problem with bounds, symmetric and positive definite. Projected Gauss-Seidel solves it
//! (R. Cottle, J.-S. Pang and R. Stone, The Linear Complementarity Problem, 1992, section 5.2).

use nalgebra::{Cholesky, DVector, Dyn};
use typed_index_collections::TiSlice;

use crate::model::index::SimulatedJointIndex;

/// A joint with dry friction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rubbing {
    pub joint: SimulatedJointIndex,
    /// Its row of the equations of motion.
    pub row: usize,
    /// At the beginning of the step, rad/s or m/s.
    pub velocity: f64,
    /// The largest effort of friction, N·m or N.
    pub limit: f64,
}

/// The most sweeps: joints of a robot are coupled so weakly that some ten do.
const SWEEPS: usize = 100;
/// What friction changes by less than this share of its limit is settled.
const SETTLED: f64 = 1e-12;

/// Adds the friction of joints to accelerations that the equations of motion have without it, and writes the efforts to the entries
/// of their joints in `losses`.
pub(super) fn add(
    rubbing: &[Rubbing],
    cholesky: &Cholesky<f64, Dyn>,
    time_step: f64,
    accelerations: &mut DVector<f64>,
    losses: &mut TiSlice<SimulatedJointIndex, f64>,
) {
    let responses: Vec<DVector<f64>> = rubbing
        .iter()
        .map(|joint| {
            let mut response = DVector::zeros(accelerations.len());
            response[joint.row] = 1.0;
            cholesky.solve_mut(&mut response);
            response
        })
        .collect();
    let mut efforts = vec![0.0; rubbing.len()];
    for _ in 0..SWEEPS {
        let mut is_settled = true;
        for ((joint, response), effort) in rubbing.iter().zip(&responses).zip(&mut efforts) {
            let own = response[joint.row];
            if own <= 0.0 {
                continue;
            }
            let velocity = joint.velocity + time_step * accelerations[joint.row];
            let wanted: f64 = (*effort - velocity / (time_step * own)).clamp(-joint.limit, joint.limit);
            let change = wanted - *effort;
            if change != 0.0 {
                accelerations.axpy(change, response, 1.0);
                *effort = wanted;
                is_settled &= change.abs() <= SETTLED * joint.limit;
            }
        }
        if is_settled {
            break;
        }
    }
    for (joint, effort) in rubbing.iter().zip(efforts) {
        losses[joint.joint] += effort;
    }
}
