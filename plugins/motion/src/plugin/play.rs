use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::simulation::SimulationClock;
use bunraku_body::{Body, BodyModel, BodyState, Drive, kinematics};
use nalgebra::Isometry3;

use crate::BodyMotion;

/// The motion that a body with [`Drive::Motion`] plays, from the start of the simulation on; at its end it stays.
#[derive(Component, Clone, Debug)]
pub struct MotionPlayer {
    motion: Arc<BodyMotion>,
}

impl MotionPlayer {
    /// A player of a motion whose joints are those of the body.
    pub fn new(motion: Arc<BodyMotion>) -> Self {
        Self { motion }
    }
}

/// Writes the state that a motion gives a body at `time` (s).
///
/// Joints the motion does not have, and the root if it has no link positions, keep their place. Links are placed by
/// forward kinematics; where the motion gives more links than the root, those poses count. Velocities are the change
/// since the state before, which was `time_step` seconds earlier; 0 without a time step.
pub fn state_at(body: &Body, motion: &BodyMotion, time: f64, time_step: Option<f64>, state: &mut BodyState) {
    state.velocities.copy_from_slice(&state.displacements);
    if let Some(joints) = &motion.joint_displacements {
        joints.sample(time, &mut state.displacements);
    }
    for (velocity, now) in state.velocities.iter_mut().zip(&state.displacements) {
        let before = *velocity;
        *velocity = time_step.map_or(0.0, |time_step| (now - before) / time_step);
    }
    let mut root = [state.link_poses.first().copied().unwrap_or_else(Isometry3::identity)];
    if let Some(links) = &motion.link_positions {
        links.sample(time, &mut root);
    }
    kinematics::update_link_poses(body, &root[0], &state.displacements, &mut state.link_poses);
    if let Some(links) = motion.link_positions.as_ref().filter(|links| links.num_parts() > 1) {
        links.sample(time, &mut state.link_poses);
    }
}

/// Moves played bodies to where they are at the end of the step.
pub(super) fn play(
    clock: Res<SimulationClock>,
    mut bodies: Query<(&BodyModel, &MotionPlayer, &Drive, &mut BodyState)>,
) {
    let time_step = clock.time_step();
    for (BodyModel(body), player, drive, mut state) in &mut bodies {
        if *drive == Drive::Motion {
            state_at(body, &player.motion, clock.time() + time_step, Some(time_step), &mut state);
        }
    }
}
