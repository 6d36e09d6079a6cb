use bevy::prelude::*;
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};

use crate::{Body, JointIndex, LinkIndex, kinematics};

/// Poses and velocities of a body. Written by the motion source of the body; all others read it.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct BodyState {
    /// World pose of each link frame, in link order.
    // Types of nalgebra do not implement `Reflect`.
    #[reflect(ignore)]
    pub link_poses: Vec<Isometry3<f64>>,
    /// Displacement of each joint, rad or m, in joint order. A revolute joint counts its turns.
    pub displacements: Vec<f64>,
    /// Velocity of each joint, rad/s or m/s, in joint order.
    pub velocities: Vec<f64>,
}

#[expect(clippy::indexing_slicing, reason = "a state has an entry for each link and each joint of its body")]
impl BodyState {
    /// State of rest with the root link at `root` and the joints at `displacements`.
    pub fn at_rest(body: &Body, root: &Isometry3<f64>, displacements: Vec<f64>) -> Self {
        let link_poses = kinematics::link_poses(body, root, &displacements);
        Self { link_poses, velocities: vec![0.0; displacements.len()], displacements }
    }

    /// State of rest in the initial pose of the model.
    pub fn initial(body: &Body) -> Self {
        Self::at_rest(body, &body.root().offset, body.initial_displacements())
    }

    /// World pose of a link frame. The link must be one of the body.
    #[inline]
    pub fn link_pose(&self, link: LinkIndex) -> &Isometry3<f64> {
        &self.link_poses[link.0]
    }

    /// Displacement of a joint, rad or m. The joint must be one of the body.
    #[inline]
    pub fn displacement(&self, joint: JointIndex) -> f64 {
        self.displacements[joint.0]
    }

    /// Velocity of a joint, rad/s or m/s. The joint must be one of the body.
    #[inline]
    pub fn velocity(&self, joint: JointIndex) -> f64 {
        self.velocities[joint.0]
    }
}
