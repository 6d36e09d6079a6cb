//! Links that cannot move against each other as rigid parts.

#![expect(clippy::indexing_slicing, reason = "indices are those of links and parts of one body")]

use nalgebra::Isometry3;
use typed_index_collections::TiVec;

use super::{Body, JointKind, LinkIndex, MassProperties};

/// Index of a rigid part of a body, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RigidPartIndex(pub usize);

impl RigidPartIndex {
    /// The part of the root link.
    pub const ROOT: Self = Self(0);
}

impl From<usize> for RigidPartIndex {
    #[inline]
    fn from(index: usize) -> Self {
        Self(index)
    }
}

impl From<RigidPartIndex> for usize {
    #[inline]
    fn from(index: RigidPartIndex) -> Self {
        index.0
    }
}

/// Links of a body that move as one. The frame of the part is that of its topmost link, the carrier.
#[derive(Clone, Debug)]
pub struct RigidPart {
    /// The topmost link.
    pub carrier: LinkIndex,
    /// The part that the joint of the carrier connects it to; `None` for the root and below a free joint.
    pub parent: Option<RigidPartIndex>,
    /// Pose of the carrier at zero displacement in the frame of the part of its parent link; of the root as in [`Link`](super::Link).
    pub offset: Isometry3<f64>,
    /// Mass properties of all its links, in the frame of the part.
    pub mass: MassProperties,
}

/// The part of a link, and the link's pose in the part's frame.
#[derive(Clone, Copy, Debug)]
pub struct PartOfLink {
    /// The part.
    pub part: RigidPartIndex,
    /// Pose of the link in the frame of the part.
    pub pose: Isometry3<f64>,
    /// Whether the link is the carrier of the part, so that `pose` is the identity.
    pub is_carrier: bool,
}

/// The rigid parts of a body, and the part of each link.
#[derive(Clone, Debug)]
pub struct RigidParts {
    /// Parents before children, in the order of their carriers.
    pub parts: TiVec<RigidPartIndex, RigidPart>,
    /// By link.
    pub links: TiVec<LinkIndex, PartOfLink>,
}

impl RigidParts {
    /// Parts that forces cannot move because nothing has a mass: neither they nor those below their joints. A
    /// free part needs a mass of its own.
    pub fn without_mass(&self) -> impl Iterator<Item = RigidPartIndex> + '_ {
        let mut has_mass: TiVec<RigidPartIndex, bool> = self.parts.iter().map(|part| part.mass.mass > 0.0).collect();
        for (index, part) in self.parts.iter_enumerated().rev() {
            if let Some(parent) = part.parent.filter(|_| has_mass[index]) {
                has_mass[parent] = true;
            }
        }
        let moves = move |(index, part): (RigidPartIndex, &RigidPart)| {
            let is_moved = if part.parent.is_some() { has_mass[index] } else { part.mass.mass > 0.0 };
            (!is_moved).then_some(index)
        };
        self.parts.iter_enumerated().filter_map(moves)
    }

    /// The part that a link belongs to.
    pub(crate) fn of_link(&self, link: LinkIndex) -> (RigidPartIndex, &RigidPart) {
        let part = self.links[link].part;
        (part, &self.parts[part])
    }

    /// Groups the links of a body: fixed joints and pseudo continuous tracks do not move.
    pub fn of(body: &Body) -> Self {
        let mut parts: TiVec<RigidPartIndex, RigidPart> = TiVec::new();
        let mut masses: TiVec<RigidPartIndex, Vec<MassProperties>> = TiVec::new();
        let mut links: TiVec<LinkIndex, PartOfLink> = TiVec::with_capacity(body.links().len());
        for (index, link) in body.indexed_links() {
            let kind = link.joint.kind;
            let of_parent = link.parent.map(|parent| links[parent]);
            let offset = of_parent.map_or(link.offset, |parent| parent.pose * link.offset);
            let of_link = match of_parent {
                Some(parent) if matches!(kind, JointKind::Fixed | JointKind::PseudoContinuousTrack) => {
                    PartOfLink { part: parent.part, pose: offset, is_carrier: false }
                }
                _ => {
                    let parent = of_parent.filter(|_| kind != JointKind::Free).map(|parent| parent.part);
                    masses.push(Vec::new());
                    let part = parts.push_and_get_key(RigidPart {
                        carrier: index,
                        parent,
                        offset,
                        mass: MassProperties::ZERO,
                    });
                    PartOfLink { part, pose: Isometry3::identity(), is_carrier: true }
                }
            };
            masses[of_link.part].push(link.mass.transformed(&of_link.pose));
            links.push(of_link);
        }
        for (part, masses) in parts.iter_mut().zip(&masses) {
            part.mass = MassProperties::combine(masses);
        }
        Self { parts, links }
    }
}
