//! Messages about diverged simulations.

use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, BodyState, JointIndex, JointKind, LinkIndex};
use nalgebra::{DMatrix, Matrix3};

use crate::model::gains::Gains;
use crate::model::joint_solver::JointSolver;
use crate::readings::acting::{Acting, ActingOn, violent_force};
use crate::readings::health::Trouble;
use crate::readings::words::{as_written, in_digits};

/// Smaller growth of an error in a step is not a cause of divergence.
const GROWTH: f64 = 1.001;

/// Largest growth of a joint's error in a step under a controller of efforts; below 1 the error decays.
///
/// With effective inertia I, a = Kp·dt²/I and b = Kd·dt/I, e₊₁ − 2·e + e₋₁ = −(t + t₋₁)/2 with t = a·e + b·(e − e₋₁), for a controller that
/// changes its effort once in a step: the largest root of a cubic. Errors die away while a < 2·b·(2 − b)/(2 + b).
fn growth(gains: Gains, inertia: f64, time_step: f64) -> f64 {
    let (a, b) = (gains.proportional * time_step * time_step / inertia, gains.derivative * time_step / inertia);
    let [last, middle, first] = [0.5 * b, 0.5 * b - 0.5 * (a + b) - 1.0, 2.0 - 0.5 * (a + b)];
    let companion = Matrix3::new(0.0, 0.0, last, 1.0, 0.0, middle, 0.0, 1.0, first);
    companion.complex_eigenvalues().iter().map(|root| root.norm()).fold(0.0, f64::max)
}

/// A body that has diverged.
#[derive(Clone, Copy)]
pub(crate) struct Diverged<'a> {
    pub body: &'a Body,
    /// In the scene.
    pub name: &'a str,
    /// Before the step.
    pub state: &'a BodyState,
    pub acting: ActingOn<'a>,
    pub time_step: f64,
    pub solver: JointSolver,
}

impl Diverged<'_> {
    /// The message: what happened, and the likely cause. It names the joint of the cause, if there is one.
    pub fn describe(&self, trouble: &Trouble) -> String {
        let Trouble { link, what } = trouble;
        let subject = self.subject(*link);
        match self.unstable_gains() {
            Some((joint, cause)) if self.body.joint_link(joint) == Some(*link) => {
                format!("the simulation diverged: {subject} {what}; {cause}")
            }
            Some((joint, cause)) => {
                format!("the simulation diverged: joint `{}` of `{}`: {cause}", self.body.joint_name(joint), self.name)
            }
            None => format!("the simulation diverged: {subject} {what}; {}", self.other_cause()),
        }
    }

    fn subject(&self, index: LinkIndex) -> String {
        let link = self.body.link(index);
        if link.joint.kind.has_displacement() {
            format!("joint `{}` of `{}`", link.joint_name(), self.name)
        } else {
            format!("link `{}` of `{}`", link.name, self.name)
        }
    }

    /// The joint whose gains make its error grow the most, and the message; `None` if all are stable.
    fn unstable_gains(&self) -> Option<(JointIndex, String)> {
        let &Self { body, state, time_step, .. } = self;
        let controller = self.acting.0?;
        let root = state.link_poses.first()?;
        let configuration = Configuration::new(body, root, &state.displacements);
        let columns = configuration.num_coordinates() - body.num_joints();
        let inverse = invert(configuration.mass_matrix());
        let joints = controller.as_slice().iter().enumerate().filter_map(|(joint, &gains)| {
            let inertia = inverse.get((columns + joint, columns + joint))?.recip();
            let growth = growth(gains, inertia, time_step);
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
        let Gains { proportional, derivative } = controller.as_slice()[joint];
        let cause = format!(
            "with kp = {} and kd = {} on the {inertia:.3} {unit} that it moves, an error grows {} times in each step of \
             {time_step} s: lower the gains, shorten the step or use a `servo`",
            as_written(proportional),
            as_written(derivative),
            in_digits(growth, 3)
        );
        Some((JointIndex(joint), cause))
    }

    fn other_cause(&self) -> String {
        if let Some(cause) = violent_force(self.body, self.acting.3, self.time_step) {
            return cause;
        }
        let acting = Acting::on(self.acting);
        let has_joints = self.body.links().iter().any(|link| link.joint.kind.has_displacement());
        match self.solver {
            JointSolver::Impulse if has_joints => {
                format!("{}; `joints: multibody` under `simulation` holds them", acting.usual_causes(true))
            }
            _ => acting.usual_causes(false),
        }
    }
}

/// The inverse of a mass matrix, in which rows and columns of coordinates that move nothing are zero.
fn invert(mut matrix: DMatrix<f64>) -> DMatrix<f64> {
    for index in 0..matrix.nrows() {
        if matrix[(index, index)] <= 0.0 {
            // Coordinates that move nothing get the largest inertia.
            matrix[(index, index)] = f64::MAX.sqrt();
        }
    }
    let size = matrix.nrows();
    matrix.cholesky().map_or_else(|| DMatrix::zeros(size, size), |cholesky| cholesky.inverse())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth_of(a: f64, b: f64) -> f64 {
        growth(Gains { proportional: a * 0.5 / 1e-6, derivative: b * 0.5 / 1e-3 }, 0.5, 1e-3)
    }

    #[test]
    fn errors_grow_beyond_the_bound_of_the_formula() {
        for b in [0.1, 0.5, 1.0, 1.5] {
            let a = 2.0 * b * (2.0 - b) / (2.0 + b);
            let [below, above] = [0.999, 1.001].map(|share| growth_of(share * a, b));
            assert!(below < 1.0 && above > 1.0, "{b}: {below} {above}");
        }
    }
}
