//! Motions of links, and efforts and reactions of joints, from the multibody solver.

use bevy::prelude::*;
use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::{BodyModel, BodyState, Drive, LinkIndex};
use bunraku_simulation::SimulationClock;
use nalgebra::{Isometry3, Vector3};
use typed_index_collections::{TiSlice, TiVec};

use super::MultibodyWorld;
use super::solver_body::SolverBody;
use crate::actuation::external_forces::ExternalForces;
use crate::model::extra_joint::{ExtraJointBetween, JointEnd, SimulatedExtraJoint};
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::readings::contact_forces::Contacts;
use crate::readings::joint_readings::JointReadings;
use crate::readings::link_motions::LinkMotions;
use crate::readings::reactions::{self, Middle};
use bunraku_multibody::{ClosureIndex, PartIndex};

type MovedBody<'a> = (&'a SimulatedBody, &'a BodyState, &'a mut LinkMotions);
type ReadBody<'a> = (
    Entity,
    (&'a BodyModel, &'a SimulatedBody, &'a SolverBody, &'a BodyState),
    Option<&'a ExternalForces>,
    &'a mut JointReadings,
);

/// Reads the last step, and writes the motions of links to bodies with [`LinkMotions`].
pub(crate) fn read_motions(
    mut bodies: Query<MovedBody<'_>>,
    measured: Query<(), With<JointReadings>>,
    mut world: ResMut<MultibodyWorld>,
    clock: Res<SimulationClock>,
    mut parts: Local<TiVec<LinkIndex, PartIndex>>,
) {
    let MultibodyWorld { readings, solver, system, state, detection, .. } = &mut *world;
    if measured.is_empty() {
        readings.read_motions(solver, system, state);
    } else {
        readings.read(solver, system, state, &detection.contacts);
    }
    let half_step = 0.5 * clock.time_step();
    for (simulated, state, mut motions) in &mut bodies {
        let motions = &mut *motions;
        motions.accelerations.clear();
        motions.twists.clear();
        if !find_parts(&world, simulated, &mut parts) {
            // The body is not dynamic.
            motions.accelerations.resize(state.link_poses.len(), Twist::ZERO);
            motions.twists.resize(state.link_poses.len(), Twist::ZERO);
            continue;
        }
        let middle = MiddleOfStep { world: &world, simulated, parts: &parts, half_step };
        motions.accelerations.extend(parts.keys().map(|link| middle.acceleration(link)));
        motions.twists.extend(parts.keys().map(|link| middle.end_twist(state, link)));
    }
}

/// Writes efforts and reactions to bodies with [`JointReadings`], after [`read_motions`].
pub(crate) fn read_forces(
    mut bodies: Query<ReadBody<'_>>,
    contacts: Contacts,
    extra_joints: Query<(&ExtraJointBetween, &SimulatedExtraJoint)>,
    world: Res<MultibodyWorld>,
    (parameters, clock): (Res<PhysicsParameters>, Res<SimulationClock>),
    mut parts: Local<TiVec<LinkIndex, PartIndex>>,
) {
    let found = &world.readings;
    for (entity, (BodyModel(body), simulated, solver_body, state), external, mut readings) in &mut bodies {
        let count = state.velocities.len();
        let readings = &mut *readings;
        for values in [&mut readings.accelerations, &mut readings.efforts, &mut readings.works] {
            values.clear();
            values.resize(count, 0.0);
        }
        for joint in &solver_body.joints {
            readings.accelerations[joint.joint.0] = found.accelerations[joint.coordinate.0];
            readings.efforts[joint.joint.0] = found.efforts[joint.coordinate.0];
            readings.works[joint.joint.0] = found.works[joint.coordinate.0];
        }
        readings.reactions.clear();
        if !find_parts(&world, simulated, &mut parts) {
            // The body is not dynamic.
            readings.reactions.resize(state.link_poses.len(), Wrench::ZERO);
            continue;
        }
        readings.reactions.extend(parts.iter().map(|part| found.reactions[part.0]));
        if simulated.links.iter().any(|of_link| !of_link.is_carrier) {
            let middle = MiddleOfStep { world: &world, simulated, parts: &parts, half_step: 0.5 * clock.time_step() };
            let mut outside = reactions::outside((entity, body), &contacts, external);
            let own = solver_body.loops.iter().flat_map(|own| [0, 1].map(|side| (own.closure, side, own.links[side])));
            let between = extra_joints.iter().flat_map(|(joint, simulated)| {
                let ends = joint.ends.into_iter().enumerate();
                ends.filter_map(move |(side, end)| match end {
                    JointEnd::Link { body, link } if body == entity => Some((simulated.closure()?, side, link)),
                    _ => None,
                })
            });
            own.chain(between).for_each(|closure| add_closure(&world, closure, state, &mut outside));
            let gravity = &parameters.gravity;
            let is_known = |link: LinkIndex| simulated.links[link].is_carrier;
            let reactions = TiSlice::from_mut(&mut readings.reactions);
            reactions::find(body, &middle, (&outside, gravity), is_known, reactions);
        }
    }
}

