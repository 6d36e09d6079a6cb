//! Commands as drives of coordinates.

use bunraku_body::{Body, BodyState, LinkIndex, Range};
use nalgebra::Isometry3;

use super::MultibodyWorld;
use super::system_of_bodies::{JointPast, ReducedBody};
use crate::actuation::demand::{Commands, Demand, Past};
use crate::model::joint_limits::JointLimits;
use crate::model::kinematic_root::KinematicRoot;
use bunraku_multibody::{CoordinateIndex, Drive, TreeIndex};

impl MultibodyWorld {
    /// Sets the drives of the joints of a body for a step of `time_step` seconds.
    pub(super) fn drive_joints(
        &mut self,
        reduced: &ReducedBody,
        body: &Body,
        state: &BodyState,
        commands: Commands<'_>,
        past: &mut JointPast,
        time_step: f64,
    ) {
        past.references.resize(reduced.joints.len(), None);
        past.destinations.resize(reduced.joints.len(), None);
        for (number, joint) in reduced.joints.iter().enumerate() {
            let before = Past { destination: past.destinations[number], reference: past.references[number] };
            let model = &body.link(joint.link).joint;
            let demand = Demand::of(joint.joint, model, state, commands, before, time_step);
            past.references[number] = demand.reference();
            past.destinations[number] = demand.prescribed.map(|prescribed| prescribed.destination);
            let bounds = if demand.bounds.lower <= demand.bounds.upper { demand.bounds } else { Range::UNLIMITED };
            self.drives[joint.coordinate] = Drive {
                effort: demand.effort,
                stiffness: demand.stiffness,
                damping: demand.damping,
                // The spring acts where the joint will be in the middle of the next step, the reference is for its beginning.
                displacement: demand.displacement + 0.5 * time_step * demand.velocity,
                velocity: demand.velocity,
                bounds,
                given: demand.prescribed.map(|prescribed| prescribed.velocity),
            };
            let coordinate = self.system.coordinate_mut(joint.coordinate);
            coordinate.damping = demand.loss.damping;
            coordinate.friction = demand.loss.friction;
            coordinate.velocity_range = demand.speeds;
        }
    }

    /// Sets the displacement ranges of the joints of a body.
    pub(super) fn limit_joints(&mut self, reduced: &ReducedBody, body: &Body, limits: JointLimits) {
        for joint in &reduced.joints {
            let range = limits.enforced(&body.link(joint.link).joint.displacement_range);
            self.system.coordinate_mut(joint.coordinate).range = range;
        }
    }

    /// Prescribes the velocity of a guided root to its pose at the end of the step; without a pose zero.
    pub(super) fn move_root(&mut self, reduced: &ReducedBody, guided: Option<&KinematicRoot>, time_step: f64) {
        let Some(tree) = reduced.kinematic_root else { return };
        let pose = guided.and_then(|guided| guided.0).unwrap_or(self.state.root_poses[tree.0]);
        self.move_to(tree, &pose, time_step);
    }

    /// Prescribes the velocities of the parts of a body that plays a motion to the poses of its links at the end of the step.
    pub(super) fn move_links(&mut self, reduced: &ReducedBody, state: &BodyState, time_step: f64) {
        for &(LinkIndex(link), tree) in &reduced.kinematic {
            if let Some(pose) = state.link_poses.get(link) {
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
