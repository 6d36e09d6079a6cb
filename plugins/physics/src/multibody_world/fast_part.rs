use bevy_rapier3d::rapier::dynamics::RigidBodyHandle;
use bevy_rapier3d::rapier::math::Pose;
use bunraku_multibody::PartIndex;

/// A part that moves farther in this step than it is thick.
#[derive(Clone, Copy, Debug)]
pub(super) struct FastPart {
    pub body: RigidBodyHandle,
    pub part: PartIndex,
    /// Pose at the beginning of the step.
    pub start: Pose,
}
