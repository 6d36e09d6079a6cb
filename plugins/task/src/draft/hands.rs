//! Hands of a body: links with fingers.

#![expect(clippy::indexing_slicing, reason = "indices are those of links and joints of one body")]

use bunraku_body::kinematics::link_poses;
use bunraku_body::{Body, JointIndex, JointSlot, LinkIndex};
use nalgebra::Isometry3;

/// A link that carries fingers.
pub(super) struct Hand {
    pub(super) link: LinkIndex,
    /// The links of each finger, and of each part of its mechanism that has a joint of its own to the hand.
    pub(super) fingers: Vec<Vec<LinkIndex>>,
    /// Joints of the fingers that do not follow others.
    pub(super) joints: Vec<JointIndex>,
    /// The link itself, and those that are fixed to it.
    pub(super) palm: Vec<LinkIndex>,
}

/// Most links, most joints, and greatest length in m, of what counts as a finger.
const FINGER_LINKS: usize = 16;
const FINGER_JOINTS: usize = 4;
const FINGER_LENGTH: f64 = 0.3;
/// Fewest joints of an arm.
const ARM_JOINTS: usize = 3;

/// The links of a body from the root to its ends.
struct Tree<'b> {
    body: &'b Body,
    poses: Vec<Isometry3<f64>>,
    children: Vec<Vec<LinkIndex>>,
    /// The joint that moves each link.
    joints: Vec<Option<JointIndex>>,
    /// Number of joints between the root and each link.
    depths: Vec<usize>,
    /// Whether a joint follows another.
    follows: Vec<bool>,
}

/// All hands of a body.
pub(super) fn find(body: &Body) -> Vec<Hand> {
    let tree = Tree::new(body);
    body.indexed_links().filter_map(|(link, _)| tree.hand(link)).collect()
}

impl<'b> Tree<'b> {
    fn new(body: &'b Body) -> Self {
        let count = body.links().len();
        let mut joints = vec![None; count];
        for (joint, slot) in body.indexed_joints() {
            if let JointSlot::Link(link) = slot {
                joints[link.0] = Some(joint);
            }
        }
        let (mut children, mut depths) = (vec![Vec::new(); count], vec![0; count]);
        // Parents come before their children.
        for (index, link) in body.indexed_links() {
            let above = link.parent.map_or(0, |parent| {
                children[parent.0].push(index);
                depths[parent.0]
            });
            depths[index.0] = above + usize::from(joints[index.0].is_some());
        }
        let mut follows = vec![false; body.num_joints()];
        for JointIndex(joint) in body.joint_couplings().iter().filter_map(|coupling| joints[coupling.follower.0]) {
            follows[joint] = true;
        }
        let poses = link_poses(body, &Isometry3::identity(), &body.initial_displacements());
        Self { body, poses, children, joints, depths, follows }
    }

    /// The hand that a link is, if it is one.
    fn hand(&self, link: LinkIndex) -> Option<Hand> {
        if self.depths[link.0] < ARM_JOINTS || self.children[link.0].len() < 2 {
            return None;
        }
        let (mut fingers, mut joints, mut palm) = (Vec::new(), Vec::new(), vec![link]);
        for base in &self.children[link.0] {
            let links = self.below(*base)?;
            let moved: Vec<JointIndex> = links.iter().filter_map(|link| self.joints[link.0]).collect();
            if moved.is_empty() {
                palm.extend(links);
                continue;
            }
            let distance =
                |of: &LinkIndex| (self.poses[of.0].translation.vector - self.poses[link.0].translation.vector).norm();
            let is_finger = self.joints[base.0].is_some()
                && moved.len() <= FINGER_JOINTS
                && links.iter().map(distance).fold(0.0, f64::max) <= FINGER_LENGTH
                && moved.iter().all(|joint| self.has_range(*joint));
            if !is_finger {
                return None;
            }
            fingers.push(links);
            joints.extend(moved);
        }
        joints.retain(|joint| !self.follows[joint.0]);
        (fingers.len() >= 2).then_some(Hand { link, fingers, joints, palm })
    }

    /// A link and all below it; `None` if these are more than a finger has.
    fn below(&self, base: LinkIndex) -> Option<Vec<LinkIndex>> {
        let mut links = vec![base];
        let mut next = 0;
        while let Some(link) = links.get(next).copied() {
            links.extend(&self.children[link.0]);
            if links.len() > FINGER_LINKS {
                return None;
            }
            next += 1;
        }
        Some(links)
    }

    fn has_range(&self, joint: JointIndex) -> bool {
        self.body.joint(joint).is_some_and(|joint| {
            let range = joint.displacement_range;
            range.lower.is_finite() && range.upper.is_finite() && range.lower < range.upper
        })
    }
}
