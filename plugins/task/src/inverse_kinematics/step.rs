//! One step of damped least squares.

use nalgebra::{Isometry3, Matrix6, Vector6};

use super::chain::JointFrame;

/// Error relative to a target: the translation (m), then the rotation vector (rad), both in the axes of the base.
pub(super) fn error(pose: &Isometry3<f64>, target: &Isometry3<f64>) -> Vector6<f64> {
    let way = target.translation.vector - pose.translation.vector;
    let turn = (target.rotation * pose.rotation.inverse()).scaled_axis();
    Vector6::new(way.x, way.y, way.z, turn.x, turn.y, turn.z)
}

/// Columns of the geometric Jacobian of the tool: its velocity and angular velocity for unit velocity of each joint.
pub(super) fn jacobian(frames: &[JointFrame], tool: &Isometry3<f64>, columns: &mut [Vector6<f64>]) {
    for (frame, column) in frames.iter().zip(columns) {
        let (linear, angular) = if frame.turns {
            (frame.axis.cross(&(tool.translation.vector - frame.origin)), frame.axis)
        } else {
            (frame.axis, nalgebra::Vector3::zeros())
        };
        *column = Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
    }
}

/// The step Jᵀ(JJᵀ + λ)⁻¹e of the free joints; the others do not move. False if it cannot be computed.
pub(super) fn damped(
    columns: &[Vector6<f64>],
    held: &[bool],
    error: &Vector6<f64>,
    damping: f64,
    step: &mut [f64],
) -> bool {
    let mut matrix = Matrix6::identity() * damping;
    for (column, _) in columns.iter().zip(held).filter(|(_, held)| !**held) {
        matrix.ger(1.0, column, column, 1.0);
    }
    let Some(factor) = matrix.cholesky() else { return false };
    let force = factor.solve(error);
    for ((slot, column), held) in step.iter_mut().zip(columns).zip(held) {
        *slot = if *held { 0.0 } else { column.dot(&force) };
    }
    step.iter().all(|value| value.is_finite())
}
