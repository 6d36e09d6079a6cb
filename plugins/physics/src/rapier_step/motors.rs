//! Commands as rapier's motors, and as forces on the two sides of a joint.
//!
//! A servo is rapier's motor with the stiffness and damping of the servo, bounded by the effort range. Rapier solves motors in each substep
//! once, before the rows that hold the joint together, so that a load moves them farther than load over stiffness. Viscous damping of
//! a joint is damping of its motor.

use bevy::prelude::*;
use bevy_rapier3d::prelude::{RapierContextJoints, RapierRigidBodySet};
use bevy_rapier3d::rapier::dynamics::{JointMotor, MotorModel, RigidBodySet};
use bunraku_body::{BodyModel, BodyState, Drive as DrivenBy, JointKind};
use bunraku_multibody::Drive;
use bunraku_simulation::SimulationClock;

use super::joints::{RapierJoint, RapierJoints, axis};
use super::reports::Reports;
use crate::actuation::demand::{Commands, JointPast};
use crate::actuation::external_forces::ExternalForces;
use crate::model::joint_losses::JointLosses;
use crate::model::limitations::Limitation;
use crate::model::simulated_body::SimulatedBody;
use crate::world::convert::to_vec3;

type ActuatedBody<'a> = (
    (Entity, Option<&'a Name>, &'a BodyModel, &'a BodyState, &'a DrivenBy),
    (&'a SimulatedBody, &'a RapierJoints),
    (Commands, Option<&'a JointLosses>, Option<&'a ExternalForces>),
    &'a mut JointPast,
);

/// Gives rapier the motors and forces of a step.
pub(crate) fn actuate(
    mut bodies: Query<ActuatedBody<'_>>,
    mut contexts: Query<(&mut RapierRigidBodySet, &mut RapierContextJoints)>,
    clock: Res<SimulationClock>,
    mut reports: Reports,
) -> Result {
    let (mut set, mut joints) = contexts.single_mut()?;
    for (body, (simulated, own), (commands, losses, external), mut past) in &mut bodies {
        let (entity, name, BodyModel(body), state, source) = body;
        if *source != DrivenBy::Physics {
            continue;
        }
        for &part in &simulated.parts {
            if let Some(part) = set.bodies.get_mut(part) {
                part.reset_forces(false);
                part.reset_torques(false);
            }
        }
        for (number, joint) in own.0.iter().enumerate() {
            let model = &body.link(joint.link).joint;
            let drive = commands.drive(joint.index, model, state, past.of(number), clock.time_step());
            let is_prescribed = drive.given.is_some();
            if is_prescribed || drive.stiffness > 0.0 || drive.damping > 0.0 {
                let limitation = if is_prescribed { Limitation::PrescribedJoint } else { Limitation::Servo };
                let name = name.map_or(body.name.as_str(), Name::as_str);
                let what = format!("joint `{}` of `{name}`", body.joint_name(joint.index));
                reports.add((entity, "JointActuation"), limitation, &limitation.message(&what))?;
            }
            let damping = losses.filter(|_| !is_prescribed).map_or(0.0, |losses| losses.of(joint.index)[0]);
            let motor = motor(&drive, damping, joint.kind);
            let axis = axis(joint.kind);
            if let Some(rapier_joint) = joints.impulse_joints.get_mut(joint.handle, false) {
                rapier_joint.data.motor_axes.set(axis.into(), motor.is_some());
                let slot = &mut rapier_joint.data.motors[axis as usize];
                *slot = JointMotor { impulse: slot.impulse, ..motor.unwrap_or_default() };
            }
            push(simulated, joint, state, drive.bounds.clamp(drive.effort), &mut set.bodies);
        }
        for &(link, wrench) in external.iter().flat_map(|external| external.acting()) {
            if let Some(part) = set.bodies.get_mut(simulated.rigid_body(link).0) {
                let origin = to_vec3(&state.link_pose(link).translation.vector);
                part.add_force_at_point(to_vec3(&wrench.force), origin, true);
                part.add_torque(to_vec3(&wrench.torque), true);
            }
        }
    }
    Ok(())
}

/// `None` for a joint that nothing but forces moves.
#[allow(clippy::cast_possible_truncation)]
fn motor(drive: &Drive, damping_of_joint: f64, kind: JointKind) -> Option<JointMotor> {
    if let Some(velocity) = drive.given {
        // Rapier's stiffest motor: it asks for the velocity, with no compliance.
        let target_vel = velocity as f32;
        return Some(JointMotor { target_vel, damping: f32::MAX, ..JointMotor::default() });
    }
    let damping = drive.damping + damping_of_joint;
    if drive.stiffness <= 0.0 && damping <= 0.0 {
        return None;
    }
    // Rapier compares angles within half a turn either way.
    let target_pos = match kind {
        JointKind::Prismatic => drive.displacement,
        _ => nalgebra::wrap(drive.displacement, -std::f64::consts::PI, std::f64::consts::PI),
    };
    let is_servo = drive.stiffness > 0.0 || drive.damping > 0.0;
    let strongest = drive.bounds.upper.abs().min(drive.bounds.lower.abs());
    Some(JointMotor {
        target_pos: target_pos as f32,
        // The damping of the joint brakes towards rest, that of the servo towards its target.
        target_vel: if damping > 0.0 { (drive.damping * drive.velocity / damping) as f32 } else { 0.0 },
        stiffness: drive.stiffness as f32,
        damping: damping as f32,
        max_force: if is_servo { (strongest as f32).min(f32::MAX) } else { f32::MAX },
        model: MotorModel::ForceBased,
        ..JointMotor::default()
    })
}

/// Puts an effort on the link of a joint, and its reaction on the parent.
fn push(simulated: &SimulatedBody, joint: &RapierJoint, state: &BodyState, effort: f64, set: &mut RigidBodySet) {
    if effort == 0.0 {
        return;
    }
    let pose = state.link_pose(joint.link);
    let along = to_vec3(&(pose.rotation * (joint.axis * effort)));
    // Both forces act at the same point, so that they add no torque to the whole.
    let point = to_vec3(&pose.translation.vector);
    for (link, along) in [(joint.link, along), (joint.parent, -along)] {
        let Some(part) = set.get_mut(simulated.rigid_body(link).0) else { continue };
        match joint.kind {
            JointKind::Prismatic => part.add_force_at_point(along, point, false),
            _ => part.add_torque(along, false),
        }
    }
}
