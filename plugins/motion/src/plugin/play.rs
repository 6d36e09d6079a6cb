use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState, Drive, kinematics};
use bunraku_simulation::{SimulationClock, SimulationState};
use nalgebra::{Isometry3, Vector3};

use crate::{BodyMotion, JointDisplacements, LinkPositions, Playback, PlaybackState};

/// The motion that a body with [`Drive::Motion`] plays, and its playback position.
///
/// It plays from the motion's first frame, with the simulation's clock, and stops at its end. The body is at the pose
/// of the current position; changes take effect in the next step. [`MotionStarted`] and [`MotionEnded`] are triggered
/// when it starts and ends.
///
/// ```
/// use bevy::prelude::*;
/// use bunraku_motion::{MotionEnded, MotionPlayer};
///
/// fn rewind(ended: On<MotionEnded>, mut players: Query<&mut MotionPlayer>) {
///     if let Ok(mut player) = players.get_mut(ended.entity) {
///         player.set_speed(-0.5);
///         player.play();
///     }
/// }
///
/// let mut app = App::new();
/// app.add_observer(rewind);
/// ```
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(opaque, Component)]
pub struct MotionPlayer {
    motion: Arc<BodyMotion>,
    playback: Playback,
    /// Whether the next step triggers [`MotionStarted`].
    is_new: bool,
}

/// A motion started: for the first time, after a pause or its end, or again because it loops.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct MotionStarted {
    /// The body.
    pub entity: Entity,
}

/// A motion reached its end or, in reverse, its start.
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct MotionEnded {
    /// The body.
    pub entity: Entity,
}

impl SimulationState for MotionPlayer {
    /// Playback, and whether the next step triggers [`MotionStarted`].
    type Saved = (Playback, bool);

    fn save(&self) -> Self::Saved {
        (self.playback.clone(), self.is_new)
    }

    fn restore(&mut self, (playback, is_new): &Self::Saved) {
        self.playback.clone_from(playback);
        self.is_new = *is_new;
    }
}

impl MotionPlayer {
    /// A player of a motion with the joints of the body. If the numbers differ, the common ones are used.
    pub fn new(motion: Arc<BodyMotion>) -> Self {
        let playback = Playback::new(motion.start(), motion.end());
        Self { motion, playback, is_new: true }
    }

    /// The motion.
    pub fn motion(&self) -> &Arc<BodyMotion> {
        &self.motion
    }

    /// Playback state and position.
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// Resumes; see [`Playback::play`].
    pub fn play(&mut self) {
        self.is_new |= self.playback.state() != PlaybackState::Playing;
        self.playback.play();
    }

    /// Pauses; see [`Playback::pause`].
    pub fn pause(&mut self) {
        self.playback.pause();
    }

    /// Moves to a time of the motion, s; see [`Playback::seek`].
    pub fn seek(&mut self, time: f64) {
        self.playback.seek(time);
    }

    /// The speed, negative in reverse.
    pub fn speed(&self) -> f64 {
        self.playback.speed()
    }

    /// Sets the speed, negative in reverse; see [`Playback::set_speed`].
    pub fn set_speed(&mut self, speed: f64) {
        self.playback.set_speed(speed);
    }

    /// Sets whether it begins again at its end.
    pub fn set_looping(&mut self, looping: bool) {
        self.playback.set_looping(looping);
    }

    /// Current ZMP of the motion in the world frame, m, if it has one; `state` is that of the body.
    pub fn zmp(&self, state: &BodyState) -> Option<Vector3<f64>> {
        let root = state.link_poses.first()?;
        self.motion.zmp.as_ref()?.in_world(self.playback.position(), root)
    }
}

/// Writes the state of a body in a motion at `time` (s), on the smooth curves through its frames.
///
/// Joints without data in the motion, and the root if it has no link positions, keep their state. Links are placed by
/// forward kinematics; if the motion contains more links than the root, those poses are used. Velocities are 0; for
/// those during playback see [`state_between`].
pub fn state_at(body: &Body, motion: &BodyMotion, time: f64, state: &mut BodyState) {
    write_state(
        body,
        motion,
        state,
        |joints, out| joints.sample_smooth(time, out),
        |links, out| {
            links.sample_smooth(time, out);
        },
    );
}

/// As [`state_at`], but the curves continue before the first and after the last frame. It is meant for differences
/// across the ends of a motion.
pub fn state_beyond(body: &Body, motion: &BodyMotion, time: f64, state: &mut BodyState) {
    write_state(
        body,
        motion,
        state,
        |joints, out| joints.sample_beyond(time, out),
        |links, out| {
            links.sample_beyond(time, out);
        },
    );
}

fn write_state(
    body: &Body,
    motion: &BodyMotion,
    state: &mut BodyState,
    sample_joints: impl Fn(&JointDisplacements, &mut [f64]),
    sample_links: impl Fn(&LinkPositions, &mut [Isometry3<f64>]),
) {
    if let Some(joints) = &motion.joint_displacements {
        sample_joints(joints, &mut state.displacements);
    }
    state.velocities.fill(0.0);
    let mut root = [state.link_poses.first().copied().unwrap_or_else(Isometry3::identity)];
    if let Some(links) = &motion.link_positions {
        sample_links(links, &mut root);
    }
    kinematics::update_link_poses(body, &root[0], &state.displacements, &mut state.link_poses);
    if let Some(links) = motion.link_positions.as_ref().filter(|links| links.num_parts() > 1) {
        sample_links(links, &mut state.link_poses);
    }
}

/// As [`state_at`], at the end of a step in which a motion advances from `before` to `time` (s) while the clock
/// advances by `time_step` (s). Velocities are the change of the joints in the step.
pub fn state_between(
    body: &Body,
    motion: &BodyMotion,
    [before, time]: [f64; 2],
    time_step: f64,
    state: &mut BodyState,
) {
    state_at(body, motion, time, state);
    let Some(joints) = &motion.joint_displacements else { return };
    // Joints without data in the motion do not move.
    state.velocities.copy_from_slice(&state.displacements);
    joints.sample_beyond(before, &mut state.velocities);
    for (velocity, now) in state.velocities.iter_mut().zip(&state.displacements) {
        *velocity = (now - *velocity) / time_step;
    }
}

/// Moves played bodies to their state at the end of the step.
pub(super) fn play(
    clock: Res<SimulationClock>,
    mut bodies: Query<(Entity, &BodyModel, &mut MotionPlayer, &Drive, &mut BodyState)>,
    mut commands: Commands,
) {
    let time_step = clock.time_step();
    for (entity, BodyModel(body), mut player, drive, mut state) in &mut bodies {
        if *drive != Drive::Motion {
            continue;
        }
        let player = player.bypass_change_detection();
        if std::mem::take(&mut player.is_new) {
            commands.trigger(MotionStarted { entity });
        }
        let from = player.playback.position();
        let step = player.playback.advance(clock.time(), clock.time() + time_step);
        let to = player.playback.position();
        // A jump has no velocity; the velocity is that of the motion at the new position.
        let from = if step.jumped { to - player.playback.speed() * time_step } else { from };
        state_between(body, &player.motion, [from, to], time_step, &mut state);
        if step.ended {
            commands.trigger(MotionEnded { entity });
            player.is_new |= step.jumped;
        }
    }
}
