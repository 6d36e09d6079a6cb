use bevy::prelude::*;
use nalgebra::Vector3;

use super::contact_law::ContactLaw;
use super::joint_solver::JointSolver;

/// Parameters of physics; insert them before the simulation starts.
#[derive(Resource, Clone, Debug, PartialEq, Reflect)]
#[reflect(opaque, Resource)]
pub struct PhysicsParameters {
    /// Acceleration of free fall in the world frame, m/s².
    pub gravity: Vector3<f64>,
    /// Substeps of rapier's step, of [`JointSolver::Impulse`] only. The cost grows with them, and the error of the motion is
    /// proportional to 1/iterations.
    pub iterations: usize,
    /// Solver of joints and contacts.
    pub joints: JointSolver,
    /// Contact law, of [`JointSolver::Multibody`] only.
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
