//! Rows of extra joints between bodies that hold something.

use std::collections::BTreeMap;

use bunraku_body::{Body, BodyState, Drive, ExtraJoint, ExtraJointForm, JointKind, LinkIndex, Placed};
use nalgebra::Isometry3;

use crate::model::extra_joint::{ExtraJointBetween, JointEnd};
use crate::model::loops::geometry::axis_frames;
use crate::model::loops::rows::{Fit, fits as fits_of, is_within_system};
use crate::model::loops::tracks::is_on_track;

/// A body that extra joints may join, as it starts.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    /// Its model.
    pub body: &'a Body,
    /// Where it is.
    pub state: &'a BodyState,
    /// Source of its motion.
    pub drive: Drive,
    /// Whether its root follows given poses, see [`KinematicRoot`](crate::KinematicRoot).
    pub is_root_kinematic: bool,
}

/// Support of an end of an extra joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Support {
    /// Nothing.
    Ground,
    /// A motion.
    Kinematic,
    /// Joints between it and a fixed root.
    Tree,
    /// A free part is among its ancestors: every direction.
    Floating,
}

impl Support {
    /// Of an end; that of the world is the ground.
    pub fn of(end: JointEnd<usize>, parties: &[Party<'_>]) -> Self {
        let JointEnd::Link { body, link } = end else { return Self::Ground };
        let Some(party) = parties.get(body) else { return Self::Ground };
        match party.drive {
            Drive::Static => return Self::Ground,
            Drive::Motion => return Self::Kinematic,
            Drive::Physics => {}
        }
        if !party.body.is_fixed() || party.is_root_kinematic {
            return Self::Floating;
        }
        let mut support = Self::Ground;
        let Some(mut link) = party.body.links().get(link.0) else { return support };
        while let Some(parent) = link.parent {
            match link.joint.kind {
                JointKind::Free => return Self::Floating,
                JointKind::Revolute | JointKind::Prismatic => support = Self::Tree,
                JointKind::Fixed | JointKind::PseudoContinuousTrack => {}
            }
            link = party.body.link(parent);
        }
        support
    }

    /// Whether forces can move it.
    pub fn yields(self) -> bool {
        matches!(self, Self::Tree | Self::Floating)
    }
}

/// Constraints of all joints, in their order.
pub(super) fn fits(parties: &[Party<'_>], joints: &[ExtraJointBetween<usize>]) -> Vec<Fit> {
    let supports: Vec<_> = joints.iter().map(|joint| joint.ends.map(|end| Support::of(end, parties))).collect();
    let is_judged = |supports: &[Support; 2]| {
        supports.contains(&Support::Tree)
            && supports.iter().all(|support| matches!(support, Support::Tree | Support::Ground))
    };
    let mut fits: Vec<_> = joints.iter().map(|joint| as_it_is(joint, parties)).collect();
    let judged: Vec<usize> = (0..joints.len()).filter(|joint| is_judged(&supports[*joint])).collect();
    for group in tied_together(&judged, joints, &supports, parties.len()) {
        judge(&group, joints, &supports, parties, &mut fits);
    }
    for (number, party) in parties.iter().enumerate() {
        judge_within(number, party, joints, &supports, &mut fits);
    }
    fits
}

/// Judges joints that close loops of one body that floats, as its own extra joints are.
fn judge_within(
    number: usize,
    party: &Party<'_>,
    joints: &[ExtraJointBetween<usize>],
    supports: &[[Support; 2]],
    fits: &mut [Fit],
) {
    let mut within = Vec::new();
    for (joint, ExtraJointBetween { form, ends }) in joints.iter().enumerate() {
        if let [JointEnd::Link { body: first, link: one }, JointEnd::Link { body: second, link: other }] = *ends
            && (first, second) == (number, number)
            && supports[joint] == [Support::Floating; 2]
            && is_within_system(party.body, [one, other])
            && !is_on_track(party.body, one)
        {
            within.push((joint, ExtraJoint { kind: form.kind, links: [one, other], frames: form.frames }));
        }
    }
    if within.is_empty() {
        return;
    }
    let mut whole = party.body.clone();
    let own = whole.extra_joints.len();
    whole.extra_joints.extend(within.iter().map(|(_, extra)| *extra));
    let displacements = &party.state.displacements;
    for ((joint, _), fit) in within.iter().zip(&fits_of(&whole, displacements)[own..]) {
        fits[*joint] = *fit;
    }
}

/// All rows.
fn as_it_is(joint: &ExtraJointBetween<usize>, parties: &[Party<'_>]) -> Fit {
    let ExtraJointForm { kind, frames } = joint.form;
    let frames = axis_frames(&ExtraJoint { kind, links: [LinkIndex::ROOT; 2], frames });
    Fit::all(kind, &[0, 1].map(|end| link_pose(joint.ends[end], parties) * frames[end]))
}

fn link_pose(end: JointEnd<usize>, parties: &[Party<'_>]) -> Isometry3<f64> {
    match end {
        JointEnd::World => Isometry3::identity(),
        JointEnd::Link { body, link } => {
            let pose = parties.get(body).and_then(|party| party.state.link_poses.get(link.0));
            pose.copied().unwrap_or_else(Isometry3::identity)
        }
    }
}

/// The bodies whose joints move an end.
fn trees<'a>(joint: &'a ExtraJointBetween<usize>, supports: &'a [Support; 2]) -> impl Iterator<Item = usize> + 'a {
    joint.ends.iter().zip(supports).filter_map(|(end, support)| match end {
        JointEnd::Link { body, .. } if *support == Support::Tree => Some(*body),
        _ => None,
    })
}

/// Joints in groups that have no body in common.
fn tied_together(
    judged: &[usize],
    joints: &[ExtraJointBetween<usize>],
    supports: &[[Support; 2]],
    num_parties: usize,
) -> Vec<Vec<usize>> {
    let mut group_of: Vec<usize> = (0..num_parties).collect();
    fn top(group_of: &mut [usize], mut body: usize) -> usize {
        while group_of[body] != body {
            group_of[body] = group_of[group_of[body]];
            body = group_of[body];
        }
        body
    }
    for &joint in judged {
        let mut bodies = trees(&joints[joint], &supports[joint]);
        if let (Some(first), Some(second)) = (bodies.next(), bodies.next()) {
            let (first, second) = (top(&mut group_of, first), top(&mut group_of, second));
            group_of[first.max(second)] = first.min(second);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &joint in judged {
        if let Some(body) = trees(&joints[joint], &supports[joint]).next() {
            groups.entry(top(&mut group_of, body)).or_default().push(joint);
        }
    }
    groups.into_values().collect()
}

/// Judges joints over all the trees that they tie together, with the loops that these have themselves.
fn judge(
    group: &[usize],
    joints: &[ExtraJointBetween<usize>],
    supports: &[[Support; 2]],
    parties: &[Party<'_>],
    fits: &mut [Fit],
) {
    let mut bodies: Vec<usize> = group.iter().flat_map(|&joint| trees(&joints[joint], &supports[joint])).collect();
    bodies.sort_unstable();
    bodies.dedup();
    let placed: Vec<_> = bodies
        .iter()
        .map(|&body| Placed { body: parties[body].body, link_poses: &parties[body].state.link_poses })
        .collect();
    let mut whole = Body::side_by_side(&placed);
    let mut displacements = Vec::with_capacity(whole.num_joints());
    let mut first_links = Vec::with_capacity(bodies.len());
    let mut next = 1;
    for &body in &bodies {
        first_links.push(next);
        next += parties[body].body.links().len();
        let known = &parties[body].state.displacements;
        displacements
            .extend((0..parties[body].body.num_joints()).map(|joint| known.get(joint).copied().unwrap_or(0.0)));
    }
    let own = whole.extra_joints.len();
    for &joint in group {
        let ExtraJointBetween { form: ExtraJointForm { kind, mut frames }, ends } = joints[joint];
        let mut links = [LinkIndex::ROOT; 2];
        for end in 0..2 {
            match ends[end] {
                JointEnd::Link { body, link } if supports[joint][end] == Support::Tree => {
                    let first = bodies.binary_search(&body).map_or(0, |index| first_links[index]);
                    links[end] = LinkIndex(first + link.0);
                }
                ground => frames[end] = link_pose(ground, parties) * frames[end],
            }
        }
        whole.extra_joints.push(ExtraJoint { kind, links, frames });
    }
    for (&joint, fit) in group.iter().zip(&fits_of(&whole, &displacements)[own..]) {
        fits[joint] = *fit;
    }
}
