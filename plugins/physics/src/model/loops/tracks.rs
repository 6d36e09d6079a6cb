//! Continuous tracks: chains of links that end where they begin.

use std::borrow::Cow;

use bunraku_body::{Body, ExtraJoint, ExtraJointKind, JointKind, LinkIndex};
use nalgebra::{Isometry3, Unit, UnitQuaternion};

use super::rows::top_of_system;

/// A ring has at least this many links; two would be a plate.
const FEWEST: usize = 3;

/// The hinges that close the continuous tracks of a body, in the order of the tracks: each joins the last link, one joint
/// offset from its origin, with the origin of the first, about the axis of the track's joints.
///
/// They are not among the body's [`extra_joints`](Body::extra_joints), which are those of the file. A chain that branches,
/// ends or turns into another kind of joint before it has three links is no track.
pub fn track_closures(body: &Body) -> Vec<ExtraJoint> {
    let mut children = vec![Children::None; body.links().len()];
    for (index, link) in body.indexed_links() {
        if let Some(children) = link.parent.and_then(|parent| children.get_mut(parent.0)) {
            *children = if matches!(children, Children::None) { Children::One(index) } else { Children::Many };
        }
    }
    let next = |link: LinkIndex| match children.get(link.0) {
        Some(Children::One(child)) if body.link(*child).joint.kind == JointKind::Revolute => Some(*child),
        _ => None,
    };
    let closures = body.indexed_links().filter(|(_, link)| link.begins_continuous_track()).filter_map(|(first, _)| {
        // Parents come before their children, so the chain ends.
        let chain: Vec<_> = std::iter::successors(Some(first), |link| next(*link)).collect();
        let (&[_, second, ..], Some(&last)) = (chain.as_slice(), chain.last()) else { return None };
        if chain.len() < FEWEST {
            return None;
        }
        let second = body.link(second);
        let axis = Unit::try_new(second.joint.axis, 0.0)?;
        let frames =
            [Isometry3::from_parts(second.offset.translation, UnitQuaternion::identity()), Isometry3::identity()];
        Some(ExtraJoint { kind: ExtraJointKind::Hinge { axis }, links: [last, first], frames })
    });
    closures.collect()
}

#[derive(Clone, Copy)]
enum Children {
    None,
    One(LinkIndex),
    Many,
}

/// Whether a link is one of a continuous track, or a descendant of one.
pub(super) fn is_on_track(body: &Body, link: LinkIndex) -> bool {
    body.link(top_of_system(body, link)).begins_continuous_track()
}

/// The body with the hinges of its tracks after its own extra joints.
pub(super) fn with_tracks_closed(body: &Body) -> Cow<'_, Body> {
    let closures = track_closures(body);
    if closures.is_empty() {
        return Cow::Borrowed(body);
    }
    let mut body = body.clone();
    body.extra_joints.extend(closures);
    Cow::Owned(body)
}

#[cfg(test)]
mod tests {
    use bunraku_body::LoadOptions;
    use bunraku_document::{Reporter, SourceFile};

    use super::*;

    fn body(track: &str) -> Body {
        let text = format!(
            "format: ChoreonoidBody\nformat_version: 2.0\nname: Thing\nlinks:\n  - {{ name: BASE, joint_type: free }}\n{track}"
        );
        let reporter = Reporter::strict();
        let body = bunraku_body::read(&SourceFile::from_text("thing.body", text), &LoadOptions::default(), &reporter);
        body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics()))
    }

    #[test]
    fn a_track_ends_where_it_begins() {
        let body = body(
            "  - { type: ContinuousTrack, name: L, parent: BASE, numJoints: 6, joint_offset: [ 0.2, 0, 0 ], joint_axis: Y }\n  - { type: \
             ContinuousTrack, name: R, parent: BASE, numJoints: 3, joint_offset: [ 0, 0, 0.1 ], joint_axis: X }\n",
        );
        let closures = track_closures(&body);
        assert_eq!(closures.len(), 2);
        let names = |closure: &ExtraJoint| closure.links.map(|link| body.link(link).name.clone());
        assert_eq!(closures.iter().map(names).collect::<Vec<_>>(), [["L5", "L0"], ["R2", "R0"]]);
        assert_eq!(closures[0].frames, [Isometry3::translation(0.2, 0.0, 0.0), Isometry3::identity()]);
        assert_eq!(closures[1].kind.axis(), Some(nalgebra::Vector3::x_axis()));
    }

    #[test]
    fn other_chains_stay_open() {
        let chain = "  - { name: A, parent: BASE, joint_type: free }\n  - { name: B, parent: A, joint_type: revolute, joint_id: 0 }\n  - { \
                     name: C, parent: B, joint_type: revolute, joint_id: 1 }\n";
        assert_eq!(track_closures(&body(chain)), []);
        let marked = chain.replace("joint_type: free", "joint_type: free, isContinuousTrack: true");
        assert_eq!(track_closures(&body(&marked)).len(), 1);
        assert_eq!(track_closures(&body(&marked.replace("parent: B,", "parent: A,"))), []);
    }
}
