//! Efforts and reactions of joints, from the multibody solver.

use bevy::prelude::*;
use bunraku_body::dynamics::{Twist, Wrench};
use bunraku_body::{Body, BodyModel, BodyState, Drive, JointKind, LinkIndex};
use bunraku_simulation::SimulationClock;
use nalgebra::{Isometry3, Vector3};
use typed_index_collections::{TiSlice, TiVec, ti_vec};

use super::contact_forces::Contacts;
use super::joint_readings::JointReadings;
use crate::actuation::external_forces::ExternalForces;
use crate::bodies::MultibodyWorld;
use crate::bodies::extra_joints::SolverExtraJoint;
use crate::bodies::solver_body::SolverBody;
use crate::model::extra_joint::{ExtraJointBetween, JointEnd};
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use bunraku_multibody::{ClosureIndex, PartIndex};

type ReadBody<'a> = (
    Entity,
    (&'a BodyModel, &'a SimulatedBody, &'a SolverBody, &'a BodyState),
    Option<&'a ExternalForces>,
    &'a mut JointReadings,
);

/// Computes the readings of the last step.
pub(crate) fn find(bodies: Query<(), With<JointReadings>>, mut world: ResMut<MultibodyWorld>) {
    if bodies.is_empty() {
        return;
    }
    let MultibodyWorld { readings, solver, system, state, detection, .. } = &mut *world;
    readings.read(solver, system, state, &detection.contacts);
}

/// Writes them to bodies with [`JointReadings`].
pub(crate) fn read(
    mut bodies: Query<ReadBody<'_>>,
    contacts: Contacts,
    extra_joints: Query<(&ExtraJointBetween, &SolverExtraJoint)>,
    world: Res<MultibodyWorld>,
    (parameters, clock): (Res<PhysicsParameters>, Res<SimulationClock>),
) {
    let found = &world.readings;
    for (entity, (BodyModel(body), simulated, solver_body, state), external, mut readings) in &mut bodies {
        let count = state.velocities.len();
        let readings = &mut *readings;
        readings.accelerations.clear();
        readings.accelerations.resize(count, 0.0);
        readings.efforts.clear();
        readings.efforts.resize(count, 0.0);
        for joint in &solver_body.joints {
            readings.accelerations[joint.joint.0] = found.accelerations[joint.coordinate.0];
            readings.efforts[joint.joint.0] = found.efforts[joint.coordinate.0];
        }
        readings.link_accelerations.clear();
        readings.link_twists.clear();
        readings.reactions.clear();
        let parts = simulated.links.iter().map(|of_link| world.part_of(simulated.parts[of_link.part]));
        let parts = parts.collect::<Option<TiVec<LinkIndex, PartIndex>>>();
        let Some(parts) = parts.filter(|_| simulated.terms.drive == Drive::Physics) else {
            // The body is not dynamic.
            readings.link_accelerations.resize(state.link_poses.len(), Twist::ZERO);
            readings.link_twists.resize(state.link_poses.len(), Twist::ZERO);
            readings.reactions.resize(state.link_poses.len(), Wrench::ZERO);
            continue;
        };
        let middle = Middle { world: &world, simulated, parts: &parts, half_step: 0.5 * clock.time_step() };
        readings.link_accelerations.extend(parts.keys().map(|link| middle.acceleration(link)));
        readings.link_twists.extend(parts.keys().map(|link| middle.end_twist(state, link)));
        readings.reactions.extend(parts.iter().map(|part| found.reactions[part.0]));
        if simulated.links.iter().any(|of_link| !of_link.is_carrier) {
            let mut outside: TiVec<LinkIndex, Wrench> =
                body.indexed_links().map(|(link, _)| contacts.wrench(entity, link)).collect();
            for &(link, wrench) in external.iter().flat_map(|external| external.acting()) {
                add(&mut outside[link], &wrench);
            }
            let own = solver_body.loops.iter().flat_map(|own| [0, 1].map(|side| (own.closure, side, own.links[side])));
            let between = extra_joints.iter().flat_map(|(joint, of_solver)| {
                let ends = joint.ends.into_iter().enumerate();
                ends.filter_map(move |(side, end)| match end {
                    JointEnd::Link { body, link } if body == entity => Some((of_solver.closure?, side, link)),
                    _ => None,
                })
            });
            own.chain(between).for_each(|closure| add_closure(&world, closure, state, &mut outside));
            let gravity = &parameters.gravity;
            split(body, &middle, (&outside, gravity), TiSlice::from_mut(&mut readings.reactions));
        }
    }
}

