//! Hands of a body: links with fingers.

use bunraku_body::kinematics::link_poses;
use bunraku_body::{Body, JointIndex, LinkIndex};

/// A link that carries fingers.
pub(super) struct Hand {
    pub(super) link: LinkIndex,
    /// The links of each finger, and of each part of its mechanism that has a joint of its own to the hand.
    pub(super) fingers: Vec<Vec<LinkIndex>>,
    /// Joints of the fingers that do not follow others.
    pub(super) joints: Vec<JointIndex>,
}

/// Most joints, and greatest length in m, of what counts as a finger.
const FINGER_JOINTS: usize = 4;
const FINGER_LENGTH: f64 = 0.3;
/// Fewest joints of an arm.
const ARM_JOINTS: usize = 3;

/// All hands of a body.
pub(super) fn find(body: &Body) -> Vec<Hand> {
    let poses = link_poses(body, &nalgebra::Isometry3::identity(), &body.initial_displacements());
    body.indexed_links().filter_map(|(link, _)| hand(body, link, &poses)).collect()
}

fn hand(body: &Body, link: LinkIndex, poses: &[nalgebra::Isometry3<f64>]) -> Option<Hand> {
    let ancestors = std::iter::successors(Some(link), |link| body.link(*link).parent);
    let arm_joints = ancestors.filter(|link| body.joint_of(*link).is_some()).count();
    if arm_joints < ARM_JOINTS {
        return None;
    }
    let mut fingers = Vec::new();
    let mut joints = Vec::new();
    for (base, _) in body.indexed_links().filter(|(_, child)| child.parent == Some(link)) {
        let links = below(body, base);
        let moved: Vec<JointIndex> = links.iter().filter_map(|link| body.joint_of(*link)).collect();
        if moved.is_empty() {
            continue;
        }
        let length = links.iter().map(|of| (poses[of.0].translation.vector - poses[link.0].translation.vector).norm());
        let is_finger = body.joint_of(base).is_some()
            && moved.len() <= FINGER_JOINTS
            && length.fold(0.0, f64::max) <= FINGER_LENGTH
            && moved.iter().all(|joint| has_range(body, *joint));
        if !is_finger {
            return None;
        }
        fingers.push(links);
        joints.extend(moved);
    }
    let follows = |joint: &JointIndex| {
        body.joint_couplings().iter().any(|coupling| body.joint_of(coupling.follower) == Some(*joint))
    };
    joints.retain(|joint| !follows(joint));
    (fingers.len() >= 2).then_some(Hand { link, fingers, joints })
}

/// A link and all below it.
fn below(body: &Body, base: LinkIndex) -> Vec<LinkIndex> {
    let mut links = vec![base];
    // Parents come before their children.
    for (index, link) in body.indexed_links() {
        if link.parent.is_some_and(|parent| links.contains(&parent)) {
            links.push(index);
        }
    }
    links
}

fn has_range(body: &Body, joint: JointIndex) -> bool {
    body.joint(joint).is_some_and(|joint| {
        let range = joint.displacement_range;
        range.lower.is_finite() && range.upper.is_finite() && range.lower < range.upper
    })
}
