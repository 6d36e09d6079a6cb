//! The state of bodies, read back from rapier's world.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;
use bevy_rapier3d::rapier::dynamics::RigidBodySet;
use bunraku_body::{Body, BodyModel, BodyState, Drive, JointKind, LinkIndex, PartOfLink, kinematics};
use bunraku_simulation::{SimulationClock, SimulationFault, SimulationStatus};
use nalgebra::Isometry3;

use super::trouble::{torn_joint, trouble};
use crate::model::extra_joint::SimulatedExtraJoint;
use crate::model::joint_name::JointName;
use crate::model::parameters::PhysicsParameters;
use crate::model::simulated_body::SimulatedBody;
use crate::model::widest_gap::WidestGap;
use crate::readings::acting::{Acting, ActingOn};
use crate::readings::instability::{Diverged, Integration};
use crate::world::convert::{from_pose, from_vec3, to_vec3};

type ReadBody<'a> =
    ((Entity, Option<&'a Name>), &'a BodyModel, &'a SimulatedBody, &'a Drive, &'a mut BodyState, ActingOn<'a>);

/// Reads link poses, joint displacements and velocities from rapier's bodies.
///
/// A state that is not finite or not plausible stops the simulation and is not written: the previous state remains.
pub(crate) fn read_states(
    mut bodies: Query<ReadBody<'_>>,
    contexts: Query<(&RapierRigidBodySet, &RapierContextJoints)>,
    (clock, parameters): (Res<SimulationClock>, Res<PhysicsParameters>),
    extra_joints: Query<(Entity, &SimulatedExtraJoint)>,
    (mut status, mut widest): (ResMut<SimulationStatus>, ResMut<WidestGap>),
    mut poses: Local<Vec<Isometry3<f64>>>,
) -> Result {
    let (set, joints) = contexts.single()?;
    let set = &set.bodies;
    // Of the step that ends one time step from now.
    let time = clock.time() + clock.time_step();
    let see_gap = |gap, joint| widest.add(gap, time, JointName::Between(joint));
    if let Some(message) = torn_joint(extra_joints.iter(), set, joints, see_gap) {
        let causes = Acting::on_any(bodies.iter().map(|(.., acting)| acting)).usual_causes(false);
        *status = SimulationStatus::Failed(SimulationFault { time, message: format!("{message}; {causes}") });
        return Ok(());
    }
    for ((entity, name), BodyModel(body), simulated, drive, mut state, acting) in &mut bodies {
        if *drive != Drive::Physics {
            continue;
        }
        read_link_poses(simulated, set, &mut poses);
        let see_gap = |gap, link| widest.add(gap, time, JointName::Link { body: entity, link });
        if let Some(trouble) = trouble(body, simulated, set, &poses, clock.time_step(), see_gap) {
            let diverged = Diverged {
                body,
                name: name.map_or(body.name.as_str(), Name::as_str),
                simulated,
                state: &state,
                acting,
                time_step: clock.time_step(),
                integration: Integration::Substeps(parameters.iterations),
            };
            let message = diverged.describe(&trouble);
            *status = SimulationStatus::Failed(SimulationFault { time, message });
            return Ok(());
        }
        std::mem::swap(&mut state.link_poses, &mut poses);
        read_joints(body, simulated, set, &mut state);
    }
    Ok(())
}

fn read_link_poses(simulated: &SimulatedBody, set: &RigidBodySet, poses: &mut Vec<Isometry3<f64>>) {
    poses.clear();
    let read = |of_link: &PartOfLink| {
        let part = set.get(simulated.parts[of_link.part]).map(|part| from_pose(part.position()));
        let part = part.unwrap_or_else(Isometry3::identity);
        // Most links are their part alone.
        if of_link.is_carrier { part } else { part * of_link.pose }
    };
    poses.extend(simulated.links.iter().map(read));
}

fn read_joints(body: &Body, simulated: &SimulatedBody, set: &RigidBodySet, state: &mut BodyState) {
    for joint in &simulated.joints {
        let (pose, parent) = (state.link_pose(joint.link), state.link_pose(joint.parent));
        let measured = kinematics::measured_displacement(body.link(joint.link), parent, pose);
        let displacement = match joint.kind {
            JointKind::Revolute => kinematics::unwrap_angle(measured, state.displacement(joint.index)),
            _ => measured,
        };
        let of_link = |link: LinkIndex| set.get(simulated.parts[simulated.links[link].part]);
        let velocity = of_link(joint.link).zip(of_link(joint.parent)).map(|(part, parent_part)| {
            let relative = match joint.kind {
                JointKind::Revolute => part.angvel() - parent_part.angvel(),
                _ => {
                    let point = to_vec3(&pose.translation.vector);
                    part.velocity_at_point(point) - parent_part.velocity_at_point(point)
                }
            };
            from_vec3(relative).dot(&(pose.rotation * joint.axis))
        });
        state.displacements[joint.index.0] = displacement;
        if let Some(velocity) = velocity {
            state.velocities[joint.index.0] = velocity;
        }
    }
}
