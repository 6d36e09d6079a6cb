//! Role of a sequence for a body, and the type of its frames.

/// Role of a component for a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentRole {
    /// World poses of the links.
    LinkPositions,
    /// Displacements of the joints.
    JointDisplacements,
    /// Zero moment point, m.
    Zmp {
        /// Whether it is in the frame of the root link; otherwise in the world frame.
        root_relative: bool,
    },
    /// Unknown role.
    Other,
}

/// Type of the frames of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// Numbers (`f64`).
    Values,
    /// Poses ([`Isometry3`](nalgebra::Isometry3)).
    Poses,
    /// One [`Vector3`](nalgebra::Vector3) for each frame.
    Vectors,
}
