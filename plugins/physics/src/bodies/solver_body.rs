//! Bodies as trees of the solver's system.

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::ColliderSet;
use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, BodyState, Drive, JointIndex, LinkIndex, MassProperties, RigidPartIndex, RigidParts};
use nalgebra::Isometry3;
use typed_index_collections::TiSlice;

use super::MultibodyWorld;
use crate::model::initial_twist::InitialTwist;
use crate::model::loops::tracks::track_closures;
use bunraku_multibody::{
    Anchor, Closure, ClosureIndex, Coordinate, CoordinateIndex, JointMotion, Part, PartIndex, RootMotion, Twist,
};

/// Joints of a body in the system of the [`MultibodyWorld`]. Its parts are those of the rigid bodies of its
/// [`SimulatedBody`](crate::SimulatedBody): see [`MultibodyWorld::part_of`].
#[derive(Component, Debug, Default)]
pub(crate) struct SolverBody {
    /// Joints with a coordinate, in joint order.
    pub joints: Vec<SolverJoint>,
    /// Extra joints of the model.
    pub loops: Vec<SolverLoop>,
}

/// An extra joint of a model, or the hinge that closes a track.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolverLoop {
    pub closure: ClosureIndex,
    pub links: [LinkIndex; 2],
    /// [`bunraku_body::ExtraJointKind::gap`] at the start, m.
    pub start_gap: f64,
}

/// A joint with one displacement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolverJoint {
    pub joint: JointIndex,
    pub link: LinkIndex,
    pub coordinate: CoordinateIndex,
}

/// A body to be added.
#[derive(Clone, Copy)]
pub(crate) struct AddedBody<'a> {
    pub body: &'a Body,
    pub state: &'a BodyState,
    pub drive: Drive,
    pub is_root_kinematic: bool,
    pub twist: Option<&'a InitialTwist>,
    pub parts: &'a RigidParts,
    /// Rigid bodies of the parts.
    pub handles: &'a TiSlice<RigidPartIndex, RigidBodyHandle>,
}

impl MultibodyWorld {
    /// Adds a body.
    pub fn add(&mut self, new: AddedBody<'_>, bodies: &RigidBodySet, colliders: &ColliderSet) -> SolverBody {
        let (parts, added) = match new.drive {
            Drive::Physics => self.add_trees(new),
            Drive::Motion => (self.add_kinematic_parts(new), SolverBody::default()),
            Drive::Static => return SolverBody::default(),
        };
        for (part, &handle) in parts.into_iter().zip(new.handles) {
            self.detection.add_part(handle, part, reach_and_thickness(handle, bodies, colliders), false);
        }
        added
    }

    /// Returns the parts in the order of the rigid parts.
    fn add_trees(&mut self, new: AddedBody<'_>) -> (Vec<PartIndex>, SolverBody) {
        let AddedBody { body, state, is_root_kinematic, .. } = new;
        let root = if is_root_kinematic { RootMotion::Free } else { RootMotion::Modelled };
        let compiled = self.system.add_body(body, root);
        compiled.place(body, &mut self.state, &self.system, state.link_pose(LinkIndex::ROOT), &state.displacements);
        let joints = compiled.coordinates.iter().enumerate().filter_map(|(joint, coordinate)| {
            let joint = JointIndex(joint);
            let link = body.joint_link(joint)?;
            Some(SolverJoint { joint, link, coordinate: (*coordinate)? })
        });
        let joints: Vec<_> = joints.collect();
        let parts: Vec<_> = new.parts.parts.iter().map(|part| compiled.links[part.carrier.0].0).collect();
        let moves = !body.is_fixed() || is_root_kinematic;
        let twist = new.twist.filter(|_| moves).map_or(Twist::ZERO, |twist| twist.0);
        let configuration = Configuration::new(body, state.link_pose(LinkIndex::ROOT), &state.displacements);
        let twists = configuration.link_twists(&twist, &state.velocities);
        for (number, &tree) in compiled.trees.iter().enumerate() {
            let root = self.system.root(tree);
            let Some(index) = parts.iter().position(|&part| part == root) else { continue };
            let carrier = new.parts.parts[RigidPartIndex(index)].carrier;
            self.state.root_poses[tree.0] = *state.link_pose(carrier);
            if number > 0 || moves {
                self.state.set_root_twist(&self.system, tree, &twists[carrier.0]);
            }
        }
        for joint in &joints {
            self.state.set_velocity(joint.coordinate, state.velocity(joint.joint));
        }
        let mut loops = Vec::new();
        for extra in body.extra_joints.iter().copied().chain(track_closures(body)) {
            let anchors = [0, 1].map(|side| {
                let (part, pose) = compiled.links[extra.links[side].0];
                Anchor { part: Some(part), frame: pose * extra.frames[side] }
            });
            if anchors[0].part == anchors[1].part {
                continue;
            }
            let index = self.system.add_closure(Closure { kind: extra.kind, sides: anchors });
            let [first, second] = [0, 1].map(|side| state.link_pose(extra.links[side]) * extra.frames[side]);
            loops.push(SolverLoop { closure: index, links: extra.links, start_gap: extra.kind.gap(&first, &second) });
        }
        (parts, SolverBody { joints, loops })
    }

    /// A motion may move each link anywhere, so each part is a separate tree with prescribed velocities. Returns the parts in the order
    /// of the rigid parts.
    fn add_kinematic_parts(&mut self, new: AddedBody<'_>) -> Vec<PartIndex> {
        let unit = MassProperties { mass: 1.0, ..MassProperties::ZERO };
        let poses = new.parts.parts.iter().map(|part| *new.state.link_pose(part.carrier));
        poses.filter_map(|pose| self.add_free_part(unit, &pose)).collect()
    }

    /// Adds a tree of one part that moves in all directions; `None` if the system refuses it.
    pub(super) fn add_free_part(&mut self, mass: MassProperties, pose: &Isometry3<f64>) -> Option<PartIndex> {
        let free = Part {
            parent: None,
            offset: Isometry3::identity(),
            motion: JointMotion::Free,
            mass,
            coordinate: Coordinate::default(),
        };
        let tree = self.system.add_tree(&[free])?;
        self.state.fit(&self.system);
        self.state.root_poses[tree.0] = *pose;
        Some(self.system.root(tree))
    }
}

/// Largest distance of the colliders' points from the origin of a rigid body, and the smallest extent of the colliders, m.
pub(super) fn reach_and_thickness(body: RigidBodyHandle, bodies: &RigidBodySet, colliders: &ColliderSet) -> [f32; 2] {
    let own = bodies.get(body).into_iter().flat_map(|body| body.colliders());
    let sizes = own.filter_map(|&handle| colliders.get(handle)).map(|collider| {
        let sphere = collider.shape().compute_local_bounding_sphere();
        let center = collider.position_wrt_parent().map_or(sphere.center, |pose| *pose * sphere.center);
        let extents = collider.shape().compute_local_aabb().extents();
        (center.length() + sphere.radius, extents.min_element())
    });
    sizes.fold([0.0, f32::MAX], |[reach, least], (one, thin)| [reach.max(one), least.min(thin)])
}
