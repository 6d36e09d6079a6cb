use bevy_rapier3d::prelude::JointAxesMask;
use bunraku_body::ExtraJointKind;

/// All rows of a kind of joint, X along its axis.
pub(crate) fn asked(kind: ExtraJointKind) -> JointAxesMask {
    match kind {
        ExtraJointKind::Fixed => JointAxesMask::LOCKED_FIXED_AXES,
        ExtraJointKind::Ball => JointAxesMask::LOCKED_SPHERICAL_AXES,
        ExtraJointKind::Hinge { .. } => JointAxesMask::LOCKED_REVOLUTE_AXES,
        ExtraJointKind::Piston { .. } => {
            JointAxesMask::LIN_Y | JointAxesMask::LIN_Z | JointAxesMask::ANG_Y | JointAxesMask::ANG_Z
        }
        ExtraJointKind::PointOnLine { .. } => JointAxesMask::LIN_Y | JointAxesMask::LIN_Z,
        ExtraJointKind::PointOnPlane { .. } => JointAxesMask::LIN_X,
    }
}
