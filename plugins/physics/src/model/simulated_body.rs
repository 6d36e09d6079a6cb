use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use bunraku_body::{Drive, LinkIndex, PartOfLink, RigidPartIndex};
use nalgebra::Isometry3;
use typed_index_collections::TiVec;

use super::collision::{BodyCollision, LinkCollision};

/// A body that is simulated: its rigid parts, each with a rigid body in rapier's world. The one grouping of its links, for both solvers.
#[derive(Component, Debug)]
pub struct SimulatedBody {
    /// Rapier body of each rigid part.
    pub(crate) parts: TiVec<RigidPartIndex, RigidBodyHandle>,
    /// For each link its part and its pose in the part's frame.
    pub(crate) links: TiVec<LinkIndex, PartOfLink>,
    /// Settings with which it was prepared; it is rebuilt when they change.
    pub(crate) terms: Terms,
}

/// Settings of a body that is simulated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Terms {
    pub drive: Drive,
    pub collision: BodyCollision,
    /// Whether the root follows given poses.
    pub is_root_kinematic: bool,
    /// By link.
    pub links: Vec<LinkCollision>,
}

impl SimulatedBody {
    /// The rapier body that carries a link, and the link's pose in it.
    pub fn rigid_body(&self, link: LinkIndex) -> (RigidBodyHandle, Isometry3<f64>) {
        let PartOfLink { part, pose, .. } = self.links[link];
        (self.parts[part], pose)
    }

    /// The topmost link of each rigid part, and the part's rigid body.
    pub(crate) fn carriers(&self) -> impl Iterator<Item = (LinkIndex, RigidBodyHandle)> {
        let carriers = self.links.iter_enumerated().filter(|(_, of_link)| of_link.is_carrier);
        carriers.map(|(link, of_link)| (link, self.parts[of_link.part]))
    }

    /// Writes the poses of all links, from those of the rigid bodies. `None` if one of these is missing.
    pub(crate) fn find_link_poses(
        &self,
        pose_of: impl Fn(RigidBodyHandle) -> Option<Isometry3<f64>>,
        poses: &mut Vec<Isometry3<f64>>,
    ) -> Option<()> {
        poses.clear();
        for of_link in &self.links {
            let part = pose_of(self.parts[of_link.part])?;
            // Most links are their part alone.
            poses.push(if of_link.is_carrier { part } else { part * of_link.pose });
        }
        Some(())
    }
}
