//! Combination of several bodies into one.

use nalgebra::Isometry3;

use super::{Body, ExtraJoint, Joint, JointCoupling, JointKind, JointSlot, Link, LinkIndex};

/// A body with its pose.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The body.
    pub body: &'a Body,
    /// World poses of the links.
    pub link_poses: &'a [Isometry3<f64>],
}

impl Body {
    /// Combines the links and joints of several bodies into one body, for the analysis of mechanisms that they form
    /// together.
    ///
    /// Its root is the world: link 0, at the origin, fixed. The links of the first body follow, then those of the
    /// second, and so on: link `i` of a body has the index `1 + i` plus the number of links of the bodies before it.
    /// Joint vectors are concatenated likewise. Extra joints and couplings of joints are kept; shapes, devices and info keys are not.
    pub fn side_by_side(bodies: &[Placed<'_>]) -> Self {
        let format = bodies.first().map_or(super::ModelFormat::ChoreonoidBody, |placed| placed.body.format);
        let mut whole = Self::of_links("World".to_owned(), format, vec![world()]);
        for Placed { body, link_poses } in bodies {
            let first = whole.links.len();
            let shifted = |link: LinkIndex| LinkIndex(first + link.0);
            for (index, link) in body.indexed_links() {
                let mut offset = link.offset;
                let mut joint = link.joint.clone();
                joint.id = None;
                if link.parent.is_none() {
                    joint.kind = if body.is_fixed() { JointKind::Fixed } else { JointKind::Free };
                }
                let pose = link_poses.get(index.0).copied();
                let parent = link.parent.and_then(|parent| link_poses.get(parent.0)).copied();
                if let (false, Some(pose)) = (joint.kind.has_displacement(), pose) {
                    // The offset of a free joint is arbitrary.
                    offset = parent.unwrap_or_else(Isometry3::identity).inverse() * pose;
                }
                let parent = link.parent.map_or(LinkIndex::ROOT, shifted);
                whole.links.push(Link { mass: link.mass, ..Link::new(link.name.clone(), Some(parent), offset, joint) });
            }
            whole.joints.extend(body.joints.iter().map(|slot| match *slot {
                JointSlot::Link(link) if link != LinkIndex::ROOT => JointSlot::Link(shifted(link)),
                JointSlot::Link(_) | JointSlot::Unused => JointSlot::Unused,
            }));
            let loops = body.extra_joints.iter();
            whole.extra_joints.extend(loops.map(|extra| ExtraJoint { links: extra.links.map(shifted), ..*extra }));
            let couplings = body.joint_couplings.iter();
            whole.joint_couplings.extend(couplings.map(|coupling| JointCoupling {
                follower: shifted(coupling.follower),
                leader: shifted(coupling.leader),
                ..*coupling
            }));
        }
        whole
    }
}

fn world() -> Link {
    // A fixed joint.
    Link::new("WORLD".to_owned(), None, Isometry3::identity(), Joint::default())
}
