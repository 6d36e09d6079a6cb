//! Bodies in the system of [`bunraku_multibody`].
//!
//! Each rigid part has a kinematic rigid body in rapier's world, with the part's colliders. A step
//!
//! 1. turns commands into drives ([`drives`]) and makes the first half of the drift;
//! 2. finds the contacts of the parts in the middle of the step ([`crate::detection`]);
//! 3. solves;
//! 4. writes states back in f64 ([`states`]), and poses to rapier according to [`RapierPoses`].

pub(crate) mod constraint_errors;
pub(crate) mod drives;
pub(crate) mod extra_joints;
pub(crate) mod readings;
pub(crate) mod removal;
pub(crate) mod solver_body;
pub(crate) mod states;
pub(crate) mod step;
pub(crate) mod users_bodies;
pub(crate) mod users_components;
mod users_joint;
pub(crate) mod users_joints;

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use nalgebra::Isometry3;
use typed_index_collections::TiVec;

use crate::detection::state::Detection;
use crate::model::joint_solver::JointSolver;
use crate::model::parameters::PhysicsParameters;
#[cfg(doc)]
use crate::model::rapier_poses::RapierPoses;
use bunraku_multibody::{
    ClosureIndex, CoordinateIndex, Drive, Outcome, PartIndex, Readings, Solver, State, System, TreeIndex, Wrench,
};

/// The solver's system and state, with the data of detection.
///
/// Bevy 0.19 reserves 64 places for each resource: unboxed, the 4 kB of solver and detection are 260 kB in each world.
#[derive(Resource, Default)]
pub(crate) struct MultibodyWorld {
    pub system: System,
    pub state: State,
    pub solver: Box<Solver>,
    pub readings: Readings,
    /// Drives of this step.
    pub drives: TiVec<CoordinateIndex, Drive>,
    /// Outcome of the last step.
    pub outcome: Outcome,
    /// External forces of this step.
    wrenches: Vec<(PartIndex, Wrench)>,
    pub detection: Box<Detection>,
    /// Dynamic rigid bodies of users.
    users_bodies: Vec<RigidBodyHandle>,
    users_joints: Vec<users_joint::UsersJoint>,
}

const _: () = assert!(size_of::<MultibodyWorld>() <= 1024, "Bevy reserves 64 places for it");

impl MultibodyWorld {
    /// The part of a rigid body; `None` for one that does not move or is unknown.
    pub fn part_of(&self, body: RigidBodyHandle) -> Option<PartIndex> {
        self.detection.part_of(body)
    }

    /// The tree of a rigid body.
    fn tree_of(&self, body: RigidBodyHandle) -> Option<TreeIndex> {
        Some(self.system.tree_of(self.part_of(body)?))
    }

    /// World poses of the frames of a closure's sides at the end of the step.
    pub fn closure_poses(&self, closure: ClosureIndex) -> [Isometry3<f64>; 2] {
        self.system.closure(closure).sides.map(|anchor| {
            let pose = anchor.part.map_or_else(Isometry3::identity, |part| self.solver.end_pose(part));
            pose * anchor.frame
        })
    }

    /// Gap of a closure at the end of the step, m.
    pub fn gap(&self, closure: ClosureIndex) -> f64 {
        let [first, second] = self.closure_poses(closure);
        self.system.closure(closure).kind.gap(&first, &second)
    }

    /// Twist of the root of a part's tree at its origin, world axes.
    pub fn root_twist(&self, body: RigidBodyHandle) -> Option<bunraku_body::dynamics::Twist> {
        let tree = self.tree_of(body)?;
        let bunraku_multibody::Twist { linear, angular } = self.state.root_twist(&self.system, tree);
        Some(bunraku_body::dynamics::Twist { linear, angular })
    }
}

/// Whether the multibody solver is used.
pub(crate) fn is_used(parameters: Res<PhysicsParameters>) -> bool {
    parameters.joints == JointSolver::Multibody
}
