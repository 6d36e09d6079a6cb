//! Gains that no time step can take, told after a simulation has diverged.

use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, BodyState, JointIndex, JointKind};
use nalgebra::{DMatrix, Matrix3};

use crate::{Gains, PdController};

/// An error that grows by less than this in a step is not what tears a robot apart.
const GROWTH: f64 = 1.001;

/// By how much the error of one joint grows from step to step, at most, under the law of [`PdController`]; below 1 it dies
/// away.
///
/// With effective inertia I, a = Kp·dt²/I and b = Kd·dt/I, and a step cut into n pieces, during which the effort stays as it
/// is, e₊₁ − 2·e + e₋₁ = −c·t − (1 − c)·t₋₁ with t = a·e + b·(e − e₋₁) and c = (n + 1)/(2·n): the largest root of a cubic.
/// For n = 1 errors die away while a + 2·b < 4 and b < 2.
fn growth(gains: Gains, inertia: f64, time_step: f64, iterations: usize) -> f64 {
    let (a, b) = (gains.proportional * time_step * time_step / inertia, gains.derivative * time_step / inertia);
    #[allow(clippy::cast_precision_loss)]
    let pieces = iterations.max(1) as f64;
    let c = (pieces + 1.0) / (2.0 * pieces);
    let coefficients = [(1.0 - c) * b, c * b - (1.0 - c) * (a + b) - 1.0, 2.0 - c * (a + b)];
    let [last, middle, first] = coefficients;
    let companion = Matrix3::new(0.0, 0.0, last, 1.0, 0.0, middle, 0.0, 1.0, first);
    companion.complex_eigenvalues().iter().map(|root| root.norm()).fold(0.0, f64::max)
}

/// The joint whose gains are farthest beyond what a step of `time_step` seconds, cut into so many pieces, can take, in
/// words; `None` if each alone is fine.
pub(crate) fn likely_cause(
    body: &Body,
    state: &BodyState,
    controller: &PdController,
    time_step: f64,
    iterations: usize,
) -> Option<String> {
    let root = state.link_poses.first()?;
    let configuration = Configuration::new(body, root, &state.displacements);
    let columns = configuration.num_coordinates() - body.num_joints();
    let inverse = invert(configuration.mass_matrix());
    let joints = controller.gains().iter().enumerate().filter_map(|(joint, &gains)| {
        let inertia = inverse.get((columns + joint, columns + joint))?.recip();
        let growth = growth(gains, inertia, time_step, iterations);
        (growth.is_finite() && inertia > 0.0).then_some((joint, growth, inertia))
    });
    let (joint, growth, inertia) = joints.max_by(|a, b| a.1.total_cmp(&b.1))?;
    if growth < GROWTH {
        return None;
    }
    let unit = match body.joint(JointIndex(joint)).map(|joint| joint.kind) {
        Some(JointKind::Prismatic) => "kg",
        _ => "kg·m²",
    };
    let Gains { proportional, derivative } = controller.gains()[joint];
    Some(format!(
        "with kp = {proportional} and kd = {derivative} on the {inertia:.3} {unit} that joint `{}` moves, an error grows {growth:.3} \
         times in each step of {time_step} s: lower the gains, shorten the step or use a `servo`",
        body.joint_name(JointIndex(joint))
    ))
}

/// The inverse of a mass matrix whose rows and columns of places that move nothing are zero.
fn invert(mut matrix: DMatrix<f64>) -> DMatrix<f64> {
    for place in 0..matrix.nrows() {
        if matrix[(place, place)] <= 0.0 {
            // Whatever moves nothing is as heavy as can be.
            matrix[(place, place)] = f64::MAX.sqrt();
        }
    }
    let size = matrix.nrows();
    matrix.cholesky().map_or_else(|| DMatrix::zeros(size, size), |cholesky| cholesky.inverse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_grow_beyond_the_bound_of_a_whole_step() {
        let growth = |a: f64, b: f64, iterations| {
            let gains = Gains { proportional: a * 0.5 / 1e-6, derivative: b * 0.5 / 1e-3 };
            growth(gains, 0.5, 1e-3, iterations)
        };
        for (a, b) in [(3.0, 0.5), (1.0, 1.5), (0.5, 1.75)] {
            assert!(growth(0.99 * a, 0.99 * b, 1) < 1.0 && growth(1.01 * a, 1.01 * b, 1) > 1.0, "{a} {b}");
        }
        // Without damping the effort comes late: errors grow slowly if the step is cut into pieces.
        assert!((growth(0.1, 0.0, 1) - 1.0).abs() < 1e-12 && growth(0.1, 0.0, 4) > 1.01);
        assert!((growth(0.0, 0.0, 4) - 1.0).abs() < 1e-6);
    }
}
