//! What a sequence is to a body, and what its frames are made of.

/// What a component is to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentRole {
    /// World poses of its links.
    LinkPositions,
    /// Displacements of its joints.
    JointDisplacements,
    /// Its zero moment point, m.
    Zmp {
        /// Whether in the frame of the root link; else in the world frame.
        root_relative: bool,
    },
    /// Nothing that is known.
    Other,
}

/// What the frames of a component are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// Numbers (`f64`).
    Values,
    /// Poses ([`Isometry3`](nalgebra::Isometry3)).
    Poses,
    /// One [`Vector3`](nalgebra::Vector3) a frame.
    Vectors,
}
