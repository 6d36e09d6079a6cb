use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::simulation::SimulationClock;
use bunraku_body::{BodyState, JointTargets};
use bunraku_motion::BodyMotion;

use crate::GuidedRoot;

/// Makes a motion the target of a body's servos, and of its root if that is a [`GuidedRoot`].
///
/// Before each step it writes [`JointTargets`]: the displacements of the motion at the end of the step and the velocities
/// that lead there in one step. What the motion does not reach keeps its target. At the end of the motion everything
/// stays.
#[derive(Component, Clone, Debug)]
pub struct FollowMotion {
    motion: Arc<BodyMotion>,
}

impl FollowMotion {
    /// Follows a motion of the body's joints; of fewer or more, the common ones count.
    pub fn new(motion: Arc<BodyMotion>) -> Self {
        Self { motion }
    }
}

pub(crate) fn follow(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&FollowMotion, &BodyState, &mut JointTargets, Option<&mut GuidedRoot>)>,
) {
    let end = clock.time() + clock.time_step();
    for (FollowMotion { motion }, state, mut targets, root) in &mut bodies {
        let JointTargets { displacements, velocities } = &mut *targets;
        if let Some(joints) = &motion.joint_displacements {
            velocities.clone_from(displacements);
            joints.sample(clock.time(), velocities);
            joints.sample(end, displacements);
            for (velocity, displacement) in velocities.iter_mut().zip(&*displacements) {
                *velocity = (displacement - *velocity) / clock.time_step();
            }
        }
        if let (Some(mut root), Some(links)) = (root, &motion.link_positions) {
            let mut pose = [root.0.unwrap_or(state.link_poses[0])];
            links.sample(end, &mut pose);
            root.0 = Some(pose[0]);
        }
    }
}
