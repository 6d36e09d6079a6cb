//! Indices of links and joints of a body.

use std::fmt;

/// Index of a link in [`Body::links`](super::Body::links): depth-first, parents before children, the root first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize, bevy::prelude::Reflect))]
pub struct LinkIndex(pub usize);

impl LinkIndex {
    /// The root link.
    pub const ROOT: Self = Self(0);
}

impl From<usize> for LinkIndex {
    #[inline]
    fn from(index: usize) -> Self {
        Self(index)
    }
}

impl From<LinkIndex> for usize {
    #[inline]
    fn from(index: LinkIndex) -> Self {
        index.0
    }
}

/// Number of a joint in model files. If a body has the ID, it is also the index of the joint in joint vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub usize);

impl fmt::Display for JointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Index of a joint in joint vectors and motion files.
///
/// The joint IDs 0, 1, … up to the highest one come first, then the joints without an ID in link order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointIndex(pub usize);

impl From<usize> for JointIndex {
    #[inline]
    fn from(index: usize) -> Self {
        Self(index)
    }
}

impl From<JointIndex> for usize {
    #[inline]
    fn from(index: JointIndex) -> Self {
        index.0
    }
}

/// Meaning of an entry of joint vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointSlot {
    /// The joint between this link and its parent.
    Link(LinkIndex),
    /// A joint ID that no link has. Joint vectors still have an entry for it, with displacement 0.
    Unused,
}
