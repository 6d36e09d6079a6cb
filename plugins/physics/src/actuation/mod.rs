//! From what controllers command to what acts on rapier's bodies.
//!
//! A servo is computed implicitly: its effort belongs to the end of the step, so that it is stable however stiff it is. In
//! a multibody rapier's own implicit springs do that; between impulse joints we do it ourselves, see [`implicit`].
//!
//! Rapier's motors are of no use for that: on impulse joints they hold half of what they should, and as a mere correction of
//! the predicted effort they shake a stiff arm.
//!
//! A joint whose motion is prescribed has no servo at all, see [`prescribed`].

pub(crate) mod demand;
mod dry_friction;
mod efforts;
pub(crate) mod external_forces;
pub(crate) mod faulty_commands;
mod implicit;
mod prescribed;
pub(crate) mod prescribed_velocities;
mod rotors;
mod spring;

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyModel, BodyState, JointActuation, JointEfforts, JointTargets, LinkIndex};
use bunraku_simulation::SimulationClock;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::model::joint_losses::JointLosses;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::{JointHandle, SimulatedBody};
use crate::model::velocity_limits::VelocityLimits;
use crate::world::convert::from_vec3;
use demand::{Commands, Demand, Past};
use implicit::{ImplicitServos, StartVelocities};
use prescribed::Prescribed;
use spring::{Springs, Steps};

/// What the actuation of a body keeps from step to step, and its scratch.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Actuators {
    /// Made anew in each step.
    #[serde(skip)]
    demands: Vec<Demand>,
    /// Where the reference of each servo was to be, by simulated joint; empty before the first step.
    references: Vec<Option<f64>>,
    /// By simulated joint.
    efforts: Vec<f64>,
    start: StartVelocities,
    implicit: ImplicitServos,
    springs: Springs,
    prescribed: Prescribed,
}

type ActuatedBody<'a> = (
    &'a BodyModel,
    &'a SimulatedBody,
    &'a BodyState,
    (&'a JointActuation, &'a JointEfforts, &'a JointTargets),
    (Option<&'a VelocityLimits>, Option<&'a JointLosses>),
    &'a mut Actuators,
);

/// Turns commands, limited to what the model's motors can do, into forces and springs in rapier's world.
pub(crate) fn actuate(
    mut bodies: Query<ActuatedBody<'_>>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
    parameters: Res<PhysicsParameters>,
    clock: Res<SimulationClock>,
    mut torques: Local<Vec<Vector3<f64>>>,
) -> Result {
    let (mut set, mut joints) = contexts.single_mut()?;
    let (set, joints) = (&mut set.bodies, &mut *joints);
    for (BodyModel(body), simulated, state, (actuation, given, targets), (limits, losses), mut actuators) in &mut bodies
    {
        if simulated.joints.is_empty() {
            continue;
        }
        let Actuators { demands, references, efforts, start, implicit, springs, prescribed } = &mut *actuators;
        let limits = limits.copied().unwrap_or_default();
        let commands = Commands { actuation, efforts: given, targets, limits, losses };
        demands.clear();
        demands.extend(simulated.joints.iter().enumerate().map(|(index, joint)| {
            let reference = references.get(index).copied().flatten();
            let past = Past { destination: prescribed.reference(index), reference };
            Demand::of(joint.index, &body.link(joint.link).joint, state, commands, past, clock.time_step())
        }));
        references.clear();
        references.extend(demands.iter().map(Demand::reference));
        prescribed.plan(body, simulated, state, demands);
        if prescribed.hold((&**body, state), &simulated.joints, demands, clock.time_step(), joints) {
            // What held them was an unknown force to the prediction.
            implicit.forget();
        }
        let needs_prediction = simulated.joints.iter().zip(&*demands).any(|(joint, demand)| {
            let is_impulse = matches!(joint.handle, JointHandle::Impulse(_));
            (demand.is_servo() && (is_impulse || demand.is_limited()))
                || (demand.prescribed.is_some() && is_impulse)
                || demand.is_implicit()
        });
        torques.clear();
        torques.resize(simulated.parts.len(), Vector3::zeros());
        if needs_prediction || !simulated.rotors.coupled.is_empty() {
            let twist = root_twist(simulated, state, set);
            prescribed.start(&twist, &state.velocities, start);
            let moment = implicit::Moment {
                body,
                state,
                root_twist: twist,
                start,
                root_is_guided: simulated.root_guide.is_some(),
                gravity: parameters.gravity,
                time_step: clock.time_step(),
            };
            implicit.predict(&moment, simulated, demands, efforts);
            rotors::couple(&moment, simulated, implicit.accelerations(), set, efforts, &mut torques);
        } else {
            implicit.forget();
            efforts.clear();
            efforts.extend(demands.iter().map(Demand::effort_without_servo));
        }
        let steps = Steps { time_step: clock.time_step(), iterations: parameters.iterations };
        springs.set(simulated, demands, steps, joints, efforts);
        for (effort, loss) in efforts.iter_mut().zip(implicit.losses()) {
            *effort += loss;
        }
        efforts::apply(simulated, state, efforts, set, &mut torques);
    }
    Ok(())
}

/// Twist of the root link.
fn root_twist(simulated: &SimulatedBody, state: &BodyState, set: &RigidBodySet) -> Twist {
    let Some(part) = set.get(simulated.parts[simulated.links[LinkIndex::ROOT.0].part.0]) else { return Twist::ZERO };
    let (linear, angular) = (from_vec3(part.linvel()), from_vec3(part.angvel()));
    // From the centre of mass to the link origin.
    let offset = state.link_poses[LinkIndex::ROOT.0].translation.vector - from_vec3(part.center_of_mass());
    Twist { linear: linear + angular.cross(&offset), angular }
}