/// Finds the part of each link of a body; whether it is dynamic.
fn find_parts(world: &MultibodyWorld, simulated: &SimulatedBody, parts: &mut TiVec<LinkIndex, PartIndex>) -> bool {
    parts.clear();
    if simulated.terms.drive != Drive::Physics {
        return false;
    }
    parts.extend(simulated.links.iter().map_while(|of_link| world.part_of(simulated.parts[of_link.part])));
    parts.len() == simulated.links.len()
}

/// The middle of the step, to which accelerations and forces belong.
struct MiddleOfStep<'a> {
    world: &'a MultibodyWorld,
    simulated: &'a SimulatedBody,
    parts: &'a TiSlice<LinkIndex, PartIndex>,
    /// s
    half_step: f64,
}

impl MiddleOfStep<'_> {
    /// Velocity of a link's origin and its angular velocity at the end of the step.
    fn end_twist(&self, state: &BodyState, link: LinkIndex) -> Twist {
        let twist = &self.world.readings.part_twists[self.parts[link].0];
        let pose = &self.simulated.links[link].pose;
        let offset = state.link_pose(link).rotation * (pose.rotation.inverse() * pose.translation.vector);
        Twist { linear: twist.linear + twist.angular.cross(&offset), angular: twist.angular }
    }
}

impl Middle for MiddleOfStep<'_> {
    fn pose(&self, link: LinkIndex) -> Isometry3<f64> {
        self.world.solver.pose(self.parts[link]) * self.simulated.links[link].pose
    }

    fn spin(&self, link: LinkIndex) -> Vector3<f64> {
        let PartIndex(part) = self.parts[link];
        let found = &self.world.readings;
        found.part_twists[part].angular - self.half_step * found.part_accelerations[part].angular
    }

    fn acceleration(&self, link: LinkIndex) -> Twist {
        let (part, pose) = (self.parts[link], &self.simulated.links[link].pose);
        let rate = &self.world.readings.part_accelerations[part.0];
        let offset = self.world.solver.pose(part).rotation * pose.translation.vector;
        let spin = self.spin(link);
        let turning = spin.cross(&spin.cross(&offset));
        Twist { linear: rate.linear + rate.angular.cross(&offset) + turning, angular: rate.angular }
    }
}

/// Adds the wrench of a closure on a link at one of its sides, about the link origin.
fn add_closure(
    world: &MultibodyWorld,
    (closure, side, link): (ClosureIndex, usize, LinkIndex),
    state: &BodyState,
    outside: &mut TiSlice<LinkIndex, Wrench>,
) {
    let wrench = &world.readings.closures[closure.0];
    let sign = if side == 1 { 1.0 } else { -1.0 };
    let lever = world.closure_poses(closure)[1].translation.vector - state.link_pose(link).translation.vector;
    let (force, torque) = (wrench.force * sign, wrench.torque * sign);
    reactions::add(&mut outside[link], &Wrench { force, torque: torque + lever.cross(&force) });
}
