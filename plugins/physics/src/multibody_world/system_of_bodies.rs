//! Bodies that are taken in: their trees, and which rigid bodies stand for their parts.

use bevy::prelude::*;
use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::ColliderSet;
use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, BodyState, Drive, ExtraJoint, JointIndex, LinkIndex, MassProperties};
use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};
use typed_index_collections::{TiSlice, TiVec};

use super::MultibodyWorld;
use crate::model::index::RigidPartIndex;
use crate::model::initial_twist::InitialTwist;
use crate::model::loops::tracks::track_closures;
use crate::model::rigid_parts::RigidParts;
use bunraku_multibody::{
    Anchor, Closure, ClosureIndex, Coordinate, CoordinateIndex, JointMotion, Part, PartIndex, RootMotion, TreeIndex,
    Twist,
};

/// Where a body is in the [`MultibodyWorld`].
#[derive(Component, Debug, Default)]
pub(crate) struct ReducedBody {
    /// Joints that move, in joint order.
    pub joints: Vec<ReducedJoint>,
    /// The part of each link and its pose in the part's frame; empty unless forces drive the body.
    pub links: TiVec<LinkIndex, (PartIndex, Isometry3<f64>)>,
    /// Whether the part of a link is called after it.
    pub is_carrier: TiVec<LinkIndex, bool>,
    /// The tree of the root, if that is led along given poses.
    pub guided_root: Option<TreeIndex>,
    /// Trees of one part that are led along the poses of their links.
    pub led: Vec<(LinkIndex, TreeIndex)>,
    /// What closes loops at its links: which side of it.
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

/// What the actuation of a body keeps from step to step, by simulated joint.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct JointPast {
    /// Where the reference of each servo was to be, rad or m.
    pub references: Vec<Option<f64>>,
    /// Where each prescribed joint had to be, rad or m.
    pub destinations: Vec<Option<f64>>,
}

/// A body to be taken in.
#[derive(Clone, Copy)]
pub(crate) struct TakenIn<'a> {
    pub body: &'a Body,
    pub state: &'a BodyState,
    pub drive: Drive,
    pub root_is_guided: bool,
    pub twist: Option<&'a InitialTwist>,
    pub parts: &'a RigidParts,
    /// Rigid bodies of the parts.
    pub handles: &'a TiSlice<RigidPartIndex, RigidBodyHandle>,
}

impl MultibodyWorld {
    /// Takes a body in.
    pub fn take_in(&mut self, new: TakenIn<'_>, bodies: &RigidBodySet, colliders: &ColliderSet) -> ReducedBody {
        let reduced = match new.drive {
            Drive::Physics => self.take_in_tree(new),
            Drive::Motion => self.take_in_led(new),
            Drive::Static => return ReducedBody::default(),
        };
        let carriers = new.parts.parts.iter().zip(new.handles).enumerate();
        for (number, (part, &handle)) in carriers {
            let index = match new.drive {
                Drive::Physics => reduced.links[part.carrier].0,
                _ => self.system.root(reduced.led[number].1),
            };
            self.detection.add_part(handle, index, reach_and_thickness(handle, bodies, colliders), false);
        }
        reduced
    }

    fn take_in_tree(&mut self, new: TakenIn<'_>) -> ReducedBody {
        let TakenIn { body, state, root_is_guided, .. } = new;
        let root = if root_is_guided { RootMotion::Free } else { RootMotion::Modelled };
        let compiled = self.system.add_body(body, root);
        compiled.place(body, &mut self.state, &self.system, state.link_pose(LinkIndex::ROOT), &state.displacements);
        let joints = compiled.coordinates.iter().enumerate().filter_map(|(joint, coordinate)| {
            let joint = JointIndex(joint);
            let link = body.joint_link(joint)?;
            Some(ReducedJoint { joint, link, coordinate: (*coordinate)? })
        });
        let joints: Vec<_> = joints.collect();
        let is_carrier: TiVec<LinkIndex, bool> = new.parts.links.iter().map(|link| link.is_carrier).collect();
        let moves_freely = !body.is_fixed() && !root_is_guided;
        let twist = new.twist.filter(|_| moves_freely).map_or(Twist::ZERO, |twist| twist.0);
        let configuration = Configuration::new(body, state.link_pose(LinkIndex::ROOT), &state.displacements);
        let twists = configuration.link_twists(&twist, &state.velocities);
        for (number, &tree) in compiled.trees.iter().enumerate() {
            let root = self.system.root(tree);
            let carrier = is_carrier.keys().find(|&link| is_carrier[link] && compiled.links[link.0].0 == root);
            let Some(carrier) = carrier else { continue };
            self.state.root_poses[tree.0] = *state.link_pose(carrier);
            if number > 0 || moves_freely {
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
        let guided_root = root_is_guided.then_some(compiled.trees[0]);
        ReducedBody { joints, links: compiled.links.into(), is_carrier, guided_root, led: Vec::new(), closures, loops }
    }

    /// A motion may lead each link anywhere: each part is a tree of its own, all whose velocities are given.
    fn take_in_led(&mut self, new: TakenIn<'_>) -> ReducedBody {
        let mut led: Vec<(LinkIndex, TreeIndex)> = Vec::with_capacity(new.parts.parts.len());
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
            led.push((part.carrier, tree));
        }
        let links = new.parts.links.iter().map(|link| (self.system.root(led[link.part.0].1), link.pose));
        ReducedBody { links: links.collect(), led, ..ReducedBody::default() }
    }
}

/// How far the colliders of a rigid body reach from its origin, and their smallest extent, m.
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
