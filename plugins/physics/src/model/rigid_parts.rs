//! Links that cannot move against each other as one rigid body.

use bunraku_body::{Body, JointKind, LinkIndex, MassProperties};
use nalgebra::Isometry3;
use typed_index_collections::TiVec;

use super::index::RigidPartIndex;

/// Links of a body that move as one. Its frame is that of the topmost of them, the carrier.
#[derive(Clone, Debug)]
pub(crate) struct RigidPart {
    /// The topmost link.
    pub carrier: LinkIndex,
    /// Mass properties of all its links together, in the part's frame.
    pub mass: MassProperties,
}

/// The part of a link, and the link's pose in the part's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartOfLink {
    pub part: RigidPartIndex,
    pub pose: Isometry3<f64>,
    /// Whether this link is the carrier of the part, whose `pose` is the identity.
    pub is_carrier: bool,
}

/// The rigid parts of a body, parents before children, and for each link the part it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct RigidParts {
    pub parts: TiVec<RigidPartIndex, RigidPart>,
    pub links: TiVec<LinkIndex, PartOfLink>,
}

impl RigidParts {
    pub fn of(body: &Body) -> Self {
        let mut carriers: Vec<LinkIndex> = Vec::new();
        let mut masses: TiVec<RigidPartIndex, Vec<MassProperties>> = TiVec::new();
        let mut links: TiVec<LinkIndex, PartOfLink> = TiVec::with_capacity(body.links().len());
        for (index, link) in body.indexed_links() {
            let of_part = match link.parent {
                Some(parent) if moves_with_parent(link.joint.kind) => {
                    let parent = links[parent];
                    PartOfLink { part: parent.part, pose: parent.pose * link.offset, is_carrier: false }
                }
                _ => {
                    carriers.push(index);
                    masses.push(Vec::new());
                    PartOfLink {
                        part: RigidPartIndex(carriers.len() - 1),
                        pose: Isometry3::identity(),
                        is_carrier: true,
                    }
                }
            };
            masses[of_part.part].push(link.mass.transformed(&of_part.pose));
            links.push(of_part);
        }
        let parts = carriers.into_iter().zip(&masses);
        Self {
            parts: parts
                .map(|(carrier, masses)| RigidPart { carrier, mass: MassProperties::combine(masses) })
                .collect(),
            links,
        }
    }
}

/// Dynamic links whose rigid part has no mass.
pub fn massless_links(body: &Body) -> Vec<LinkIndex> {
    let parts = RigidParts::of(body).parts;
    let skipped = usize::from(body.is_fixed());
    parts.iter().skip(skipped).filter(|part| part.mass.mass <= 0.0).map(|part| part.carrier).collect()
}

fn moves_with_parent(kind: JointKind) -> bool {
    match kind {
        JointKind::Fixed | JointKind::PseudoContinuousTrack => true,
        JointKind::Free | JointKind::Revolute | JointKind::Prismatic => false,
    }
}
