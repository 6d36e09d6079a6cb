//! Bodies in our own solver: what stands between the simulation's components and [`bunraku_multibody`].
//!
//! Each rigid part has a kinematic rigid body in rapier's world, with the part's colliders. A step
//!
//! 1. turns commands into drives ([`drives`]) and begins: half of the drift;
//! 2. finds the contacts with the parts in the middle of the step ([`crate::detection`]);
//! 3. solves;
//! 4. writes states back, unrounded ([`states`]).
//!
//! Where the parts are at the end of the step rapier's world [shows](RapierPoses) only to those who look.

pub(crate) mod departures;
pub(crate) mod drives;
pub(crate) mod extra_joints;
pub(crate) mod states;
pub(crate) mod step;
pub(crate) mod system_of_bodies;
pub(crate) mod users_bodies;

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use nalgebra::{Isometry3, Vector3};
use typed_index_collections::TiVec;

use crate::detection::state::Detection;
use crate::model::joint_solver::JointSolver;
use crate::model::parameters::PhysicsParameters;
#[cfg(doc)]
use crate::model::rapier_poses::RapierPoses;
use bunraku_multibody::{
    ClosureIndex, CoordinateIndex, Drive, Outcome, PartIndex, Readings, Solver, State, System, Wrench,
};

/// Everything that our own solver steps.
#[derive(Resource, Default)]
pub(crate) struct MultibodyWorld {
    pub system: System,
    pub state: State,
    pub solver: Solver,
    pub readings: Readings,
    /// Of this step.
    pub drives: TiVec<CoordinateIndex, Drive>,
    /// How the last step was solved.
    pub outcome: Outcome,
    /// Forces from outside in this step.
    wrenches: Vec<(PartIndex, Wrench)>,
    pub detection: Detection,
    /// Dynamic bodies that are not ours.
    users_bodies: Vec<RigidBodyHandle>,
    /// Whether rapier's bodies have been moved at the end of the last step.
    has_shown: bool,
}

impl MultibodyWorld {
    /// The part that a rigid body stands for; `None` for one that does not move or is not ours.
    pub fn part_of(&self, body: RigidBodyHandle) -> Option<PartIndex> {
        self.detection.part_of(body)
    }

    /// Where the frames of a closure's sides are in the world at the end of the step.
    pub fn closure_poses(&self, closure: ClosureIndex) -> [Isometry3<f64>; 2] {
        self.system.closure(closure).sides.map(|anchor| {
            let pose = anchor.part.map_or_else(Isometry3::identity, |part| self.solver.end_pose(part));
            pose * anchor.frame
        })
    }

    /// How far a closure is open at the end of the step, m.
    pub fn gap(&self, closure: ClosureIndex) -> f64 {
        let [first, second] = self.closure_poses(closure);
        self.system.closure(closure).kind.gap(&first, &second)
    }

    /// Where a closure holds its second side, m, in the world, at the end of the step.
    pub fn closure_point(&self, closure: ClosureIndex) -> Vector3<f64> {
        self.closure_poses(closure)[1].translation.vector
    }

    /// Twist of a root at its origin, world axes, if its rigid body stands for a part.
    pub fn root_twist(&self, body: RigidBodyHandle) -> Option<bunraku_body::dynamics::Twist> {
        let tree = self.system.tree_of(self.part_of(body)?);
        let bunraku_multibody::Twist { linear, angular } = self.state.root_twist(&self.system, tree);
        Some(bunraku_body::dynamics::Twist { linear, angular })
    }
}

/// Whether our own solver steps the world.
pub(crate) fn is_used(parameters: Res<PhysicsParameters>) -> bool {
    parameters.joints == JointSolver::Multibody
}
