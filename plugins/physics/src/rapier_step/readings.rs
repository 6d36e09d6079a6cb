//! Motions of links, and efforts and reactions of joints, after rapier's step.
//!
//! They are measured by Newton and Euler, because rapier keeps the force of a joint of the last substep only.

use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::{BodyModel, BodyState, JointKind, LinkIndex};
use bunraku_simulation::SimulationClock;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use typed_index_collections::TiSlice;

use super::joints::RapierJoints;
use super::reports::Reports;
use crate::actuation::external_forces::ExternalForces;
use crate::model::extra_joint::{ExtraJointBetween, JointEnd};
use crate::model::limitations::Limitation;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::readings::contact_forces::Contacts;
use crate::readings::joint_readings::JointReadings;
use crate::readings::link_motions::LinkMotions;
use crate::readings::reactions::{self, Middle};
use crate::world::convert::from_vec3;

type Moved<'a> = (&'a SimulatedBody, &'a BodyState, &'a mut LinkMotions);
type NamedBody<'a> = (Entity, &'a BodyModel, Option<&'a Name>, &'a RapierJoints, Option<&'a ExternalForces>);

/// Keeps the velocities before the step.
pub(crate) fn remember(
    mut bodies: Query<(Moved<'_>, Option<&mut JointReadings>)>,
    contexts: Query<&RapierRigidBodySet>,
) -> Result {
    let set = &contexts.single()?.bodies;
    for ((simulated, state, mut motions), readings) in &mut bodies {
        motions.before = twists(simulated, state, set).collect();
        if let Some(mut readings) = readings {
            readings.before.clone_from(&state.velocities);
        }
    }
    Ok(())
}

/// Measures after the step.
pub(crate) fn measure(
    mut bodies: Query<(NamedBody<'_>, Moved<'_>, Option<&mut JointReadings>)>,
    (contexts, extra_joints): (Query<&RapierRigidBodySet>, Query<&ExtraJointBetween>),
    contacts: Contacts,
    (parameters, clock): (Res<PhysicsParameters>, Res<SimulationClock>),
    mut reports: Reports,
) -> Result {
    let set = &contexts.single()?.bodies;
    let time_step = clock.time_step();
    for ((entity, BodyModel(body), name, own, external), (simulated, state, mut motions), readings) in &mut bodies {
        let motions = &mut *motions;
        let after: Vec<Twist> = twists(simulated, state, set).collect();
        if motions.before.len() != after.len() {
            continue;
        }
        let middle = MiddleOfStep { state, before: &motions.before, after: &after, time_step };
        motions.accelerations = (0..after.len()).map(|link| middle.acceleration(LinkIndex(link))).collect();
        if let Some(mut readings) = readings.filter(|readings| readings.before.len() == state.velocities.len()) {
            let readings = &mut *readings;
            let rates = state.velocities.iter().zip(&readings.before);
            readings.accelerations = rates.map(|(after, before)| (after - before) / time_step).collect();
            readings.efforts = vec![0.0; state.velocities.len()];
            readings.works = vec![0.0; state.velocities.len()];
            readings.reactions = vec![Wrench::ZERO; after.len()];
            let is_end = |end: &JointEnd| matches!(end, JointEnd::Link { body, .. } if *body == entity);
            if !body.extra_joints.is_empty() || extra_joints.iter().any(|joint| joint.ends.iter().any(is_end)) {
                let message = Limitation::LoopReadings.message(name.map_or(body.name.as_str(), Name::as_str));
                reports.add((entity, "JointReadings"), Limitation::LoopReadings, &message)?;
            } else {
                let outside = reactions::outside((entity, body), &contacts, external);
                let reactions = TiSlice::from_mut(&mut readings.reactions);
                reactions::find(body, &middle, (&outside, &parameters.gravity), |_| false, reactions);
            }
            read_efforts(own, state, time_step, readings);
        }
        motions.twists = after;
    }
    Ok(())
}

/// Efforts and works of joints, from the reactions of their links.
fn read_efforts(own: &RapierJoints, state: &BodyState, time_step: f64, readings: &mut JointReadings) {
    for joint in &own.0 {
        let axis = state.link_pose(joint.link).rotation * joint.axis;
        let Wrench { force, torque } = readings.reactions[joint.link.0];
        let through = if joint.kind == JointKind::Prismatic { force } else { torque };
        let (effort, index) = (axis.dot(&through), joint.index.0);
        readings.efforts[index] = effort;
        readings.works[index] = effort * time_step * 0.5 * (state.velocities[index] + readings.before[index]);
    }
}

/// Twists of all links, world axes.
fn twists<'a>(
    simulated: &'a SimulatedBody,
    state: &'a BodyState,
    set: &'a RigidBodySet,
) -> impl Iterator<Item = Twist> + 'a {
    simulated.links.iter().zip(&state.link_poses).map(|(of_link, pose)| {
        let Some(part) = set.get(simulated.parts[of_link.part]) else { return Twist::ZERO };
        let angular = from_vec3(part.angvel());
        // Rapier's velocity is that of the centre of mass.
        let offset = pose.translation.vector - from_vec3(part.center_of_mass());
        Twist { linear: from_vec3(part.linvel()) + angular.cross(&offset), angular }
    })
}

/// The middle of a step between the twists before and after it.
struct MiddleOfStep<'a> {
    /// At the end of the step.
    state: &'a BodyState,
    before: &'a [Twist],
    after: &'a [Twist],
    /// s
    time_step: f64,
}

impl Middle for MiddleOfStep<'_> {
    fn pose(&self, link: LinkIndex) -> Isometry3<f64> {
        let (end, half_step) = (self.state.link_pose(link), 0.5 * self.time_step);
        let way = (self.before[link.0].linear + self.after[link.0].linear) * (0.5 * half_step);
        let turn = UnitQuaternion::from_scaled_axis(-self.spin(link) * half_step);
        Isometry3::from_parts(Translation3::from(end.translation.vector - way), turn * end.rotation)
    }

    fn spin(&self, link: LinkIndex) -> Vector3<f64> {
        (self.before[link.0].angular + self.after[link.0].angular) * 0.5
    }

    fn acceleration(&self, link: LinkIndex) -> Twist {
        let (before, after) = (&self.before[link.0], &self.after[link.0]);
        let rate = |after: Vector3<f64>, before: Vector3<f64>| (after - before) / self.time_step;
        Twist { linear: rate(after.linear, before.linear), angular: rate(after.angular, before.angular) }
    }
}
