use nalgebra::{Isometry3, Unit, Vector3};

use super::LinkIndex;

/// Constraint of an extra joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExtraJointKind {
    /// All six degrees of freedom are constrained.
    Fixed,
    /// The two anchors coincide; rotation is free.
    Ball,
    /// The two anchors and the two axes coincide; rotation about the axis is free.
    Hinge {
        /// The axis, in the joint frame of either link.
        axis: Unit<Vector3<f64>>,
    },
    /// The second anchor stays on the line through the first along the axis; rotation about the axis is free.
    Piston {
        /// The axis, in the joint frame of either link.
        axis: Unit<Vector3<f64>>,
    },
    /// The second anchor stays on the line through the first along the axis; rotation is free (OpenHRP's `xy`).
    PointOnLine {
        /// Direction of the line, in the joint frame of the first link.
        axis: Unit<Vector3<f64>>,
    },
    /// The second anchor stays on the plane through the first perpendicular to the axis; rotation is free (OpenHRP's
    /// `z`).
    PointOnPlane {
        /// Normal of the plane, in the joint frame of the first link.
        axis: Unit<Vector3<f64>>,
    },
}

impl ExtraJointKind {
    /// Name in model files.
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

    /// Distance of the two anchors along the constrained directions, m. Motion along a piston's axis or a point's line,
    /// or within its plane, is not included. `first` and `second` are the poses of the joint frame on either side, in
    /// one frame.
    pub fn gap(self, first: &Isometry3<f64>, second: &Isometry3<f64>) -> f64 {
        let apart = first.rotation.inverse() * (second.translation.vector - first.translation.vector);
        match self {
            Self::Fixed | Self::Ball | Self::Hinge { .. } => apart.norm(),
            Self::Piston { axis } | Self::PointOnLine { axis } => (apart - axis.into_inner() * axis.dot(&apart)).norm(),
            Self::PointOnPlane { axis } => axis.dot(&apart).abs(),
        }
    }

    /// Number of constrained degrees of freedom.
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

    /// Axis of a hinge or piston, direction of the line or normal of the plane.
    pub fn axis(self) -> Option<Unit<Vector3<f64>>> {
        match self {
            Self::Fixed | Self::Ball => None,
            Self::Hinge { axis } | Self::Piston { axis } | Self::PointOnLine { axis } | Self::PointOnPlane { axis } => {
                Some(axis)
            }
        }
    }
}

/// Maximum number of directions that coupled extra joints may constrain. They are solved by a dense matrix with one row
/// and column for each direction, which then takes 128 MiB. A ball constrains 3, a fixed joint 6.
pub const MOST_HELD: usize = 4096;

/// A connection of two links that is not part of the tree and closes a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtraJoint {
    /// Constraint.
    pub kind: ExtraJointKind,
    /// The two links.
    pub links: [LinkIndex; 2],
    /// Joint frame in each link's frame; its origin is the anchor.
    pub frames: [Isometry3<f64>; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_includes_only_constrained_directions() {
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
