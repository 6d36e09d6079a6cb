//! Bodies in the system of [`bunraku_multibody`].
//!
//! Rapier detects collisions: each rigid part has a kinematic rigid body with the part's colliders. A step
//!
//! 1. turns commands into drives ([`drives`]) and makes the first half of the drift;
//! 2. moves rigid bodies that may touch something to the poses of their parts in the middle of the step, and detects ([`detection`]);
//! 3. makes contacts of rapier's manifolds ([`contacts`]) and solves;
//! 4. writes states back in f64 ([`states`]), and poses to rapier according to [`RapierPoses`].

pub(crate) mod constraint_errors;
pub(crate) mod contacts;
pub(crate) mod detection;
pub(crate) mod drives;
pub(crate) mod extra_joints;
mod faces;
mod fast_part;
mod ground_faces;
mod leftovers;
mod manifold;
mod mesh_contacts;
mod prediction;
pub(crate) mod removal;
mod round_shapes;
mod seen;
mod shape_parts;
pub(crate) mod states;
pub(crate) mod step;
mod surface_points;
pub(crate) mod system_of_bodies;
pub(crate) mod told_contact;
mod tunnelling;
pub(crate) mod users_bodies;
pub(crate) mod users_components;
mod users_joint;
pub(crate) mod users_joints;

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use bevy_rapier3d::rapier::geometry::ColliderHandle;
use bevy_rapier3d::rapier::pipeline::CollisionPipeline;
use nalgebra::{Isometry3, Vector3};
use typed_index_collections::TiVec;

use crate::model::joint_solver::JointSolver;
use crate::model::parameters::PhysicsParameters;
#[cfg(doc)]
use crate::model::rapier_poses::RapierPoses;
use bunraku_multibody::{
    ClosureIndex, Contact, CoordinateIndex, Drive, Outcome, PartIndex, Readings, Solver, State, System, Wrench,
};
use told_contact::ToldContact;

/// The solver's system and state, with the data of detection.
#[derive(Resource, Default)]
pub(crate) struct MultibodyWorld {
    pub system: System,
    pub state: State,
    pub solver: Solver,
    pub readings: Readings,
    /// Drives of this step.
    pub drives: TiVec<CoordinateIndex, Drive>,
    /// Contacts of this step.
    pub contacts: Vec<Contact>,
    /// Of the manifold that is looked at.
    points: Vec<surface_points::Point>,
    /// Of the pair of a mesh that is looked at.
    mesh_patches: mesh_contacts::MeshPatches,
    /// Contacts of the last step with their forces, with either solver.
    pub told: Vec<ToldContact>,
    /// Outcome of the last step.
    pub outcome: Outcome,
    /// External forces of this step.
    wrenches: Vec<(PartIndex, Wrench)>,
    parts: Vec<PartInRapier>,
    /// No point of the colliders of a part goes farther in the first half of this step, m.
    ways: TiVec<PartIndex, f32>,
    /// The contact skin of the colliders of a part in this step, m: see [`prediction`].
    margins: TiVec<PartIndex, f32>,
    /// Parts that may pass through something in this step.
    fast: Vec<fast_part::FastPart>,
    /// Whether anything is near a part in this step.
    near: TiVec<PartIndex, bool>,
    /// Contacts found without rapier in this step, and their indices by pair of colliders.
    on_ground: Vec<ground_faces::OnGround>,
    pairs_on_ground: Vec<([ColliderHandle; 2], usize)>,
    /// Dynamic rigid bodies of users.
    users_bodies: Vec<RigidBodyHandle>,
    users_joints: Vec<users_joint::UsersJoint>,
    /// By the index of the rigid body's handle.
    part_of: Vec<Option<(RigidBodyHandle, PartIndex)>>,
    detection: CollisionPipeline,
    /// Whether rapier's bodies have been moved at the end of the last step.
    has_shown: bool,
    leftovers: leftovers::Leftovers,
}

/// A rigid part in rapier's world.
#[derive(Clone, Copy, Debug)]
struct PartInRapier {
    body: RigidBodyHandle,
    part: PartIndex,
    /// No point of its colliders is farther from its origin, m.
    radius: f32,
    /// The smallest extent of its colliders, m.
    thickness: f32,
    /// The contact skin that its colliders have been given, m.
    margin: f32,
    /// Whether the rigid body is a user's, whose pose is written in every step.
    is_users: bool,
    /// `None` if anything may be near it.
    seen: Option<seen::Seen>,
}

impl MultibodyWorld {
    /// The part of a rigid body; `None` for one that does not move or is unknown.
    pub fn part_of(&self, body: RigidBodyHandle) -> Option<PartIndex> {
        let (known, part) = self.part_of.get(body.into_raw_parts().0 as usize).copied().flatten()?;
        (known == body).then_some(part)
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

    /// Origin of the frame of a closure's second side, m, in the world, at the end of the step.
    pub fn closure_point(&self, closure: ClosureIndex) -> Vector3<f64> {
        self.closure_poses(closure)[1].translation.vector
    }

    /// Twist of the root of a part's tree at its origin, world axes.
    pub fn root_twist(&self, body: RigidBodyHandle) -> Option<bunraku_body::dynamics::Twist> {
        let tree = self.system.tree_of(self.part_of(body)?);
        let bunraku_multibody::Twist { linear, angular } = self.state.root_twist(&self.system, tree);
        Some(bunraku_body::dynamics::Twist { linear, angular })
    }

    fn add_part(&mut self, body: RigidBodyHandle, part: PartIndex, (radius, thickness): (f32, f32), is_users: bool) {
        let index = body.into_raw_parts().0 as usize;
        if self.part_of.len() <= index {
            self.part_of.resize(index + 1, None);
        }
        self.part_of[index] = Some((body, part));
        self.parts.push(PartInRapier { body, part, radius, thickness, margin: 0.0, is_users, seen: None });
    }
}

/// Whether the multibody solver is used.
pub(crate) fn is_used(parameters: Res<PhysicsParameters>) -> bool {
    parameters.joints == JointSolver::Multibody
}
