use bevy::prelude::*;
use nalgebra::Vector3;

use super::contact_law::ContactLaw;
use super::joint_solver::JointSolver;

/// How the world is stepped; insert it before the simulation starts.
#[derive(Resource, Clone, Debug, PartialEq, Reflect)]
#[reflect(opaque, Resource)]
pub struct PhysicsParameters {
    /// Acceleration of free fall in the world frame, m/s².
    pub gravity: Vector3<f64>,
    /// Solver iterations a step, of [`JointSolver::Impulse`] only. Rapier cuts the step into as many substeps, so the cost grows with it,
    /// and the error of the motion shrinks as 1/iterations.
    pub iterations: usize,
    /// What holds joints together.
    pub joints: JointSolver,
    /// What surfaces do that touch; of [`JointSolver::Multibody`] only.
    pub contacts: ContactLaw,
}

impl Default for PhysicsParameters {
    /// Standard gravity along −Z, 4 iterations, the multibody solver, rigid contacts.
    fn default() -> Self {
        Self {
            gravity: Vector3::new(0.0, 0.0, -9.80665),
            iterations: 4,
            joints: JointSolver::default(),
            contacts: ContactLaw::default(),
        }
    }
}
