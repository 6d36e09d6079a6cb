//! From what controllers command to what acts on rapier's bodies.
//!
//! A servo is computed implicitly, see [`implicit`]: its effort belongs to the end of the step, so that it is stable however
//! stiff it is.
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

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::dynamics::Twist;
use bunraku_body::{BodyModel, BodyState, JointActuation, JointEfforts, JointTargets, LinkIndex};
use bunraku_simulation::SimulationClock;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use typed_index_collections::TiVec;

use crate::model::index::{RigidPartIndex, SimulatedJointIndex};
use crate::model::joint_losses::JointLosses;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::model::velocity_limits::VelocityLimits;
use crate::world::convert::from_vec3;
use demand::{Commands, Demand, Past};
use implicit::{ImplicitServos, StartVelocities};
use prescribed::Prescribed;

/// What the actuation of a body keeps from step to step, and its scratch.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Actuators {
    /// Made anew in each step.
    #[serde(skip)]
    demands: TiVec<SimulatedJointIndex, Demand>,
    /// Where the reference of each servo was to be; empty before the first step.
    references: TiVec<SimulatedJointIndex, Option<f64>>,
    efforts: TiVec<SimulatedJointIndex, f64>,
    start: StartVelocities,
    implicit: ImplicitServos,
    prescribed: Prescribed,
}

impl Actuators {
    /// Whether prescribed joints change their velocities at the beginning of this step.
    pub fn gives_velocities(&self) -> bool {
        !self.prescribed.change.joints.is_empty()
    }
}

type ActuatedBody<'a> = (
    &'a BodyModel,
    &'a SimulatedBody,
    &'a BodyState,
    (&'a JointActuation, &'a JointEfforts, &'a JointTargets),
    (Option<&'a VelocityLimits>, Option<&'a JointLosses>),
    &'a mut Actuators,
);

/// Turns commands, limited to what the model's motors can do, into forces in rapier's world.
pub(crate) fn actuate(
    mut bodies: Query<ActuatedBody<'_>>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
    parameters: Res<PhysicsParameters>,
    clock: Res<SimulationClock>,
    mut torques: Local<TiVec<RigidPartIndex, Vector3<f64>>>,
) -> Result {
    let (mut set, mut joints) = contexts.single_mut()?;
    let (set, joints) = (&mut set.bodies, &mut *joints);
    for (BodyModel(body), simulated, state, (actuation, given, targets), (limits, losses), mut actuators) in &mut bodies
    {
        if simulated.joints.is_empty() {
            continue;
        }
        let Actuators { demands, references, efforts, start, implicit, prescribed } = &mut *actuators;
        let limits = limits.copied().unwrap_or_default();
        let commands = Commands { actuation, efforts: given, targets, limits, losses };
        demands.clear();
        demands.extend(simulated.joints.iter_enumerated().map(|(index, joint)| {
            let reference = references.get(index).copied().flatten();
            let past = Past { destination: prescribed.reference(index), reference };
            Demand::of(joint.index, &body.link(joint.link).joint, state, commands, past, clock.time_step())
        }));
        references.clear();
        references.extend(demands.iter().map(Demand::reference));
        prescribed.plan(body, simulated, state, demands);
        if prescribed.hold(&simulated.joints, demands, joints) {
            // What held them was an unknown force to the prediction.
            implicit.forget();
        }
        let needs_prediction =
            demands.iter().any(|demand| demand.is_servo() || demand.prescribed.is_some() || demand.is_implicit());
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
                root_is_guided: simulated.terms.is_guided,
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
        for (effort, loss) in efforts.iter_mut().zip(implicit.losses()) {
            *effort += loss;
        }
        efforts::apply(simulated, state, efforts, set, &mut torques);
    }
    Ok(())
}

/// Twist of the root link.
fn root_twist(simulated: &SimulatedBody, state: &BodyState, set: &RigidBodySet) -> Twist {
    let Some(part) = set.get(simulated.parts[simulated.links[LinkIndex::ROOT].part]) else { return Twist::ZERO };
    let (linear, angular) = (from_vec3(part.linvel()), from_vec3(part.angvel()));
    // From the centre of mass to the link origin.
    let offset = state.link_pose(LinkIndex::ROOT).translation.vector - from_vec3(part.center_of_mass());
    Twist { linear: linear + angular.cross(&offset), angular }
}
