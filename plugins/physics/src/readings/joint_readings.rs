//! Efforts and reactions of joints.
//!
//! After rapier's step they are measured by Newton and Euler, because rapier keeps the force of a joint of the last substep only.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierContextSimulation, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::{Body, BodyModel, BodyState, JointKind, LinkIndex};
use bunraku_simulation::SimulationClock;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use typed_index_collections::{TiSlice, TiVec};

use crate::actuation::external_forces::ExternalForces;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::readings::contact_forces::Contacts;
use crate::readings::loop_forces::loop_wrenches;
use crate::world::convert::from_vec3;

/// Accelerations, efforts and reactions of the joints of a body, measured after each step; a component of the body entity.
///
/// All figures are means over the last step. They are zero before the first step with this component, and for bodies that are not
/// dynamic.
///
/// With [`JointSolver::Impulse`](crate::JointSolver::Impulse) they are measured from the momenta of the links before and after the step. Gravity,
/// contact forces, external forces and the forces of extra joints are known, and the rest has come through the joints of the tree. Where a step
/// has several substeps (`iterations` above 1), rapier keeps friction and the force of an extra joint of the last substep only: exact
/// while they are steady, off by some per cent of the largest force in an impact.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize, Reflect)]
#[reflect(Component)]
pub struct JointReadings {
    pub(super) accelerations: Vec<f64>,
    pub(super) efforts: Vec<f64>,
    // Types of nalgebra do not reflect.
    #[reflect(ignore)]
    pub(super) reactions: Vec<Wrench>,
    #[reflect(ignore)]
    pub(super) link_accelerations: Vec<Twist>,
    #[reflect(ignore)]
    pub(super) link_twists: Vec<Twist>,
    /// State before the step.
    #[reflect(ignore)]
    before: Before,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Before {
    links: Vec<LinkMotion>,
    velocities: Vec<f64>,
}

/// Motion of a link, world axes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct LinkMotion {
    /// Of the link origin.
    twist: Twist,
    momentum: Vector3<f64>,
    /// About the centre of mass.
    angular_momentum: Vector3<f64>,
}

impl JointReadings {
    /// Acceleration of each joint, rad/s² or m/s², joint order: the change of its velocity over the step.
    pub fn accelerations(&self) -> &[f64] {
        &self.accelerations
    }

    /// Effort at each joint along its axis, N·m or N, joint order; positive on the link along positive displacement,
    /// opposite on the parent. It is the sum of motor, springs, damping, friction and stops, with the share that accelerates the rotor.
    pub fn efforts(&self) -> &[f64] {
        &self.efforts
    }

    /// Wrench of the parent on each link through the joint between them, link order: force, N, and torque about the link origin, N·m,
    /// world axes. For the root it is the wrench of the ground on a fixed root, and zero for a free one.
    ///
    /// The effort of the joint is part of it. Links fixed to their parents have a reaction like any other.
    pub fn reactions(&self) -> &[Wrench] {
        &self.reactions
    }

    /// Acceleration of each link, link order: of the link origin (m/s², without gravity, so that a link at rest has none)
    /// and angular (rad/s²), world axes: the change of its velocity over the step.
    pub fn link_accelerations(&self) -> &[Twist] {
        &self.link_accelerations
    }

    /// Twist of each link at the end of the step, link order: velocity of the link origin, m/s, and angular velocity, rad/s,
    /// world axes.
    pub fn link_twists(&self) -> &[Twist] {
        &self.link_twists
    }
}

type Measured<'a> = (&'a BodyModel, &'a SimulatedBody, &'a BodyState, &'a mut JointReadings);

/// Keeps the velocities before the step.
pub(crate) fn remember(mut bodies: Query<Measured<'_>>, contexts: Query<&RapierRigidBodySet>) -> Result {
    let set = &contexts.single()?.bodies;
    for (BodyModel(body), simulated, state, mut readings) in &mut bodies {
        readings.before.links.clear();
        readings.before.links.extend(link_motions(body, simulated, state, set));
        readings.before.velocities.clone_from(&state.velocities);
    }
    Ok(())
}

