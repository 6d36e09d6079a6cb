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

    /// Distance of the two anchors along the directions that the joint holds, m. Motion along a piston's axis, a point's line or
    /// within its plane is no gap. `first` and `second` are the poses of the joint frame on either side, in one frame.
    pub fn gap(self, first: &Isometry3<f64>, second: &Isometry3<f64>) -> f64 {
        let apart = first.rotation.inverse() * (second.translation.vector - first.translation.vector);
        match self {
            Self::Fixed | Self::Ball | Self::Hinge { .. } => apart.norm(),
            Self::Piston { axis } | Self::PointOnLine { axis } => (apart - axis.into_inner() * axis.dot(&apart)).norm(),
            Self::PointOnPlane { axis } => axis.dot(&apart).abs(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_joint_holds_is_a_gap_whatever_its_axis() {
        let axis = Unit::new_normalize(Vector3::new(1.0, 2.0, -2.0));
        let turn = Vector3::new(0.4, -0.3, 0.8);
        let first = Isometry3::new(Vector3::new(3.0, -1.0, 2.0), turn);
        // 0.5 m along the axis, 0.02 m across it.
        let across = axis.cross(&Vector3::x()).normalize() * 0.02;
        let second = first * Isometry3::new(axis.into_inner() * 0.5 + across, Vector3::zeros());
        let gap = |kind: ExtraJointKind| kind.gap(&first, &second);
        assert!((gap(ExtraJointKind::Piston { axis }) - 0.02).abs() < 1e-12);
        assert!((gap(ExtraJointKind::PointOnLine { axis }) - 0.02).abs() < 1e-12);
        assert!((gap(ExtraJointKind::PointOnPlane { axis }) - 0.5).abs() < 1e-12);
        for kind in [ExtraJointKind::Fixed, ExtraJointKind::Ball, ExtraJointKind::Hinge { axis }] {
            assert!((gap(kind) - 0.5_f64.hypot(0.02)).abs() < 1e-12);
        }
    }
}
