//! States of bodies after a step.

use bevy::prelude::Name;
use bunraku_body::{Body, BodyState, JointIndex, JointKind, LinkIndex};
use nalgebra::Isometry3;

use super::acting::ActingOn;
use super::health::{FASTEST, LARGEST_TURN, Trouble};
use super::instability::Diverged;
use super::words::in_digits;
use crate::model::joint_solver::JointSolver;
use crate::model::simulated_body::SimulatedBody;

/// State of a joint after a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointState {
    pub index: JointIndex,
    pub link: LinkIndex,
    /// rad or m
    pub displacement: f64,
    /// rad/s or m/s
    pub velocity: f64,
}

/// A body whose state after a step is known.
pub(crate) struct NewState<'a> {
    pub body: &'a Body,
    pub name: Option<&'a Name>,
    pub simulated: &'a SimulatedBody,
    pub acting: ActingOn<'a>,
    /// s
    pub time_step: f64,
    pub solver: JointSolver,
}

impl NewState<'_> {
    /// Writes link poses and joints into the state of the body; `poses` are then those before the step.
    ///
    /// # Errors
    /// The message about `torn`, or about the first state that is not finite or not plausible. Nothing is written then.
    pub fn write(
        &self,
        torn: Option<Trouble>,
        (poses, joints): (&mut Vec<Isometry3<f64>>, &[JointState]),
        state: &mut BodyState,
    ) -> Result<(), String> {
        if let Some(trouble) = torn.or_else(|| self.trouble(state, poses, joints)) {
            let &Self { body, acting, time_step, solver, .. } = self;
            let name = self.name.map_or(body.name.as_str(), Name::as_str);
            return Err(Diverged { body, name, state, acting, time_step, solver }.describe(&trouble));
        }
        std::mem::swap(&mut state.link_poses, poses);
        for joint in joints {
            state.displacements[joint.index.0] = joint.displacement;
            state.velocities[joint.index.0] = joint.velocity;
        }
        Ok(())
    }

    /// The first implausible state after a step. Joints are checked before the root.
    fn trouble(&self, before: &BodyState, poses: &[Isometry3<f64>], joints: &[JointState]) -> Option<Trouble> {
        let no_number = |link| Trouble { link, what: "has a state that is not a number".to_owned() };
        let of_joint = joints.iter().find_map(|&JointState { link, displacement, velocity, .. }| {
            if !(velocity.is_finite() && displacement.is_finite()) {
                return Some(no_number(link));
            }
            let turns = self.body.link(link).joint.kind == JointKind::Revolute;
            (turns && velocity.abs() * self.time_step > LARGEST_TURN).then(|| {
                let speed = in_digits(velocity.abs(), 0);
                Trouble { link, what: format!("turns at {speed} rad/s, more than half a turn in a time step") }
            })
        });
        let of_link = || {
            let links = (1..poses.len()).chain([0]).map(LinkIndex);
            links.filter(|&link| self.simulated.links[link].is_carrier).find_map(|link| {
                let pose = &poses[link.0];
                if !(pose.translation.vector.sum() + pose.rotation.coords.sum()).is_finite() {
                    return Some(no_number(link));
                }
                let moved = pose.translation.vector - before.link_pose(link).translation.vector;
                let speed = moved.norm() / self.time_step;
                (speed > FASTEST).then(|| Trouble { link, what: format!("moves at {} m/s", in_digits(speed, 0)) })
            })
        };
        of_joint.or_else(of_link)
    }
}
