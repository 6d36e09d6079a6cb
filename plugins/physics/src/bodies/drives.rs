//! Commands as drives of coordinates.

use bevy::prelude::*;
use bunraku_body::{Actuation, Body, BodyModel, BodyState, JointActuation, LinkIndex, Range};
use nalgebra::Isometry3;

use super::MultibodyWorld;
use super::solver_body::SolverBody;
use crate::actuation::demand::{CommandsItem, JointPast};
use crate::model::joint_limits::JointLimits;
use crate::model::joint_losses::JointLosses;
use crate::model::joint_springs::JointSprings;
use crate::model::kinematic_root::KinematicRoot;
use crate::model::simulated_body::SimulatedBody;
use crate::model::velocity_limits::{VelocityLimits, is_limiting};
use bunraku_multibody::{CoordinateIndex, Drive, TreeIndex};

type LimitedBody<'a> = (
    Entity,
    &'a BodyModel,
    &'a SolverBody,
    &'a JointActuation,
    (Option<&'a JointLosses>, Option<&'a JointSprings>, Option<&'a VelocityLimits>, Option<&'a JointLimits>),
);
type Changes = Or<(
    Changed<SolverBody>,
    Changed<JointActuation>,
    Changed<JointLosses>,
    Changed<JointSprings>,
    Changed<VelocityLimits>,
    Changed<JointLimits>,
)>;
type Removed<'w, 's> = (
    RemovedComponents<'w, 's, JointLosses>,
    RemovedComponents<'w, 's, JointSprings>,
    RemovedComponents<'w, 's, VelocityLimits>,
    RemovedComponents<'w, 's, JointLimits>,
);

/// Sets losses, springs and limits of joints whose components changed.
pub(crate) fn set_limits(
    bodies: Query<LimitedBody<'_>>,
    changed: Query<Entity, Changes>,
    (mut losses, mut springs, mut velocities, mut ranges): Removed<'_, '_>,
    mut world: ResMut<MultibodyWorld>,
) {
    let removed = losses.read().chain(springs.read()).chain(velocities.read()).chain(ranges.read());
    let mut entities: Vec<Entity> = changed.iter().chain(removed).collect();
    entities.sort_unstable();
    entities.dedup();
    for (_, BodyModel(body), solver_body, actuation, (losses, springs, velocities, ranges)) in
        entities.into_iter().filter_map(|entity| bodies.get(entity).ok())
    {
        let is_hard = velocities.is_some_and(|limits| *limits == VelocityLimits::Hard);
        for joint in &solver_body.joints {
            let model = &body.link(joint.link).joint;
            let is_prescribed = actuation.0.get(joint.joint.0).copied().is_some_and(Actuation::is_prescribed);
            let losses = losses.filter(|_| !is_prescribed);
            let springs = springs.filter(|_| !is_prescribed);
            let is_limited = is_hard && !is_prescribed && is_limiting(&model.velocity_range);
            let coordinate = world.system.coordinate_mut(joint.coordinate);
            [coordinate.damping, coordinate.friction] = losses.map_or([0.0; 2], |losses| losses.of(joint.joint));
            [coordinate.stiffness, coordinate.rest] = springs.map_or([0.0; 2], |springs| springs.of(joint.joint));
            coordinate.velocity_range = if is_limited { model.velocity_range } else { Range::UNLIMITED };
            coordinate.range = ranges.copied().unwrap_or_default().enforced(&model.displacement_range);
        }
    }
}

impl MultibodyWorld {
    /// Sets the drives of the joints of a body for a step of `time_step` seconds.
    pub(super) fn drive_joints(
        &mut self,
        solver_body: &SolverBody,
        (body, state): (&Body, &BodyState),
        commands: &CommandsItem<'_, '_>,
        past: &mut JointPast,
        time_step: f64,
    ) {
        for (number, joint) in solver_body.joints.iter().enumerate() {
            let model = &body.link(joint.link).joint;
            let mut drive = commands.drive(joint.joint, model, state, past.of(number), time_step);
            // The spring acts where the joint will be in the middle of the next step, the reference is for its beginning.
            drive.displacement += 0.5 * time_step * drive.velocity;
            self.drives[joint.coordinate] = drive;
        }
    }

    /// Prescribes the velocity of a kinematic root to its pose at the end of the step; without a pose zero.
    pub(super) fn move_root(&mut self, simulated: &SimulatedBody, guided: Option<&KinematicRoot>, time_step: f64) {
        let root = simulated.parts.first().filter(|_| simulated.terms.is_root_kinematic);
        let Some(tree) = root.and_then(|&root| self.tree_of(root)) else { return };
        let pose = guided.and_then(|guided| guided.0).unwrap_or(self.state.root_poses[tree.0]);
        self.move_to(tree, &pose, time_step);
    }

    /// Prescribes the velocities of the parts of a body that plays a motion to the poses of its links at the end of the step.
    pub(super) fn move_links(&mut self, simulated: &SimulatedBody, state: &BodyState, time_step: f64) {
        for (LinkIndex(link), carrier) in simulated.carriers() {
            if let (Some(pose), Some(tree)) = (state.link_poses.get(link), self.tree_of(carrier)) {
                self.move_to(tree, pose, time_step);
            }
        }
    }

    fn move_to(&mut self, tree: TreeIndex, pose: &Isometry3<f64>, time_step: f64) {
        let Some(first) = self.system.coordinate_of(self.system.root(tree)) else { return };
        let now = &self.state.root_poses[tree.0];
        let linear = (pose.translation.vector - now.translation.vector) / time_step;
        let angular = (pose.rotation * now.rotation.inverse()).scaled_axis() / time_step;
        for (offset, velocity) in linear.iter().chain(angular.iter()).enumerate() {
            self.drives[CoordinateIndex(first.0 + offset)] = Drive::given(*velocity);
        }
    }
}
