//! Servos as the implicit springs of a multibody.
//!
//! A spring knows no limits, and what it does in a step is known only afterwards: where the model limits effort or velocity
//! the predicted effort acts instead.

use bevy_rapier3d::prelude::RapierContextJoints;
use bevy_rapier3d::rapier::dynamics::{JointAxis, RigidBodyHandle};
use bunraku_body::JointKind;
use serde::{Deserialize, Serialize};

use super::demand::Demand;
use crate::model::simulated_body::{JointHandle, SimulatedBody, SimulatedJoint};

/// The length of a step, s, and the number of pieces that rapier cuts it into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub time_step: f64,
    pub iterations: usize,
}

impl Steps {
    /// How much earlier than the end of the step the pieces end on average, s.
    #[allow(clippy::cast_precision_loss)]
    fn lead(self) -> f64 {
        0.5 * self.time_step * (1.0 - 1.0 / self.iterations.max(1) as f64)
    }
}

/// The springs that a body has in rapier's world.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Springs {
    /// Whether rapier holds any that must be overwritten.
    are_set: bool,
}

impl Springs {
    /// Sets springs. Where there is one, it overwrites the joint's effort with what must act besides.
    pub fn set(
        &mut self,
        simulated: &SimulatedBody,
        demands: &[Demand],
        steps: Steps,
        joints: &mut RapierContextJoints,
        efforts: &mut [f64],
    ) {
        let has_servos = demands.iter().any(Demand::is_servo);
        if !(self.are_set || has_servos) {
            return;
        }
        self.are_set = has_servos;
        for ((joint, demand), effort) in simulated.joints.iter().zip(demands).zip(efforts) {
            let JointHandle::Multibody(handle) = joint.handle else { continue };
            let is_spring = demand.is_servo() && !demand.is_limited();
            if is_spring {
                *effort = demand.effort + demand.damping * demand.velocity;
            }
            set_spring(handle, joint, is_spring.then_some(demand), steps, joints);
        }
    }
}

fn set_spring(
    handle: RigidBodyHandle,
    joint: &SimulatedJoint,
    demand: Option<&Demand>,
    steps: Steps,
    joints: &mut RapierContextJoints,
) {
    let Some(&link) = joints.multibody_joints.rigid_body_link(handle) else { return };
    let Some(multibody) = joints.multibody_joints.get_multibody_mut(link.multibody) else { return };
    let Some(link) = multibody.link_mut(link.id) else { return };
    let (stiffness, damping, rest) = demand.map_or((0.0, 0.0, 0.0), |demand| {
        // There is one target for all pieces of the step.
        (demand.stiffness, demand.damping, demand.displacement - demand.velocity * steps.lead())
    });
    let coordinate = link.assembly_id();
    #[allow(clippy::cast_possible_truncation)]
    {
        link.joint.set_spring(axis(joint) as usize, stiffness as f32, rest as f32);
        multibody.damping_mut()[coordinate] = damping as f32;
    }
}

fn axis(joint: &SimulatedJoint) -> JointAxis {
    match joint.kind {
        JointKind::Prismatic => JointAxis::LinX,
        _ => JointAxis::AngX,
    }
}