fn add(sum: &mut Wrench, more: &Wrench) {
    sum.force += more.force;
    sum.torque += more.torque;
}

/// The middle of the step, to which accelerations and forces belong.
struct Middle<'a> {
    world: &'a MultibodyWorld,
    simulated: &'a SimulatedBody,
    parts: &'a TiSlice<LinkIndex, PartIndex>,
    /// s
    half_step: f64,
}

impl Middle<'_> {
    /// Velocity of a link's origin and its angular velocity at the end of the step.
    fn end_twist(&self, state: &BodyState, link: LinkIndex) -> Twist {
        let twist = &self.world.readings.part_twists[self.parts[link].0];
        let pose = &self.simulated.links[link].pose;
        let offset = state.link_pose(link).rotation * (pose.rotation.inverse() * pose.translation.vector);
        Twist { linear: twist.linear + twist.angular.cross(&offset), angular: twist.angular }
    }

    fn pose(&self, link: LinkIndex) -> Isometry3<f64> {
        self.world.solver.pose(self.parts[link]) * self.simulated.links[link].pose
    }

    /// Angular velocity, rad/s, world axes.
    fn spin(&self, link: LinkIndex) -> Vector3<f64> {
        let PartIndex(part) = self.parts[link];
        let found = &self.world.readings;
        found.part_twists[part].angular - self.half_step * found.part_accelerations[part].angular
    }

    /// Acceleration of a link's origin and angular acceleration, world axes.
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
    add(&mut outside[link], &Wrench { force, torque: torque + lever.cross(&force) });
}

/// Reactions of links that are fixed to their parents, by Newton's and Euler's laws from the leaves to the root.
fn split(
    body: &Body,
    middle: &Middle<'_>,
    (outside, gravity): (&TiSlice<LinkIndex, Wrench>, &Vector3<f64>),
    reactions: &mut TiSlice<LinkIndex, Wrench>,
) {
    // Sums of the reactions of children.
    let mut taken: TiVec<LinkIndex, Wrench> = ti_vec![Wrench::ZERO; reactions.len()];
    for (index, link) in body.indexed_links().collect::<Vec<_>>().into_iter().rev() {
        let pose = middle.pose(index);
        if !middle.simulated.links[index].is_carrier {
            let rate = middle.acceleration(index);
            let spin = middle.spin(index);
            let center = pose.rotation * link.mass.center_of_mass.coords;
            let linear = rate.linear + rate.angular.cross(&center) + spin.cross(&spin.cross(&center)) - gravity;
            let force = linear * link.mass.mass;
            let rotation = pose.rotation.to_rotation_matrix();
            let inertia = (link.mass.inertia + link.mass.inertia.transpose()) * 0.5;
            let inertia = rotation.matrix() * inertia * rotation.matrix().transpose();
            let torque = inertia * rate.angular + spin.cross(&(inertia * spin)) + center.cross(&force);
            reactions[index] = Wrench {
                force: force + taken[index].force - outside[index].force,
                torque: torque + taken[index].torque - outside[index].torque,
            };
        }
        let Some(parent) = link.parent else { continue };
        if link.joint.kind == JointKind::Free {
            continue;
        }
        let Wrench { force, torque } = reactions[index];
        let offset = pose.translation.vector - middle.pose(parent).translation.vector;
        add(&mut taken[parent], &Wrench { force, torque: torque + offset.cross(&force) });
    }
}
