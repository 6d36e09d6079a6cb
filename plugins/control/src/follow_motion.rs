use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{BodyState, JointTargets};
use bunraku_motion::BodyMotion;
use bunraku_physics::KinematicRoot;
use bunraku_simulation::SimulationClock;

/// Makes a motion the target of a body's joints, and of its root if that is a [`KinematicRoot`].
///
/// Before each step it writes [`JointTargets`]: the displacements of the motion at the end of the step, on the smooth
/// curve through its frames, and the velocities that lead to them in one step. Joints without data in the motion keep their target. After the end of the
/// motion the targets are constant.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
pub struct FollowMotion {
    joints: Option<Arc<BodyMotion>>,
    root: Option<Arc<BodyMotion>>,
}

impl FollowMotion {
    /// Follows a motion of the body's joints; if the numbers differ, the common ones are used. A guided root follows
    /// the root of the same motion.
    pub fn new(motion: Arc<BodyMotion>) -> Self {
        Self { joints: Some(Arc::clone(&motion)), root: Some(motion) }
    }

    /// Only the root follows, if it is guided.
    pub fn of_root(motion: Arc<BodyMotion>) -> Self {
        Self { joints: None, root: Some(motion) }
    }

    /// Lets the joints follow another motion.
    pub fn with_joints(self, motion: Arc<BodyMotion>) -> Self {
        Self { joints: Some(motion), ..self }
    }
}

pub(crate) fn follow(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&FollowMotion, &BodyState, &mut JointTargets, Option<&mut KinematicRoot>)>,
) {
    let end = clock.time() + clock.time_step();
    for (FollowMotion { joints, root: of_root }, state, mut targets, root) in &mut bodies {
        if let Some(joints) = joints.as_ref().and_then(|motion| motion.joint_displacements.as_ref()) {
            let JointTargets { displacements, velocities } = &mut *targets;
            velocities.clone_from(displacements);
            joints.sample_smooth(clock.time(), velocities);
            joints.sample_smooth(end, displacements);
            for (velocity, displacement) in velocities.iter_mut().zip(&*displacements) {
                *velocity = (displacement - *velocity) / clock.time_step();
            }
        }
        let links = of_root.as_ref().and_then(|motion| motion.link_positions.as_ref());
        if let (Some(mut root), Some(links)) = (root, links) {
            let mut pose = [root.0.unwrap_or(state.link_poses[0])];
            links.sample_smooth(end, &mut pose);
            root.0 = Some(pose[0]);
        }
    }
}
