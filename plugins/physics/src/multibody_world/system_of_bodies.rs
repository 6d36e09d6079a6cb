//! Bodies as trees of the solver's system.

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::ColliderSet;
use bunraku_body::dynamics::Configuration;
use bunraku_body::{
    Body, BodyState, Drive, ExtraJoint, JointIndex, LinkIndex, MassProperties, RigidPartIndex, RigidParts,
};
use nalgebra::Isometry3;
use typed_index_collections::{TiSlice, TiVec};

use super::MultibodyWorld;
use crate::model::initial_twist::InitialTwist;
use crate::model::loops::tracks::track_closures;
use bunraku_multibody::{
    Anchor, Closure, ClosureIndex, Coordinate, CoordinateIndex, JointMotion, Part, PartIndex, RootMotion, TreeIndex,
    Twist,
};

/// Indices of a body in the system of the [`MultibodyWorld`].
#[derive(Component, Debug, Default)]
pub(crate) struct ReducedBody {
    /// Joints with a coordinate, in joint order.
    pub joints: Vec<ReducedJoint>,
    /// The part of each link and its pose in the part's frame; empty for a static body.
    pub links: TiVec<LinkIndex, (PartIndex, Isometry3<f64>)>,
    /// Whether a link is the carrier of its part; empty unless the body is dynamic.
    pub is_carrier: TiVec<LinkIndex, bool>,
    /// The tree of a guided root.
    pub kinematic_root: Option<TreeIndex>,
    /// Kinematic trees of one part each, of a body that plays a motion.
    pub kinematic: Vec<(LinkIndex, TreeIndex)>,
    /// Closures at its links, and which side.
    pub closures: Vec<(ClosureIndex, usize, LinkIndex)>,
    /// Extra joints of the model.
    pub loops: Vec<LoopOfBody>,
}

/// An extra joint of a model, or the hinge that closes a track.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopOfBody {
    pub closure: ClosureIndex,
    pub links: [LinkIndex; 2],
    /// [`bunraku_body::ExtraJointKind::gap`] at the start, m.
    pub start_gap: f64,
}

/// A joint with one displacement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReducedJoint {
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
    pub fn add(&mut self, new: AddedBody<'_>, bodies: &RigidBodySet, colliders: &ColliderSet) -> ReducedBody {
        let reduced = match new.drive {
            Drive::Physics => self.add_tree(new),
            Drive::Motion => self.add_kinematic(new),
            Drive::Static => return ReducedBody::default(),
        };
        let carriers = new.parts.parts.iter().zip(new.handles).enumerate();
        for (number, (part, &handle)) in carriers {
            let index = match new.drive {
                Drive::Physics => reduced.links[part.carrier].0,
                _ => self.system.root(reduced.kinematic[number].1),
            };
            self.detection.add_part(handle, index, reach_and_thickness(handle, bodies, colliders), false);
        }
        reduced
    }

    fn add_tree(&mut self, new: AddedBody<'_>) -> ReducedBody {
        let AddedBody { body, state, is_root_kinematic, .. } = new;
        let root = if is_root_kinematic { RootMotion::Free } else { RootMotion::Modelled };
        let compiled = self.system.add_body(body, root);
        compiled.place(body, &mut self.state, &self.system, state.link_pose(LinkIndex::ROOT), &state.displacements);
        let joints = compiled.coordinates.iter().enumerate().filter_map(|(joint, coordinate)| {
            let joint = JointIndex(joint);
            let link = body.joint_link(joint)?;
            Some(ReducedJoint { joint, link, coordinate: (*coordinate)? })
        });
        let joints: Vec<_> = joints.collect();
        let is_carrier: TiVec<LinkIndex, bool> = new.parts.links.iter().map(|link| link.is_carrier).collect();
        let moves = !body.is_fixed() || is_root_kinematic;
        let twist = new.twist.filter(|_| moves).map_or(Twist::ZERO, |twist| twist.0);
        let configuration = Configuration::new(body, state.link_pose(LinkIndex::ROOT), &state.displacements);
        let twists = configuration.link_twists(&twist, &state.velocities);
        for (number, &tree) in compiled.trees.iter().enumerate() {
            let root = self.system.root(tree);
            let carrier = is_carrier.keys().find(|&link| is_carrier[link] && compiled.links[link.0].0 == root);
            let Some(carrier) = carrier else { continue };
            self.state.root_poses[tree.0] = *state.link_pose(carrier);
            if number > 0 || moves {
                self.state.set_root_twist(&self.system, tree, &twists[carrier.0]);
            }
        }
        for joint in &joints {
            self.state.set_velocity(joint.coordinate, state.velocity(joint.joint));
        }
        let (mut closures, mut loops) = (Vec::new(), Vec::new());
        let extra: Vec<ExtraJoint> = body.extra_joints.iter().cloned().chain(track_closures(body)).collect();
        for extra in &extra {
            let anchors = [0, 1].map(|side| {
                let (part, pose) = compiled.links[extra.links[side].0];
                Anchor { part: Some(part), frame: pose * extra.frames[side] }
            });
            if anchors[0].part == anchors[1].part {
                continue;
            }
            let index = self.system.add_closure(Closure { kind: extra.kind, sides: anchors });
            closures.extend([(index, 0, extra.links[0]), (index, 1, extra.links[1])]);
            let [first, second] = [0, 1].map(|side| state.link_pose(extra.links[side]) * extra.frames[side]);
            loops.push(LoopOfBody { closure: index, links: extra.links, start_gap: extra.kind.gap(&first, &second) });
        }
        let kinematic_root = is_root_kinematic.then_some(compiled.trees[0]);
        ReducedBody {
            joints,
            links: compiled.links.into(),
            is_carrier,
            kinematic_root,
            kinematic: Vec::new(),
            closures,
            loops,
        }
    }

    /// A motion may move each link anywhere, so each part is a separate tree with prescribed velocities.
    fn add_kinematic(&mut self, new: AddedBody<'_>) -> ReducedBody {
        let mut kinematic: Vec<(LinkIndex, TreeIndex)> = Vec::with_capacity(new.parts.parts.len());
        for part in &new.parts.parts {
            let unit = MassProperties { mass: 1.0, ..MassProperties::ZERO };
            let free = Part {
                parent: None,
                offset: Isometry3::identity(),
                motion: JointMotion::Free,
                mass: unit,
                coordinate: Coordinate::default(),
            };
            let Some(tree) = self.system.add_tree(&[free]) else { continue };
            self.state.fit(&self.system);
            self.state.root_poses[tree.0] = *new.state.link_pose(part.carrier);
            kinematic.push((part.carrier, tree));
        }
        let links = new.parts.links.iter().map(|link| (self.system.root(kinematic[link.part.0].1), link.pose));
        ReducedBody { links: links.collect(), kinematic, ..ReducedBody::default() }
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
