//! Efforts and reactions of joints after rapier's step.
//!
//! They are measured by Newton and Euler, because rapier keeps the force of a joint of the last substep only.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierContextSimulation, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::{Body, BodyModel, BodyState, JointKind, LinkIndex};
use bunraku_simulation::SimulationClock;
use nalgebra::{Matrix3, Vector3};
use typed_index_collections::{TiSlice, TiVec};

use super::loop_forces::loop_wrenches;
use crate::actuation::external_forces::ExternalForces;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::readings::contact_forces::Contacts;
use crate::readings::joint_readings::{JointReadings, LinkMotion};
use crate::world::convert::from_vec3;

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
