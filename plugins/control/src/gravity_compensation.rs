use bevy::prelude::*;
use bunraku_body::dynamics::{BodyMotionState, InverseDynamics};
use bunraku_body::{BodyModel, BodyState, JointEfforts};
use bunraku_physics::PhysicsParameters;

use crate::{FeedForward, PdController};

/// Adds the efforts that hold the weight of the links at rest to those of the body's controller.
///
/// They are those of the pose at the beginning of a step, as if the root stood still; what a gripper holds is not part of
/// the body. The effort ranges of the model limit the sum.
#[derive(Component, Clone, Copy, Debug, Default, Reflect)]
#[reflect(Component)]
pub struct GravityCompensation;

type Compensated = (
    &'static BodyModel,
    &'static BodyState,
    &'static mut JointEfforts,
    Has<PdController>,
    Option<&'static FeedForward>,
);

/// Adds to the efforts of a [`PdController`] and of a [`FeedForward`], which were written in this step; other efforts are
/// those of the last step.
pub(crate) fn compensate(
    parameters: Option<Res<PhysicsParameters>>,
    mut bodies: Query<Compensated, With<GravityCompensation>>,
) {
    let gravity = parameters.map_or_else(|| PhysicsParameters::default().gravity, |parameters| parameters.gravity);
    for (BodyModel(body), state, mut efforts, has_controller, given) in &mut bodies {
        let Some(root_pose) = state.link_poses.first() else { continue };
        let displacements = &state.displacements;
        let rest = BodyMotionState { root_pose: *root_pose, displacements, ..BodyMotionState::default() };
        let weights = InverseDynamics::of(body, &rest, &gravity, &[]).efforts;
        for (joint, (effort, weight)) in efforts.0.iter_mut().zip(weights).enumerate() {
            let is_written = has_controller || given.is_some_and(|given| given.has(joint));
            *effort = if is_written { *effort + weight } else { weight };
        }
    }
}
