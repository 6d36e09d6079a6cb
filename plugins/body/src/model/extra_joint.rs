use nalgebra::{Isometry3, Unit, Vector3};

use super::LinkIndex;

/// What an extra joint holds together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExtraJointKind {
    /// All six directions.
    Fixed,
    /// The two anchors coincide; turning is free.
    Ball,
    /// The two anchors and the two axes coincide; turning about the axis is free.
    Hinge {
        /// The axis, in the joint frame of either link.
        axis: Unit<Vector3<f64>>,
    },
    /// The second anchor stays on the line through the first along the axis; turning about the axis is free.
    Piston {
        /// The axis, in the joint frame of either link.
        axis: Unit<Vector3<f64>>,
    },
    /// The second anchor stays on the line through the first along the axis; turning is free (OpenHRP's `xy`).
    PointOnLine {
        /// The line's direction, in the joint frame of the first link.
        axis: Unit<Vector3<f64>>,
    },
    /// The second anchor stays on the plane through the first across the axis; turning is free (OpenHRP's `z`).
    PointOnPlane {
        /// The plane's normal, in the joint frame of the first link.
        axis: Unit<Vector3<f64>>,
    },
}

impl ExtraJointKind {
    /// The word used in model files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Ball => "ball",
            Self::Hinge { .. } => "hinge",
            Self::Piston { .. } => "piston",
            Self::PointOnLine { .. } => "point_on_line",
            Self::PointOnPlane { .. } => "point_on_plane",
        }
    }

    /// How many of the six directions it holds.
    pub fn num_held(self) -> usize {
        match self {
            Self::Fixed => 6,
            Self::Hinge { .. } => 5,
            Self::Piston { .. } => 4,
            Self::Ball => 3,
            Self::PointOnLine { .. } => 2,
            Self::PointOnPlane { .. } => 1,
        }
    }

    /// The axis of a hinge or piston, the line or the normal that a point is held by.
    pub fn axis(self) -> Option<Unit<Vector3<f64>>> {
        match self {
            Self::Fixed | Self::Ball => None,
            Self::Hinge { axis } | Self::Piston { axis } | Self::PointOnLine { axis } | Self::PointOnPlane { axis } => {
                Some(axis)
            }
        }
    }
}

/// Most directions that extra joints which belong together may hold: they are solved by a dense matrix with a row and a column for each,
/// which has 128 MiB then. A ball holds 3, a fixed joint 6.
pub const MOST_HELD: usize = 4096;

/// A connection of two links beyond the tree: it closes a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtraJoint {
    /// What it holds together.
    pub kind: ExtraJointKind,
    /// The two links.
    pub links: [LinkIndex; 2],
    /// The joint frame in each link's frame; its origin is the anchor.
    pub frames: [Isometry3<f64>; 2],
}