/// Measures after the step.
pub(crate) fn measure(
    mut bodies: Query<(Entity, Measured<'_>, Option<&ExternalForces>)>,
    contexts: Query<(&RapierRigidBodySet, &RapierContextJoints, &RapierContextSimulation)>,
    contacts: Contacts,
    (parameters, clock): (Res<PhysicsParameters>, Res<SimulationClock>),
) -> Result {
    let (set, joints, simulation) = contexts.single()?;
    let time_step = clock.time_step();
    for (entity, (BodyModel(body), simulated, state, mut readings), external) in &mut bodies {
        let readings = &mut *readings;
        let after: Vec<_> = link_motions(body, simulated, state, &set.bodies).collect();
        if readings.before.links.len() != after.len() {
            continue;
        }
        let mut outside: TiVec<LinkIndex, Wrench> =
            body.indexed_links().map(|(link, _)| contacts.wrench(entity, link)).collect();
        for &(link, wrench) in external.iter().flat_map(|external| external.acting()) {
            outside[link].force += wrench.force;
            outside[link].torque += wrench.torque;
        }
        let integration = &simulation.integration_parameters;
        loop_wrenches(simulated, state, &set.bodies, joints, integration, &mut outside);
        let reactions =
            reactions(body, state, (&readings.before.links, &after), &outside, (&parameters.gravity, time_step));
        let rate = |after: &Vector3<f64>, before: &Vector3<f64>| (after - before) / time_step;
        let changes = after.iter().zip(&readings.before.links).map(|(after, before)| Twist {
            linear: rate(&after.twist.linear, &before.twist.linear),
            angular: rate(&after.twist.angular, &before.twist.angular),
        });
        readings.link_accelerations = changes.collect();
        readings.link_twists = after.iter().map(|after| after.twist).collect();
        let rates = state.velocities.iter().zip(&readings.before.velocities);
        readings.accelerations = rates.map(|(after, before)| (after - before) / time_step).collect();
        readings.efforts = vec![0.0; state.velocities.len()];
        for joint in &simulated.joints {
            let axis = state.link_pose(joint.link).rotation * joint.axis;
            let Wrench { force, torque } = reactions[joint.link];
            let through = if joint.kind == JointKind::Prismatic { force } else { torque };
            readings.efforts[joint.index.0] = axis.dot(&through);
        }
        readings.reactions = reactions.into();
    }
    Ok(())
}

fn link_motions<'a>(
    body: &'a Body,
    simulated: &'a SimulatedBody,
    state: &'a BodyState,
    set: &'a RigidBodySet,
) -> impl Iterator<Item = LinkMotion> + 'a {
    body.indexed_links().map(move |(index, link)| {
        let pose = state.link_pose(index);
        let Some(part) = set.get(simulated.rigid_body(index).0) else {
            return LinkMotion { twist: Twist::ZERO, momentum: Vector3::zeros(), angular_momentum: Vector3::zeros() };
        };
        let angular = from_vec3(part.angvel());
        // Rapier's velocity is that of the centre of mass.
        let origin = pose.translation.vector;
        let linear = from_vec3(part.linvel()) + angular.cross(&(origin - from_vec3(part.center_of_mass())));
        let twist = Twist { linear, angular };
        let center = pose.rotation * link.mass.center_of_mass.coords;
        LinkMotion {
            momentum: link.mass.mass * twist.velocity_at(&center),
            angular_momentum: world_inertia(&link.mass.inertia, pose.rotation.to_rotation_matrix().matrix()) * angular,
            twist,
        }
    })
}

fn world_inertia(inertia: &Matrix3<f64>, rotation: &Matrix3<f64>) -> Matrix3<f64> {
    rotation * (inertia + inertia.transpose()) * 0.5 * rotation.transpose()
}

/// Newton's and Euler's laws for each link, summed from the leaves to the root.
fn reactions(
    body: &Body,
    state: &BodyState,
    (before, after): (&[LinkMotion], &[LinkMotion]),
    outside: &TiSlice<LinkIndex, Wrench>,
    (gravity, time_step): (&Vector3<f64>, f64),
) -> TiVec<LinkIndex, Wrench> {
    let mut wrenches: TiVec<LinkIndex, Wrench> = TiVec::with_capacity(after.len());
    for (((_, link), (before, after)), (pose, outside)) in
        body.indexed_links().zip(before.iter().zip(after)).zip(state.link_poses.iter().zip(outside))
    {
        let lever = pose.rotation * link.mass.center_of_mass.coords;
        let inertial = (after.momentum - before.momentum) / time_step - link.mass.mass * gravity;
        let spin = (after.angular_momentum - before.angular_momentum) / time_step;
        wrenches
            .push(Wrench { force: inertial - outside.force, torque: spin + lever.cross(&inertial) - outside.torque });
    }
    for (index, link) in body.indexed_links().collect::<Vec<_>>().into_iter().rev() {
        let Some(parent) = link.parent else { continue };
        // A free joint transmits nothing.
        if link.joint.kind == JointKind::Free {
            continue;
        }
        let Wrench { force, torque } = wrenches[index];
        let offset = state.link_pose(index).translation.vector - state.link_pose(parent).translation.vector;
        wrenches[parent].force += force;
        wrenches[parent].torque += torque + offset.cross(&force);
    }
    wrenches
}
