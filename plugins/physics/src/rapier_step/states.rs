//! The state of bodies, read back from rapier's world.

use bevy::prelude::*;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bunraku_body::{BodyModel, BodyState, Drive, JointKind, Link, LinkIndex, kinematics};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};
use nalgebra::{Isometry3, Point3};

use super::joints::{RapierJoint, RapierJoints};
use crate::model::joint_name::JointName;
use crate::model::joint_solver::JointSolver;
use crate::model::simulated_body::SimulatedBody;
use crate::model::widest_gap::WidestGap;
use crate::readings::acting::ActingOn;
use crate::readings::health::{Trouble, WIDEST_GAP};
use crate::readings::states::{JointState, NewState};
use crate::readings::words::in_digits;
use crate::world::convert::{from_pose, from_vec3, to_vec3};

type ReadBody<'a> = (
    (Entity, Option<&'a Name>),
    (&'a BodyModel, &'a SimulatedBody, &'a RapierJoints),
    &'a Drive,
    &'a mut BodyState,
    ActingOn<'a>,
);

/// Reads link poses, joint displacements and velocities from rapier's bodies.
pub(crate) fn read_states(
    mut bodies: Query<ReadBody<'_>>,
    contexts: Query<&RapierRigidBodySet>,
    clock: Res<SimulationClock>,
    (mut status, mut widest): (ResMut<SimulationStatus>, ResMut<WidestGap>),
    (mut poses, mut joints): (Local<Vec<Isometry3<f64>>>, Local<Vec<JointState>>),
) -> Result {
    if matches!(*status, SimulationStatus::Failed(_)) {
        return Ok(());
    }
    let set = &contexts.single()?.bodies;
    let time_step = clock.time_step();
    let time = clock.time() + time_step;
    for ((entity, name), (BodyModel(body), simulated, own), drive, mut state, acting) in &mut bodies {
        if *drive != Drive::Physics || simulated.find_link_poses(|part| pose(part, set), &mut poses).is_none() {
            continue;
        }
        let mut torn = None;
        for RapierJoint { link, parent, .. } in &own.0 {
            let gap = gap(body.link(*link), &poses[parent.0], &poses[link.0]);
            widest.add(gap, time, JointName::Link { body: entity, link: *link });
            if gap > WIDEST_GAP {
                let what = format!("is torn off its parent by {} mm", in_digits(gap * 1e3, 0));
                torn.get_or_insert(Trouble { link: *link, what });
            }
        }
        joints.clear();
        joints.extend(own.0.iter().map(|joint| {
            let (link, parent, pose) = (body.link(joint.link), &poses[joint.parent.0], &poses[joint.link.0]);
            let measured = kinematics::measured_displacement(link, parent, pose);
            let displacement = match joint.kind {
                JointKind::Revolute => kinematics::unwrap_angle(measured, state.displacement(joint.index)),
                _ => measured,
            };
            let velocity = velocity(joint, simulated, set, pose).unwrap_or(0.0);
            JointState { index: joint.index, link: joint.link, displacement, velocity }
        }));
        let new = NewState { body, name, simulated, acting, time_step, solver: JointSolver::Impulse };
        if let Err(message) = new.write(torn, (&mut poses, &joints), &mut state) {
            *status = SimulationStatus::Failed(SimulationFault { time, message });
            return Ok(());
        }
    }
    Ok(())
}

/// Pose of a rigid body, f64. Rapier disables one whose state is NaN.
fn pose(part: RigidBodyHandle, set: &RigidBodySet) -> Option<Isometry3<f64>> {
    let part = set.get(part)?;
    let nowhere = Isometry3::translation(f64::NAN, f64::NAN, f64::NAN);
    Some(if part.is_enabled() { from_pose(part.position()) } else { nowhere })
}

/// Distance of the joint's two anchor points, across the axis for a prismatic joint.
fn gap(link: &Link, parent: &Isometry3<f64>, pose: &Isometry3<f64>) -> f64 {
    let anchor = parent * Point3::from(link.offset.translation.vector);
    let apart = pose.translation.vector - anchor.coords;
    let axis = if link.joint.kind == JointKind::Prismatic { link.joint.axis.try_normalize(0.0) } else { None };
    axis.map_or_else(|| apart.norm(), |axis| apart.cross(&(pose.rotation * axis)).norm())
}

/// Velocity of a joint whose link has this pose, rad/s or m/s.
fn velocity(joint: &RapierJoint, simulated: &SimulatedBody, set: &RigidBodySet, pose: &Isometry3<f64>) -> Option<f64> {
    let part = |link: LinkIndex| set.get(simulated.rigid_body(link).0);
    let (part, parent) = (part(joint.link)?, part(joint.parent)?);
    let relative = match joint.kind {
        JointKind::Revolute => part.angvel() - parent.angvel(),
        _ => {
            let point = to_vec3(&pose.translation.vector);
            part.velocity_at_point(point) - parent.velocity_at_point(point)
        }
    };
    Some(from_vec3(relative).dot(&(pose.rotation * joint.axis)))
}
