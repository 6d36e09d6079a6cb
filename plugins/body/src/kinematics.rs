//! Forward kinematics: poses of the links.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::{Body, Joint, JointKind, JointSlot, LinkIndex};

/// Pose of a link frame relative to its zero position for a joint displacement (rad or m).
pub fn joint_motion(joint: &Joint, displacement: f64) -> Isometry3<f64> {
    match joint.kind {
        JointKind::Revolute => {
            let axis = Unit::try_new(joint.axis, 0.0).unwrap_or_else(Vector3::z_axis);
            Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&axis, displacement))
        }
        JointKind::Prismatic => Isometry3::from_parts((joint.axis * displacement).into(), UnitQuaternion::identity()),
        JointKind::Fixed | JointKind::Free | JointKind::PseudoContinuousTrack => Isometry3::identity(),
    }
}

/// World poses of all link frames for a root pose and joint displacements (rad or m, in joint order; missing ones count
/// as 0). Free joints below the root are at their offset.
pub fn link_poses(body: &Body, root: &Isometry3<f64>, displacements: &[f64]) -> Vec<Isometry3<f64>> {
    let mut poses = Vec::with_capacity(body.links().len());
    update_link_poses(body, root, displacements, &mut poses);
    poses
}

/// As [`link_poses`], into an existing buffer.
#[expect(clippy::indexing_slicing, reason = "the buffer is resized to a pose for each link")]
pub fn update_link_poses(body: &Body, root: &Isometry3<f64>, displacements: &[f64], poses: &mut Vec<Isometry3<f64>>) {
    poses.clear();
    poses.resize(body.links().len(), Isometry3::identity());
    for (slot, &displacement) in body.joints().iter().zip(displacements) {
        if let JointSlot::Link(link) = *slot {
            poses[link.0] = joint_motion(&body.link(link).joint, displacement);
        }
    }
    // Parents precede their children, so one pass is enough.
    for (LinkIndex(index), link) in body.indexed_links() {
        poses[index] = match link.parent {
            None => *root,
            Some(parent) => poses[parent.0] * link.offset * poses[index],
        };
    }
}

/// Displacement of a joint (rad or m), measured from the poses of the link and its parent.
///
/// For a revolute joint the angle is within ±π; see [`unwrap_angle`]. 0 for a joint without displacement.
pub fn measured_displacement(link: &crate::Link, parent_pose: &Isometry3<f64>, link_pose: &Isometry3<f64>) -> f64 {
    match link.joint.kind {
        JointKind::Revolute => {
            let axis = link.joint.axis.try_normalize(0.0).unwrap_or_else(Vector3::z);
            let rotation = (parent_pose.rotation * link.offset.rotation).inverse() * link_pose.rotation;
            // Rotation about the axis only (swing-twist decomposition): exact also when the joint is not perfectly
            // aligned.
            wrap_angle(2.0 * libm::atan2(rotation.imag().dot(&axis), rotation.w))
        }
        JointKind::Prismatic => {
            let motion = (parent_pose * link.offset).inverse() * link_pose;
            motion.translation.vector.dot(&link.joint.axis) / link.joint.axis.norm_squared()
        }
        JointKind::Fixed | JointKind::Free | JointKind::PseudoContinuousTrack => 0.0,
    }
}

/// The angle nearest to `previous` that differs from `angle` by whole turns, so that turns of a joint are counted.
#[inline]
pub fn unwrap_angle(angle: f64, previous: f64) -> f64 {
    previous + wrap_angle(angle - previous)
}

/// The equivalent angle within ±π.
#[inline]
fn wrap_angle(angle: f64) -> f64 {
    // Fast path for nearly all angles: `round` costs more than the rest of the measurement. −0 becomes 0, as below.
    if angle.abs() < 3.0 {
        return angle + 0.0;
    }
    let turns = (angle / std::f64::consts::TAU).round();
    angle - turns * std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn angles_unwrap_to_the_nearest_turn() {
        assert!((unwrap_angle(-PI + 0.1, PI - 0.1) - (PI + 0.1)).abs() < 1e-12);
        assert!((unwrap_angle(0.1, 20.0 * PI) - (20.0 * PI + 0.1)).abs() < 1e-12);
        assert_eq!(unwrap_angle(0.3, 0.3), 0.3);
    }
}
