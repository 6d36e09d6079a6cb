//! Indices, each of a list of its own.

/// Index of a rigid part of a body, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RigidPartIndex(pub usize);

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
